"""How kvdeck is deployed: Helm chart, manifests, Compose, images; and what keeps their copies of other files true."""
