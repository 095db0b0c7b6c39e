"""What L2 really is, against what LMCache believes of it: findings in sentences, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dashboard import amounts
from dashboard.sites import Site, beginning
from dashboard.wording import code

# Below this the store clearly holds less than is believed: its KV is estimated from a sample.
HELD = 0.9
_FULL = 0.9
_KEEPS = "noeviction"


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides in numbers; None is unknown. `held` is KV in the stores over what is believed, rates are a second.

    `policies` and `full` are by store, `strayed` is how an LMCache's L2 stands to the one meant, by LMCache.
    """

    held: float | None
    evicted: float | None
    not_found: float | None
    policies: Mapping[str, str]
    full: Mapping[str, float]
    strayed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as LMCache believes. `certain`: it is so; else it will be, or may be."""

    certain: bool
    text: str


def findings(sides: Sides) -> list[Finding]:
    """None where the two agree, as far as they tell."""
    return sorted(_found(sides), key=lambda finding: not finding.certain)


def everywhere(fleets: Mapping[Site, Sides]) -> list[Finding]:
    """Of all fleets, each finding with its fleet where there are several."""
    each = [
        Finding(finding.certain, f"{beginning(site, fleets)}{finding.text}")
        for site, sides in fleets.items()
        for finding in findings(sides)
    ]
    return sorted(each, key=lambda finding: not finding.certain)


def comparable(sides: Sides) -> bool:
    """Both sides tell, so that their agreeing means something."""
    return sides.held is not None


def _found(sides: Sides) -> Iterator[Finding]:
    for state, text in _STRAYED.items():
        if there := sorted(name for name, told in sides.strayed.items() if told == state):
            yield Finding(state != "unknown", f"{text} `--l2.expected-url`: {_names(there)}.")
    if sides.not_found:
        yield Finding(True, f"{sides.not_found:.3g} chunks/s that LMCache believed to be in L2 were gone when it loaded them.")
    if sides.held is not None and sides.held < HELD:
        text = f"The stores hold {amounts.percent(sides.held)} of the bytes that LMCache believes to have there"
        more = f", and evict {sides.evicted:,.3g} keys/s by themselves" if sides.evicted else ""
        yield Finding(bool(sides.evicted), f"{text}{more}. Servers that share a store may count a chunk twice.")
    for name, policy in sorted(sides.policies.items()):
        full = sides.full.get(name)
        if full is not None and full > _FULL:
            what = "refuses new KV" if policy == _KEEPS else "drops KV by itself, unknown to LMCache"
            yield Finding(False, f"{code(name)} is {amounts.percent(full)} full; once it is, it {what} ({code(policy)}).")


_STRAYED = {
    "different": "Another L2 is used than was meant by",
    "absent": "No L2 is used, though one was meant by",
    "unknown": "Nobody says whether the L2 in use is the one meant by",
}


def _names(names: list[str]) -> str:
    return ", ".join(map(code, names))
