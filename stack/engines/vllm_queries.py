"""What vLLM itself says, asked of Prometheus without kvdeck's exporter: newest names first, older ones after `or`.

`server=""`: production-stack's router repeats some of vLLM's names with the label `server`. The rank (`engine`) is summed away.
"""

from __future__ import annotations

from collections.abc import Iterable

from stack.engines import vllm_names as names
from stack.engines import vllm_quantities as vq
from stack.engines.quantities import Alias, Quantity
from stack.metrics.family import Label
from stack.metrics.promql import EVERYWHERE, Where, aggregate, matchers, quantile_of, ratio, total
from stack.metrics.queries import Query

WINDOW = "5m"
_ENGINE = (Label.MODEL_NAME, Label.INSTANCE)
_MODEL = (Label.MODEL_NAME,)


def requests(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """By how they ended."""
    expr = f"sum by (cluster, namespace, model_name, finished_reason) (rate({_named(names.REQUEST_SUCCESS.name, where)}[{window}]))"
    return Query(expr, "requests/s", _MODEL, "Requests that engines finished, by model and how they ended.")


def running(where: Where = EVERYWHERE) -> Query:
    return Query(total(_now(vq.RUNNING, where), _ENGINE), "requests", _ENGINE, "Requests that run in each engine.")


def waiting(where: Where = EVERYWHERE) -> Query:
    text = "Requests that wait in each engine; an idle or hanging engine does not refresh them."
    return Query(total(_now(vq.WAITING, where), _ENGINE), "requests", _ENGINE, text)


def kv_used(where: Where = EVERYWHERE) -> Query:
    text = "Used share of each engine's own KV cache; of several ranks, the fullest."
    return Query(aggregate("max", _now(vq.KV_USED, where), _ENGINE), "ratio", _ENGINE, text)


def prompt_tokens(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return Query(total(_rate(vq.PROMPT, where, window), _ENGINE), "tokens/s", _ENGINE, "Prompt tokens each engine took in.")


def generated_tokens(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return Query(total(_rate(vq.GENERATED, where, window), _ENGINE), "tokens/s", _ENGINE, "Tokens each engine generated.")


def preemptions(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Running requests whose KV blocks an engine took away; their prompts are computed again."
    return Query(total(_rate(vq.PREEMPTIONS, where, window), _ENGINE), "1/s", _ENGINE, text)


def time_to_first_token(q: float, where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return _quantile(vq.TTFT, q, where, window, "of requests got their first token from the engine within this time.")


def inter_token_latency(q: float, where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return _quantile(vq.ITL, q, where, window, "of tokens followed the one before within this time, in the engine.")


def queue_mean(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return _mean(vq.QUEUE_TIME, where, window, "Mean time of a request in an engine's queue.")


def prefill_mean(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return _mean(vq.PREFILL_TIME, where, window, "Mean time from an engine's queue to the first token.")


def decode_mean(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return _mean(vq.DECODE_TIME, where, window, "Mean time from the first token to the last.")


def prefix_hit_ratio(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    """A ratio, since the oldest versions count blocks and the others tokens."""
    found, asked = (total(_rate(quantity, where, window), _MODEL) for quantity in (vq.FOUND, vq.LOOKED_UP))
    return Query(ratio(found, asked), "ratio", _MODEL, "What engines found in their own prefix cache, of what they looked up.")


def external_hit_ratio(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    found, asked = (total(_rate(quantity, where, window), _MODEL) for quantity in (vq.EXTERNAL_FOUND, vq.EXTERNAL_LOOKED_UP))
    text = "Tokens that the KV connector (LMCache, a peer) found, of those it was asked for. Needs vLLM 0.11.2 or later."
    return Query(ratio(found, asked), "ratio", _MODEL, text)


def nixl_throughput(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return Query(total(_rate(vq.NIXL_BYTES, where, window), _ENGINE), "bytes/s", _ENGINE, "KV received over NIXL, over all time.")


def nixl_bandwidth(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    moved, took = total(_rate(vq.NIXL_BYTES, where, window), _MODEL), total(_rate(vq.NIXL_TIME, where, window, "_sum"), _MODEL)
    return Query(ratio(moved, took), "bytes/s", _MODEL, "KV received over NIXL, over the time that transfers took.")


def nixl_mean(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    return _mean(vq.NIXL_TIME, where, window, "Mean duration of one NIXL transfer.")


def nixl_failed(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "NIXL transfers that failed; failed notifications are among them already."
    return Query(total(_rate(vq.NIXL_FAILED, where, window), _ENGINE), "1/s", _ENGINE, text)


def nixl_expired(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "Requests whose KV expired on the prefill engine before anyone came."
    return Query(total(_rate(vq.NIXL_EXPIRED, where, window), _ENGINE), "1/s", _ENGINE, text)


def offload_loaded(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "KV loaded from the engines' own offloading."
    return Query(total(_rate(vq.LOADED_BYTES, where, window), _ENGINE), "bytes/s", _ENGINE, text)


def offload_stored(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    text = "KV stored by the engines' own offloading."
    return Query(total(_rate(vq.STORED_BYTES, where, window), _ENGINE), "bytes/s", _ENGINE, text)


def _quantile(quantity: Quantity, q: float, where: Where, window: str, text: str) -> Query:
    return Query(quantile_of(q, _rate(quantity, where, window, "_bucket"), _MODEL), "seconds", _MODEL, f"{q:.0%} {text}")


def _mean(quantity: Quantity, where: Where, window: str, text: str) -> Query:
    time, count = (total(_rate(quantity, where, window, part), _MODEL) for part in ("_sum", "_count"))
    return Query(ratio(time, count), "seconds", _MODEL, text)


def _now(quantity: Quantity, where: Where) -> str:
    return " or ".join(_once(_selector(alias, where) for alias in quantity.aliases))


def _rate(quantity: Quantity, where: Where, window: str, part: str = "") -> str:
    """Of each series under its newest name. What an alias tells apart by a label is taken out, so that `or` sees one thing."""
    return " or ".join(_once(_apart(alias, f"rate({_selector(alias, where, part)}[{window}])") for alias in quantity.aliases))


def _apart(alias: Alias, expression: str) -> str:
    return expression if alias.where is None else f"sum without ({alias.where[0]}) ({expression})"


def _selector(alias: Alias, where: Where, part: str = "") -> str:
    extra = "" if alias.where is None else f',{alias.where[0]}="{alias.where[1]}"'
    return _named(f"{alias.name}{part}", where, extra)


def _named(name: str, where: Where, extra: str = "") -> str:
    return f'{name}{{server=""{extra}{"," if where else ""}{matchers(where)}}}'


def _once(parts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(parts))
