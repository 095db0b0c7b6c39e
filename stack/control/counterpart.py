"""A document elsewhere that is to say the same as the desired state, such as a HyperPod endpoint's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from stack.control.state import Desired


@dataclass(frozen=True, slots=True)
class ChangeElsewhere:
    """`path` of the document `where` follows what is desired; `caution` is what is not known of what comes of it."""

    kind: ClassVar[str] = "change_elsewhere"
    model: str
    where: str
    path: str
    before: str
    after: str
    caution: str

    @property
    def sentence(self) -> str:
        return f"{self.path} of {self.where} is patched from {self.before} to {self.after}; {self.caution}."


@dataclass(frozen=True, slots=True)
class Followed:
    """What was changed, as sentences, and which fields of the desired state are not so elsewhere, with why."""

    steps: tuple[str, ...] = ()
    drift: Mapping[str, str] = field(default_factory=dict)


class Counterpart(Protocol):
    """Judges a change before it is in force, and follows what is."""

    async def check(self, before: Desired, after: Desired) -> tuple[ChangeElsewhere, ...]:
        """What a change from `before` to `after` would change there, which is asked without changing it. Raises RefusedError."""
        ...

    async def follow(self, desired: Desired) -> Followed:
        """Bring it to what is desired; what cannot be is drift, and no error."""
        ...
