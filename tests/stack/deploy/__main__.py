"""`python -m tests.stack.deploy`: writes anew what the plain manifests hold of the chart."""

from __future__ import annotations

from tests.stack.deploy.plain import EXPORTER, exporter

if __name__ == "__main__":
    EXPORTER.write_text(exporter())
