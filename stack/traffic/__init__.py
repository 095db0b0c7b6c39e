"""Load against any OpenAI endpoint: chats, documents, recorded traces."""
