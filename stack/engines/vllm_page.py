"""Whether an exposition is one vLLM engine's."""

from __future__ import annotations

from stack.engines import vllm_quantities as vq
from stack.engines.samples import Samples

# production-stack's router tells some of vLLM's names again, by this label.
_REPEATED = "server"


def fault(samples: Samples) -> str | None:
    """Why these samples are not one engine's, None where they are: sums over them would be nobody's."""
    told = [sample for quantity in (vq.PROMPT, vq.RUNNING) for name in sorted(quantity.names) for sample in samples.of(name)]
    if not told:
        return "no vLLM series"
    if any(_REPEATED in sample.labels for sample in told):
        return "a router's series, not an engine's"
    models = {sample.labels["model_name"] for sample in told if "model_name" in sample.labels}
    return f"series of {len(models)} models" if len(models) > 1 else None
