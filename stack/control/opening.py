"""Which desired state control begins with: the one it kept, or the configured one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from stack.control.ports import Kept
from stack.control.refusal import RefusedError
from stack.control.state import Desired
from stack.control.valid import validated


class NoDesiredStateError(ValueError):
    """Nothing says what is desired; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Opening:
    """`kept` is in force from the start; it is `new` when it must be kept first. `reason` is a sentence for log and audit."""

    kept: Kept
    new: bool
    reason: str


def opening(kept: Kept | None, configured: Desired | None, strategies: Collection[str], *, new_run: bool = False) -> Opening:
    """What was kept wins, so that a restart undoes nobody's change; unless it is for other models, or no longer valid.

    With `new_run` the whole stack was started anew, by somebody who said how: then the configuration wins.

    Raises NoDesiredStateError, and RefusedError when the configuration is to be used and makes no sense.
    """
    if kept is None:
        if configured is None:
            raise NoDesiredStateError("nothing says what is desired yet: pass --config FILE with a 'desired:' section")
        return Opening(Kept(1, validated(configured, strategies)), True, "first start: the configured state is in force")
    if new_run and configured is not None:
        return _configured(kept, configured, strategies, "the stack was started anew")
    try:
        valid = validated(kept.desired, strategies)
    except RefusedError as error:
        if configured is None:
            raise
        return _configured(kept, configured, strategies, f"the kept state is not valid any more ({error.message})")
    if configured is None or set(configured.models) == set(valid.models):
        wins = " and wins over the configured one" if configured not in (None, valid) else ""
        without = f", without {', '.join(kept.ignored)} of a newer release (schema {kept.schema})" if kept.ignored else ""
        reason = f"the state kept before the restart is in force{wins}{without}"
        return Opening(replace(kept, desired=valid), False, reason)
    served = f"the models differ (kept: {_names(valid)}; configured: {_names(configured)})"
    return _configured(kept, configured, strategies, served)


def _configured(kept: Kept, configured: Desired, strategies: Collection[str], why: str) -> Opening:
    after = Kept(kept.generation + 1, validated(configured, strategies))
    return Opening(after, True, f"{why}: the configured state is in force")


def _names(desired: Desired) -> str:
    return ", ".join(sorted(desired.models))
