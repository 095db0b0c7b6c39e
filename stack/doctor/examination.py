"""Every check held against the facts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import stack.doctor.checks  # noqa: F401  # importing it registers every check
from stack.control.precondition import Precondition, Verdict
from stack.doctor.check import Check, Finding, checks
from stack.doctor.facts import Facts


@dataclass(frozen=True, slots=True)
class Result:
    """One check and what it found."""

    check: Check
    finding: Finding

    @property
    def verdict(self) -> Verdict:
        return self.finding.verdict


def examine(facts: Facts) -> tuple[Result, ...]:
    """The result of every check, in the order they are shown."""
    return tuple(Result(check, check.look(facts)) for check in checks())


def preconditions(results: Iterable[Result]) -> tuple[Precondition, ...]:
    """Results as they are told to others."""
    return tuple(
        Precondition(
            id=result.check.id,
            group=result.check.group.value,
            title=result.check.title,
            verdict=result.verdict,
            evidence=result.finding.evidence,
            why=result.check.why,
            fix=result.check.fix,
        )
        for result in results
    )


def holds(results: tuple[Result, ...], *, strict: bool) -> bool:
    """No check failed; `strict`: and none is unknown."""
    bad = {Verdict.FAIL, Verdict.UNKNOWN} if strict else {Verdict.FAIL}
    return not any(result.verdict in bad for result in results)
