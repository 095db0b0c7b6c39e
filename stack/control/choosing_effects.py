"""What a change does to how engines are chosen, as values that explain themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stack.model.tier import Pool


@dataclass(frozen=True, slots=True)
class SwitchStrategy:
    """From the next request on, `pool` chooses by `after`; `warmth` says what that knows then, in a sentence or not at all."""

    kind: ClassVar[str] = "switch_strategy"
    model: str
    pool: Pool
    before: str
    after: str
    warmth: str = ""

    @property
    def sentence(self) -> str:
        switch = f"From the next request on the {self.pool} pool chooses by {self.after} (until now {self.before})."
        return f"{switch} {self.warmth}".rstrip()


@dataclass(frozen=True, slots=True)
class SwitchFallback:
    """Which strategy decides where kv_aware has no placement to decide by."""

    kind: ClassVar[str] = "switch_fallback"
    model: str
    before: str
    after: str

    @property
    def sentence(self) -> str:
        return f"Where kv_aware cannot tell what is cached, {self.after} decides (until now {self.before})."


@dataclass(frozen=True, slots=True)
class ChangeSessionKeys:
    """Where a request's session is looked for, in order."""

    kind: ClassVar[str] = "change_session_keys"
    model: str
    after: tuple[str, ...]

    @property
    def sentence(self) -> str:
        if not self.after:
            return "No request has a session: the session strategy sends each to the least loaded engine."
        return f"A request's session is the first of these that it has: {', '.join(self.after)}. Sessions may change engines once."
