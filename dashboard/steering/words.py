"""The fields of the desired state in the operator's words: what each is called on the page, in which unit, and what it does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A field's label, with its unit, and its meaning."""

    label: str
    help: str


OF_A_POOL = {
    "bounds.min": Word("At least (engines)", "No change may set the pool to fewer engines."),
    "bounds.max": Word("At most (engines)", "No change may set the pool to more engines."),
    "drain_seconds": Word(
        "Drain for (s)", "How long an engine that leaves has for the requests in flight; empty: control's own setting."
    ),
    "protocol": Word("P/D protocol", "How the pool's engines hand KV over; empty: nixl."),
    "gpu_hour_price": Word("Price of a GPU hour", "In any currency; decides nothing but what reports say a token costs."),
    "gpus_per_engine": Word("GPUs an engine", "For the cost in reports."),
}
OTHERS = {
    "session_keys": Word(
        "Session keys", "Where a request's session is looked for, in order: header:NAME, cookie:NAME or body:FIELD."
    ),
    "shadow_share": Word("Compared share (0 to 1)", "Of this share of requests the other strategies decide along, to be compared."),
    "eject_stalled": Word("Eject stalled engines", "An engine that says nothing for too long gets no new requests for a while."),
    "limits.in_flight": Word(
        "In flight, all engines", "Requests of the model that each router has under way at once; empty: no limit."
    ),
    "limits.in_flight_per_engine": Word(
        "In flight, each engine", "Requests at once on each engine of either pool; empty: no limit."
    ),
    "limits.queue": Word(
        "Waiting, all", "Requests that wait in each router for their turn; the rest is refused with 429. 0: none."
    ),
    "limits.queue_per_engine": Word("Waiting, each engine", "The same for each ready decode engine; empty: no limit of its own."),
    "limits.queue_seconds": Word("Waiting at most (s)", "After that a request is refused with 429."),
    "tiers.l1.bytes": Word("L1 of each cache server (bytes)", "The cache servers' own memory; empty: as each was started."),
    "tiers.l2.store.maxmemory_bytes": Word("Store's maxmemory (bytes)", "Of the Redis or Valkey that is L2; empty: as it has it."),
    "tiers.l2.store.eviction_policy": Word(
        "Store's eviction policy", "What the store evicts when it is full; empty: as it has it."
    ),
}


def word(path: str) -> Word:
    """The words for the field at `path`. Raises KeyError."""
    _, _, of_a_pool = path.removeprefix("pools.").partition(".")
    return OF_A_POOL[of_a_pool] if path.startswith("pools.") else OTHERS[path]
