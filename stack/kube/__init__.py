"""What a Kubernetes API server tells. The only importer of the package `kubernetes`, which reads kubeconfig files."""
