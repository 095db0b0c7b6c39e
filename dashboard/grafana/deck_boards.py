"""Routing, and the exporter about itself."""

from __future__ import annotations

from dashboard.grafana.document import FLEET, MODEL, POOL, WINDOW, Board
from dashboard.grafana.shapes import Needs, Panel, Row, Shape
from stack.metrics import foreign_queries, routing_queries

_FOREIGN = "Empty without --router, and where that product does not say it."

ROUTING_BOARD = Board(
    "kvdeck-routing", "kvdeck / Routing", "Which engine requests were sent to, why, and what stood in the way.",
    (
        Row(
            "Decisions",
            (
                Panel("By strategy, path and engine", (routing_queries.decisions(MODEL, WINDOW),), Needs.ROUTER),
                Panel("By reason", (routing_queries.decision_reasons(MODEL, WINDOW),), Needs.ROUTER),
                Panel(
                    "Fallbacks", (routing_queries.fallbacks(MODEL, WINDOW),), Needs.ROUTER, empty="Empty until there is one.",
                ),
                Panel("In flight", (routing_queries.in_flight(POOL),), Needs.ROUTER),
                Panel("Health", (routing_queries.engine_health(POOL),), Needs.ROUTER, Shape.TABLE),
                Panel("Pools, desired and ready", (routing_queries.pool_replicas(POOL),), Needs.CONTROL),
                Panel("Generations behind", (routing_queries.generation_lag(FLEET),), Needs.CONTROL, Shape.STAT),
            ),
        ),
        Row(
            "Other products' routers",
            (
                Panel(
                    "Requests of other routers", (foreign_queries.requests(FLEET, WINDOW), foreign_queries.failed(FLEET, WINDOW)),
                    Needs.EXPORTER, names=("all", "failed"), empty=_FOREIGN,
                ),
                Panel("Sent to each engine", (foreign_queries.sent(FLEET, WINDOW),), Needs.EXPORTER, empty=_FOREIGN),
                Panel("Under way at each engine", (foreign_queries.in_flight(FLEET),), Needs.EXPORTER, empty=_FOREIGN),
                Panel(
                    "Engines held for unhealthy", (foreign_queries.unhealthy(FLEET),), Needs.EXPORTER, Shape.TABLE,
                    empty=f"Empty is good. {_FOREIGN}",
                ),
                Panel(
                    "Mean times of other routers",
                    (foreign_queries.duration(FLEET, WINDOW), foreign_queries.first_byte(FLEET, WINDOW)), Needs.EXPORTER,
                    names=("whole", "first byte"), empty=_FOREIGN,
                ),
            ),
        ),
    ),
)  # fmt: skip

EXPORTER_BOARD = Board(
    "kvdeck-exporter", "kvdeck / Exporter", "What the exporter can read, how long it takes, how each quantity is known.",
    (
        Row(
            "Targets",
            (
                Panel(
                    "Targets that cannot be read", (routing_queries.collectors_failing(FLEET),), Needs.EXPORTER, Shape.TABLE,
                    empty="Empty is good.", runbook="KvdeckCollectorFailing",
                ),
                Panel("Time by target", (routing_queries.collector_seconds(FLEET),), Needs.EXPORTER),
                Panel("Quantities by state", (routing_queries.quantity_states(FLEET),), Needs.EXPORTER, Shape.TABLE),
                Panel("Engines by version", (routing_queries.engine_versions(MODEL),), Needs.EXPORTER, Shape.STAT),
            ),
        ),
    ),
)  # fmt: skip
