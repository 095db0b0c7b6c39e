"""HyperPod's InferenceEndpointConfig."""
