"""What an experiment may try: only what each router decides by, request by request."""

from __future__ import annotations

from stack.control.decide import Decision
from stack.control.refusal import RefusedError
from stack.control.state import Desired, ModelState

ROUTED = ("strategy", "fallback_strategy", "session_keys", "shadow_share", "dpd", "pools.prefill.strategy", "pools.decode.strategy",
          "pools.prefill.parameters", "pools.decode.parameters")  # fmt: skip
_NO_SHARE = f"so no share of the sessions can try it; allowed: {', '.join(ROUTED)}"


def candidate(before: Desired, decision: Decision) -> tuple[str, ModelState]:
    """The one model that `decision` changes, and how it would be served. Raises RefusedError."""
    for change in decision.diff:
        if not change.field.startswith("models."):
            raise RefusedError(change.field, f"{change.field} holds for the whole fleet, {_NO_SHARE}")
    changed = [name for name, state in decision.desired.models.items() if state != before.models[name]]
    if not changed:
        raise RefusedError("candidate", "the candidate is what is in force: there is nothing to compare")
    if len(changed) > 1:
        raise RefusedError("candidate", f"an experiment is about one model; this changes {', '.join(sorted(changed))}")
    model = changed[0]
    for change in decision.diff:
        own = change.field.removeprefix(f"models.{model}.")
        if not any(own == field or own.startswith(f"{field}.") for field in ROUTED):
            raise RefusedError(change.field, f"{own} holds for all requests of a model, {_NO_SHARE}")
    return model, decision.desired.models[model]
