"""Starts vLLM's API server in the engine environment; run as a script by that environment's Python, not imported.

Some faults of NIXL, vLLM's NIXL connector and LMCache no option reaches. They have to be mended inside vLLM's worker
processes, which are spawned anew, so the mending travels as a `sitecustomize` on PYTHONPATH: see engine_site/sitecustomize.py.

Usage: python engine_launch.py [the arguments of vllm.entrypoints.openai.api_server]
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

SITE = Path(__file__).resolve().parent / "engine_site"


def main() -> None:
    """Becomes the API server (same pid). Never returns."""
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{SITE}{os.pathsep}{inherited}" if inherited else str(SITE)
    os.execv(sys.executable, [sys.executable, "-m", "vllm.entrypoints.openai.api_server", *sys.argv[1:]])


if __name__ == "__main__":
    main()
