"""HyperPod's InferenceEndpointConfig: read as desired state, written from it, and compared with what runs."""
