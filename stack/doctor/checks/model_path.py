"""One model path."""

from __future__ import annotations

from stack.control.precondition import Verdict
from stack.doctor.check import Finding, Group, check, equal, failed, listed, passed, unknown
from stack.doctor.facts import Engine, Facts


@check(
    Group.TIERS,
    "Engines of one model load it from one path",
    why="LMCache's keys begin with the path as it was given: engines with two spellings of it never share L1 or L2.",
    fix="Give --model the same string on every engine (a served name does not help).",
)
def look(facts: Facts) -> Finding:
    for model in sorted({engine.target.model for engine in facts.engines}):
        same = [engine for engine in facts.engines if engine.target.model == model]
        if not model and len({_root(engine) for engine in same}) > 1:
            return unknown(f"{listed(same)} are listed without their model, and loaded several: the label model in the target file")
        found = equal(same, _root, what=f"path of {model or 'the model'}", needs="GET /v1/models must answer")
        if found.verdict is not Verdict.PASS:
            return found
    server = facts.cache_server
    roots = {root for engine in facts.engines if (root := _root(engine)) is not None}
    if server is not None and server.models and not server.models & roots:
        return failed(f"LMCache is asked for {', '.join(sorted(server.models))}, the engines loaded {', '.join(sorted(roots))}")
    return passed(f"{len(roots)} path(s): {', '.join(sorted(roots))}") if roots else equal((), _root, what="path", needs="")


def _root(engine: Engine) -> str | None:
    return engine.roots[0] if engine.roots else None
