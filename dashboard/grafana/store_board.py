"""L2: the store by its own word, beside what LMCache believes of it, and HyperPod's tiered storage."""

from __future__ import annotations

from dashboard.grafana.document import FLEET, MODEL, WINDOW, Board
from dashboard.grafana.shapes import Needs, Panel, Row, Shape
from stack.metrics import queries, store_queries

_STORE = "Empty without a Redis or Valkey store."
_SAMPLE = f"{_STORE} Estimates need SCAN and MEMORY USAGE."
_SWITCH = "Empty unless --collector.tier_daemon is on."

STORE_BOARD = Board(
    "kvdeck-store", "kvdeck / L2 store", "What the store holds and how it is, and what it dropped behind LMCache's back.",
    (
        Row(
            "Whose KV it holds",
            (
                Panel("KV by model, bytes", (store_queries.kv_bytes(MODEL),), Needs.EXPORTER, Shape.STACKED, empty=_SAMPLE),
                Panel("KV by model, keys", (store_queries.kv_keys(MODEL),), Needs.EXPORTER, Shape.STACKED, empty=_SAMPLE),
                Panel(
                    "Keys in the store", (store_queries.keys(FLEET), store_queries.sampled_keys(FLEET)), Needs.EXPORTER,
                    names=("all", "sampled"), empty=_STORE,
                ),
                Panel("Keys found of those looked up", (store_queries.found_ratio(FLEET, WINDOW),), Needs.EXPORTER, empty=_STORE),
            ),
        ),
        Row(
            "Behind LMCache's back",
            (
                Panel(
                    "Keys dropped by the store", (queries.evicted_keys(FLEET, WINDOW), store_queries.expired_keys(FLEET, WINDOW)),
                    Needs.EXPORTER, names=("evicted", "expired"), empty=_STORE, runbook="KvdeckL2EvictsUnseen",
                ),
                Panel(
                    "Chunks LMCache did not find any more", (store_queries.not_found(FLEET, WINDOW),), Needs.EXPORTER,
                    empty="Empty until it happened.", runbook="KvdeckL2EvictsUnseen",
                ),
                Panel(
                    "Bytes believed to be in L2", (store_queries.believed_bytes(FLEET),), Needs.EXPORTER,
                    empty="Empty without an LMCache server that has an L2.",
                ),
                Panel(
                    "L2 in use against the one meant", (store_queries.address_states(FLEET),), Needs.EXPORTER, Shape.TABLE,
                    empty="Empty without --l2.expected-url.",
                ),
            ),
        ),
        Row(
            "How it is",
            (
                Panel("PING", (store_queries.ping(FLEET),), Needs.EXPORTER, empty=_STORE),
                Panel("Clients", (store_queries.clients(FLEET),), Needs.EXPORTER, empty=_STORE),
                Panel(
                    "Persistence, replication, cluster",
                    (store_queries.persistence(FLEET), store_queries.replica_link(FLEET), store_queries.cluster(FLEET)),
                    Needs.EXPORTER, names=("persists", "replica linked", "cluster serves"), empty=_STORE,
                ),
                Panel("Policy when full", (store_queries.policies(FLEET),), Needs.EXPORTER, Shape.TABLE, empty=_STORE),
            ),
        ),
        Row(
            "HyperPod's tiered storage",
            (
                Panel("Nodes whose daemon answers", (store_queries.tier_daemon(FLEET),), Needs.EXPORTER, empty=_SWITCH),
                Panel(
                    "Nodes with its shared memory", (store_queries.tier_daemon_memory(FLEET),), Needs.EXPORTER, empty=_SWITCH,
                ),
            ),
        ),
    ),
)  # fmt: skip
