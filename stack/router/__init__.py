"""The data plane: OpenAI HTTP in, a plan, engines out."""
