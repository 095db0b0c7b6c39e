"""What a change does, as values that explain themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stack.control.cache_effects import ChangeQuotas, ResizeL1
from stack.control.choosing_effects import ChangeSessionKeys, SwitchFallback, SwitchStrategy
from stack.control.counterpart import ChangeElsewhere
from stack.control.dpd_effects import ChangeMinUncached, ChangeThreshold, SwitchDpd, SwitchProtocol
from stack.control.drained import DrainEngines, ForgetDrained, ReturnEngines
from stack.control.parameters import ChangeParameter
from stack.control.pool_effects import ChangeBounds, ChangeDrainTime, ChangePrice
from stack.control.rails import Forced
from stack.control.scaling import ChangeRole, GrowPool, ShrinkPool
from stack.control.tier_effects import LimitStore, SwitchEviction
from stack.control.trial_effects import EndExperiment


@dataclass(frozen=True, slots=True)
class ChangeLimits:
    """How much of a model each router takes at once, in words."""

    kind: ClassVar[str] = "change_limits"
    model: str
    before: str
    after: str

    @property
    def sentence(self) -> str:
        return f"Each router takes at once: {self.after} (until now: {self.before}). Beyond that requests are refused with 429."


@dataclass(frozen=True, slots=True)
class ChangeShadowShare:
    """On how many of the requests the other strategies decide along."""

    kind: ClassVar[str] = "change_shadow_share"
    model: str
    before: float
    after: float

    @property
    def sentence(self) -> str:
        return (
            f"The other strategies decide along on {self.after:.4g} of the requests, to be compared (until now {self.before:.4g})."
        )


@dataclass(frozen=True, slots=True)
class SwitchStalledEjection:
    """Whether engines that work on something and say nothing keep getting requests."""

    kind: ClassVar[str] = "switch_stalled_ejection"
    model: str
    enabled: bool

    @property
    def sentence(self) -> str:
        if self.enabled:
            return "An engine that is stalled gets no new requests for a while, then one as a trial; never more than half a pool."
        return "An engine that is stalled is reported and keeps getting requests."


Effect = (
    SwitchStrategy
    | SwitchFallback
    | ChangeSessionKeys
    | SwitchDpd
    | SwitchProtocol
    | ChangeThreshold
    | ChangeMinUncached
    | ChangeLimits
    | ChangeShadowShare
    | SwitchStalledEjection
    | Forced
    | ChangeParameter
    | ChangeBounds
    | ChangeDrainTime
    | ChangePrice
    | DrainEngines
    | ReturnEngines
    | ForgetDrained
    | GrowPool
    | ShrinkPool
    | ChangeRole
    | LimitStore
    | SwitchEviction
    | ChangeElsewhere
    | ResizeL1
    | ChangeQuotas
    | EndExperiment
)
