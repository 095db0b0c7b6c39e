"""What an installation tells about itself while it runs. Standard library only: the bootstrap uses it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """A step of the checklist, or the bootstrap's single line."""

    def expect(self, total: float) -> None: ...

    def advance(self, amount: float = 1.0) -> None: ...

    def detail(self, text: str) -> None: ...
