"""Silences: which alerts nobody is told of, until when, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import msgspec

from stack.control.alert import NAME, OURS

MATCHERS_MAX = 16
TEXT_MAX = 500
SHORTEST_SECONDS, LONGEST_SECONDS = 60.0, 30 * 86_400.0

_NAME = re.compile("[a-zA-Z_][a-zA-Z0-9_]*")


class Matcher(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One condition on a label. A regular expression (RE2) has to match the whole value; an absent label is an empty one."""

    name: str
    value: str
    is_regex: bool = False
    is_equal: bool = True

    @property
    def words(self) -> str:
        """As Alertmanager and its tools write it."""
        sign = ("=~" if self.is_regex else "=") if self.is_equal else ("!~" if self.is_regex else "!=")
        value = self.value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'{self.name}{sign}"{value}"'


_WORDS = re.compile(r"""\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*(.*?)\s*""", re.DOTALL)
_ESCAPED = {"n": "\n"}


def matcher(words: str) -> Matcher | None:
    """What `words` say, as Alertmanager's own tools take them: quotes around the value are optional; None for what is none."""
    found = _WORDS.fullmatch(words)
    if found is None:
        return None
    name, sign, value = found.groups()
    if len(value) > 1 and value[0] == value[-1] == '"':
        value = re.sub(r"\\(.)", lambda escaped: _ESCAPED.get(escaped[1], escaped[1]), value[1:-1], flags=re.DOTALL)
    return Matcher(name=name, value=value, is_regex=sign.endswith("~"), is_equal=sign.startswith("="))


class SilenceState(StrEnum):
    """Whether it holds back anything."""

    ACTIVE = "active"
    PENDING = "pending"  # it begins later
    EXPIRED = "expired"


class Silence(msgspec.Struct, frozen=True, kw_only=True):
    """A silence that Alertmanager keeps. Times are Unix seconds. `ours`: it can hold back this project's alerts alone."""

    id: str
    state: SilenceState
    matchers: tuple[Matcher, ...]
    by: str
    comment: str
    starts: float
    ends: float
    ours: bool = False

    @property
    def words(self) -> str:
        """What it holds back."""
        return ", ".join(matcher.words for matcher in self.matchers)


class SilenceAsked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /v1/silences`: hold back what all `matchers` fit for `seconds` from now on, and why."""

    matchers: Annotated[tuple[Matcher, ...], msgspec.Meta(min_length=1, max_length=MATCHERS_MAX)]
    comment: Annotated[str, msgspec.Meta(min_length=1, max_length=TEXT_MAX)]
    seconds: Annotated[float, msgspec.Meta(ge=SHORTEST_SECONDS, le=LONGEST_SECONDS)]

    @property
    def flaw(self) -> str | None:
        """What is wrong with it, as far as that can be told without asking Alertmanager."""
        if not self.comment.strip():
            return "a silence needs a comment: say why nobody is to be told"
        for matcher in self.matchers:
            if _NAME.fullmatch(matcher.name) is None or len(matcher.name) > TEXT_MAX:
                return f"{matcher.name[:40]!r} is no label's name"
            if len(matcher.value) > TEXT_MAX:
                return f"the value for {matcher.name} is longer than {TEXT_MAX} characters"
        return None


EVERY_ONE = Matcher(name=NAME, value=f"{OURS}.+", is_regex=True)


def narrowed(matchers: Sequence[Matcher]) -> tuple[Matcher, ...]:
    """The same for this project's alerts alone: an Alertmanager may be everybody's."""
    return tuple(matchers) if ours(matchers) else (*matchers, EVERY_ONE)


def ours(matchers: Sequence[Matcher]) -> bool:
    """Whether they fit no alert but this project's, as far as that can be told from the name."""
    return any(matcher.name == NAME and matcher.is_equal and _named(matcher) for matcher in matchers)


def foreign(matchers: Sequence[Matcher]) -> bool:
    """Whether they name an alert that is not this project's."""
    exact = (each for each in matchers if each.name == NAME and each.is_equal and not each.is_regex)
    return any(not each.value.startswith(OURS) for each in exact)


def _named(matcher: Matcher) -> bool:
    if not matcher.is_regex:
        return matcher.value.startswith(OURS)
    # Alternatives each for itself; in groups, and with a quantifier after the name, anything could stand.
    return "(" not in matcher.value and all(_begins(part) for part in matcher.value.split("|"))


def _begins(pattern: str) -> bool:
    rest = pattern.removeprefix("^")
    return rest.startswith(OURS) and rest[len(OURS) : len(OURS) + 1] not in ("?", "*", "{")
