"""Grafana dashboards as plain JSON, out of the same queries as the pages. `python -m dashboard.grafana` writes them."""
