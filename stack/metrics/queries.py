"""The questions the product asks of Prometheus, each with its unit and its meaning.

`where` narrows a query (usually to one model), `window` is PromQL's range: at least four scrapes.
"""

from __future__ import annotations

from dataclasses import dataclass

from stack.metrics import catalog
from stack.metrics.family import Family, Label
from stack.metrics.promql import EVERYWHERE, KEPT, Where, aggregate, quantile, rate, ratio, selector, total
from stack.model.tier import Pool

WINDOW = "1m"


@dataclass(frozen=True, slots=True)
class Query:
    """One expression: `by` are the labels that tell its series apart, `help` says how to read it."""

    expr: str
    unit: str
    by: tuple[Label, ...]
    help: str

    @property
    def legend(self) -> str:
        """The series' name as a template of its labels."""
        return " ".join(f"{{{{{label}}}}}" for label in self.by)


# What clients see


def requests(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.CODE,)
    return Query(rate(catalog.ROUTER_REQUESTS, by, where, window), "requests/s", by, "Requests answered, by class of status.")


def time_to_first_token(q: float, where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.PATH,)
    text = f"{q:.0%} of streamed requests got their first token within this time."
    return Query(quantile(q, catalog.ROUTER_TTFT, by, where, window), "seconds", by, text)


def inter_token_latency(q: float, where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.PATH,)
    text = f"{q:.0%} of tokens followed the one before within this time."
    return Query(quantile(q, catalog.ROUTER_ITL, by, where, window), "seconds", by, text)


def phase_quantile(q: float, where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.PATH, Label.PHASE)
    text = f"{q:.0%} of requests spent at most this time in the phase. Quantiles of phases do not add up; means do."
    return Query(quantile(q, catalog.ROUTER_PHASE_DURATION, by, where, window), "seconds", by, text)


def phase_means(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.PATH, Label.PHASE)
    expr = _mean(catalog.ROUTER_PHASE_DURATION, by, where, window)
    return Query(expr, "seconds", by, "Mean time of a request in each phase, over the requests that had the phase.")


# Where prompt tokens came from


def waterfall(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.SOURCE,)
    expr = rate(catalog.PROMPT_TOKENS, by, {Label.POOL: Pool.DECODE, **where}, window)
    text = "Prompt tokens by where their KV came from, each client request once (the decode pool's view). l1, l2: estimates."
    return Query(expr, "tokens/s", by, text)


def waterfall_shares(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.SOURCE,)
    decode = {Label.POOL: Pool.DECODE, **where}
    parts, whole = (rate(catalog.PROMPT_TOKENS, labels, decode, window) for labels in (by, ()))
    expr = f"{parts} / on ({', '.join(KEPT)}) group_left () ({whole} > 0)"
    return Query(expr, "ratio", by, "Share of prompt tokens by where their KV came from (the decode pool's view).")


def prefill_waterfall(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.SOURCE,)
    expr = rate(catalog.PROMPT_TOKENS, by, {Label.POOL: Pool.PREFILL, **where}, window)
    return Query(expr, "tokens/s", by, "What the prefill pool did for the tokens that the decode pool got from a peer.")


def waterfall_of_engines(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.POOL, Label.REPLICA, Label.SOURCE)
    text = "Prompt tokens of each engine by source. A disaggregated request counts on both engines: do not sum over pools."
    return Query(rate(catalog.PROMPT_TOKENS, by, where, window), "tokens/s", by, text)


def hit_ratio(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.TIER,)
    hits, lookups = (rate(family, by, where, window) for family in (catalog.CACHE_HIT_TOKENS, catalog.CACHE_LOOKUP_TOKENS))
    text = "Tokens a tier found, of those it was asked for. Each tier has its own denominator; no value when nothing was asked."
    return Query(ratio(hits, lookups), "ratio", by, text)


# Tiers


def used_ratio(where: Where = EVERYWHERE) -> Query:
    by = (Label.TIER, Label.REPLICA)
    text = "Used share of each tier, as its owner reports it."
    return Query(aggregate("max", selector(catalog.CACHE_USED_RATIO, where), by), "ratio", by, text)


def used_bytes(where: Where = EVERYWHERE) -> Query:
    by = (Label.TIER, Label.REPLICA)
    return Query(aggregate("max", selector(catalog.CACHE_USED_BYTES, where), by), "bytes", by, "Bytes each tier holds.")


def capacity_bytes(where: Where = EVERYWHERE) -> Query:
    by = (Label.TIER, Label.REPLICA)
    return Query(aggregate("max", selector(catalog.CACHE_CAPACITY_BYTES, where), by), "bytes", by, "Bytes each tier can hold.")


def evicted_blocks(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.BACKEND,)
    return Query(rate(catalog.CACHE_EVICTED_BLOCKS, by, where, window), "blocks/s", by, "Blocks that left an engine's own cache.")


def evicted_chunks(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.REPLICA, Label.TIER)
    return Query(rate(catalog.CACHE_EVICTED_CHUNKS, by, where, window), "chunks/s", by, "Chunks that LMCache evicted by itself.")


def evicted_keys(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.REPLICA,)
    return Query(rate(catalog.CACHE_EVICTED_KEYS, by, where, window), "keys/s", by, "Keys that the store evicted.")


def residency(q: float, where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.TIER, Label.EVENT)
    text = f"{q:.0%} of sampled blocks lived, lay unused before eviction, or waited for their next use at most this long."
    return Query(quantile(q, catalog.CACHE_RESIDENCY, by, where, window), "seconds", by, text)


# KV transfer


def transfer_throughput(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.REPLICA, Label.TRANSPORT)
    return Query(rate(catalog.KV_TRANSFER_BYTES, by, where, window), "bytes/s", by, "KV moved, over all time.")


def transfer_bandwidth(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.TRANSPORT,)
    moved = rate(catalog.KV_TRANSFER_BYTES, by, where, window)
    took = rate(catalog.KV_TRANSFER_DURATION, by, where, window, "_sum")
    return Query(ratio(moved, took), "bytes/s", by, "KV received, over the time that transfers took.")


def transfer_failures(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.REPLICA, Label.REASON)
    return Query(rate(catalog.KV_TRANSFER_FAILURES, by, where, window), "1/s", by, "KV transfers that failed, or came too late.")


# Engines


def engine_requests(where: Where = EVERYWHERE) -> Query:
    by = (Label.POOL, Label.REPLICA, Label.STATE)
    text = "Requests running in and waiting for each engine; an idle engine does not refresh them."
    return Query(total(selector(catalog.ENGINE_REQUESTS, where), by), "requests", by, text)


def generated_tokens(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.POOL, Label.REPLICA)
    return Query(rate(catalog.ENGINE_GENERATED_TOKENS, by, where, window), "tokens/s", by, "Tokens each engine generated.")


def preemptions(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.POOL, Label.REPLICA)
    text = "Running requests whose KV blocks an engine took away; their prompts are computed again."
    return Query(rate(catalog.ENGINE_PREEMPTIONS, by, where, window), "1/s", by, text)


def engine_phase_means(where: Where = EVERYWHERE, window: str = WINDOW) -> Query:
    by = (Label.POOL, Label.PHASE)
    text = "Mean time of a request in an engine's queue, prefill and decode."
    return Query(_mean(catalog.ENGINE_PHASE_DURATION, by, where, window), "seconds", by, text)


def _mean(family: Family, by: tuple[Label, ...], where: Where, window: str) -> str:
    return ratio(rate(family, by, where, window, "_sum"), rate(family, by, where, window, "_count"))
