"""What a panel or a rule cannot find in a feed, and why."""

from tests.expressions.feeds import DECLARED, EMULATED, EXPORTER, WATCHED, recorded, synthetic

LMCACHE = "lmcache-0.5.6-mp-server"
ENGINES = (*(name for name in recorded() if name.startswith("vllm-0.32")), *synthetic(), *EMULATED)
_NIXL_RECORDED = (
    "vllm-0.32-nixl-decode",
    "vllm-0.32-nixl-lmcache-decode",
    "vllm-0.32-nixl-lmcache-prefill",
    "vllm-0.32-nixl-prefill",
)
_FIRST, _LAST_OLD, _NEWEST = synthetic()
_NO_NIXL = ("vllm-0.32-native-tiering", "vllm-0.32-plain")

_OF_A_STORE = (
    "Store's keys evicted", "KV by model, bytes", "KV by model, keys", "Keys in the store", "Keys found of those looked up",
    "Keys dropped by the store",
    "PING", "Clients", "Persistence, replication, cluster", "Policy when full",
)  # fmt: skip
_OF_THE_NODE = (
    "Nodes whose daemon answers", "Nodes with its shared memory",
    "Over RDMA devices", "RDMA by operation", "Sent again and dropped", "Errors and waits", "Ports by node",
)  # fmt: skip
_OF_LMCACHE = (
    "LMCache's chunks evicted", "Bytes believed to be in L2", "Chunks loaded", "Stores to L2 that have not ended",
    "Counters in doubt",
)  # fmt: skip
_DID_NOT_HAPPEN = ("Chunks LMCache did not find any more", "Could not be loaded", "Had no room")
_OF_OTHER_ROUTERS = ("Requests of other routers", "Sent to each engine", "Under way at each engine", "Mean times of other routers")

# What a panel cannot show on a feed, by the panel's title. An entry that is wrong fails, too.
CANNOT: dict[str, dict[str, tuple[str, ...]]] = {
    "Alerts that fire": {"no alert fires": (*ENGINES,)},
    "Requests finished": {"the synthetic engines say quantities only, and this is none": (*synthetic(),)},
    "External cache hit ratio": {"not in vLLM before 0.11.2": (_FIRST,)},
    "Native offloading": {
        "recorded without offloading": ("vllm-0.32-plain", *_NIXL_RECORDED), "not in vLLM before 0.16": (_FIRST, _LAST_OLD),
    },
    "Throughput": {"recorded without NIXL": _NO_NIXL, "not in vLLM before 0.11.2": (_FIRST,)},
    "Bandwidth while transferring": {"recorded without NIXL": _NO_NIXL, "not in vLLM before 0.11.2": (_FIRST,)},
    "Mean duration": {"recorded without NIXL": _NO_NIXL, "not in vLLM before 0.11.2": (_FIRST,)},
    "Failed and expired": {"recorded without NIXL": _NO_NIXL, "not in vLLM before 0.11.2": (_FIRST,)},
    **{title: {"watched without a store": (EXPORTER, WATCHED)} for title in _OF_A_STORE},
    **{title: {"watched without what looks at the node": (EXPORTER, WATCHED)} for title in _OF_THE_NODE},
    **{title: {"watched without another router": (EXPORTER, WATCHED)} for title in _OF_OTHER_ROUTERS},
    "Residency, median": {"emulated engines do not tell it": (WATCHED,)},
    **{title: {"no LMCache": (WATCHED,)} for title in _OF_LMCACHE},
    **{title: {"it did not happen": (EXPORTER,), "no LMCache": (WATCHED,)} for title in _DID_NOT_HAPPEN},
    "Found and loaded, inside engines": {"recorded without LMCache inside": (EXPORTER,), "no LMCache": (WATCHED,)},
    "L2 in use against the one meant": {"watched without --l2.expected-url": (EXPORTER, WATCHED)},
    "Engines held for unhealthy": {"all are healthy": (EXPORTER, WATCHED, DECLARED)},
    "Targets that cannot be read": {"all can be read": (EXPORTER, WATCHED, DECLARED)},
}  # fmt: skip
# Selectors of rules that no feed has.
MISSING = {
    'vllm:time_per_output_token_seconds_bucket{le=~"0.1|0.15|0.2"}': "synthetic histograms have the buckets 1 and +Inf only",
    'kvdeck_router_index_error_tokens_bucket{le="1024.0"}': "synthetic histograms have the buckets 1 and +Inf only",
    'kvdeck_target_info{version=""}': "every engine told its version",
}
# Recording rules that no feed has a series of, although it has all they are made of.
SILENT = {
    "kvdeck:kv_transfer_off_fabric_bytes:rate5m": "no feed moves as much KV as is judged",
    "kvdeck:kv_transfer_below_fabric_speed_bytes_per_second:rate5m": "no feed moves as much KV as is judged",
}
