"""`kvdeck iec`: HyperPod's InferenceEndpointConfig, from and to files and clusters."""
