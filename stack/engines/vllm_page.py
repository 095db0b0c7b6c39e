"""Whether an exposition is one vLLM engine's, and of which model."""

from __future__ import annotations

from collections.abc import Iterable

from stack.engines import vllm_quantities as vq
from stack.engines.samples import Sample, Samples

# production-stack's router tells some of vLLM's names again, by this label.
_REPEATED = "server"


def fault(samples: Samples) -> str | None:
    """Why these samples are not one engine's, None where they are: sums over them would be nobody's."""
    told = _told(samples)
    if not told:
        return "no vLLM series"
    if any(_REPEATED in sample.labels for sample in told):
        return "a router's series, not an engine's"
    models = _models(told)
    return f"series of {len(models)} models" if len(models) > 1 else None


def model(samples: Samples) -> str | None:
    """The name that the engine serves its model by, None where its series bear none, or several."""
    models = _models(_told(samples))
    return models.pop() if len(models) == 1 else None


def _told(samples: Samples) -> list[Sample]:
    return [sample for quantity in (vq.PROMPT, vq.RUNNING) for name in sorted(quantity.names) for sample in samples.of(name)]


def _models(told: Iterable[Sample]) -> set[str]:
    return {sample.labels["model_name"] for sample in told if "model_name" in sample.labels}
