"""A check, what it finds, and the register of all checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from stack.control.precondition import Verdict
from stack.doctor.facts import Engine, Facts


class Group(StrEnum):
    """What the precondition is one of, in the order they are shown."""

    FLEET = "fleet"
    ROUTING = "KV-aware routing"
    TIERS = "cache tiers"
    DPD = "disaggregated prefill"
    WATCHING = "watching"


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict and its evidence; where that is UNKNOWN, what would let it be known."""

    verdict: Verdict
    evidence: str


@dataclass(frozen=True, slots=True)
class Check:
    """One precondition: `why` it matters, and the `fix` where it does not hold."""

    id: str
    group: Group
    title: str
    why: str
    fix: str
    look: Callable[[Facts], Finding]


_CHECKS: dict[str, Check] = {}


def check(group: Group, title: str, *, why: str, fix: str) -> Callable[[Callable[[Facts], Finding]], Callable[[Facts], Finding]]:
    """Decorator: registers a function of the facts as the check of its file's name. Raises ValueError on a second one."""

    def file(look: Callable[[Facts], Finding]) -> Callable[[Facts], Finding]:
        name = look.__module__.rpartition(".")[2]
        if name in _CHECKS:
            raise ValueError(f"check {name!r} is registered twice")
        _CHECKS[name] = Check(name, group, title, why, fix, look)
        return look

    return file


def checks() -> tuple[Check, ...]:
    """All that are registered, by group and name."""
    order = list(Group)
    return tuple(sorted(_CHECKS.values(), key=lambda one: (order.index(one.group), one.id)))


def passed(evidence: str) -> Finding:
    """It holds."""
    return Finding(Verdict.PASS, evidence)


def failed(evidence: str) -> Finding:
    """It does not hold."""
    return Finding(Verdict.FAIL, evidence)


def unknown(evidence: str) -> Finding:
    """It cannot be told; `evidence` says what would tell it."""
    return Finding(Verdict.UNKNOWN, evidence)


def not_applicable(evidence: str) -> Finding:
    """The fleet does not use it."""
    return Finding(Verdict.NOT_APPLICABLE, evidence)


def unread(engines: Iterable[Engine], what: str) -> Finding:
    """`what` of a process can be read on its machine, or in its pod's spec."""
    return unknown(
        f"{what} of {listed(engines)} not read: run this on the machine of real engines, as their user, "
        "or name pods whose spec says it (--kubernetes)"
    )


def undivided(facts: Facts) -> Finding | None:
    """Why nothing is handed over between engines here; None where prefill engines are listed."""
    if not facts.engines:
        return unknown("no engine is listed")
    return None if facts.disaggregated else not_applicable("no engine prefills for others")


def listed(engines: Iterable[Engine]) -> str:
    """Their names, for evidence: four at most."""
    names = [engine.name for engine in engines]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def equal(engines: Iterable[Engine], value: Callable[[Engine], str | None], *, what: str, needs: str) -> Finding:
    """PASS where `value` is the same on every engine, FAIL where two differ, UNKNOWN where an engine does not tell it.

    `needs` says what would let it be known.
    """
    by_value: Mapping[str | None, list[Engine]] = grouped(engines, value)
    told = {each: where for each, where in by_value.items() if each is not None}
    if len(told) > 1:
        return failed(f"{what} differs: " + "; ".join(f"{each} on {listed(where)}" for each, where in sorted(told.items())))
    if silent := by_value.get(None):
        return unknown(f"{what} not told by {listed(silent)}: {needs}")
    if not told:
        return unknown("no engine is listed")
    return passed(f"{what} {next(iter(told))} on all")


def grouped(engines: Iterable[Engine], value: Callable[[Engine], str | None]) -> dict[str | None, list[Engine]]:
    """Engines by `value`."""
    groups: dict[str | None, list[Engine]] = {}
    for engine in engines:
        groups.setdefault(value(engine), []).append(engine)
    return groups
