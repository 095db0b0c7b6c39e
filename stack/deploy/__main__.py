"""`python -m stack.deploy`: writes anew what chart and manifests hold of the rules."""

from __future__ import annotations

from stack.deploy.copies import write

if __name__ == "__main__":
    write()
