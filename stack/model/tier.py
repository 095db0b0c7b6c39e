"""Where KV cache lives, and where a prompt token's KV came from."""

from enum import StrEnum


class Tier(StrEnum):
    """A place that holds KV cache."""

    ENGINE = "engine"
    L1 = "l1"
    L2 = "l2"


class Source(StrEnum):
    """Where the KV of one prompt token came from; the sources of an engine sum to its prompt tokens."""

    ENGINE = "engine"
    L1 = "l1"
    L2 = "l2"
    PEER = "peer"
    COMPUTED = "computed"
    UNKNOWN = "unknown"


class Pool(StrEnum):
    """The two halves of a disaggregated fleet; without prefill replicas `decode` does both."""

    PREFILL = "prefill"
    DECODE = "decode"


class Path(StrEnum):
    """How a request travels: one engine, or prefill -> KV transfer -> decode."""

    DIRECT = "direct"
    DPD = "dpd"
