"""What the questions about engines find in a fleet of three: one stays, one leaves, one comes."""

import subprocess
from pathlib import Path
from typing import Any

import yaml

from stack.metrics import engine_queries
from stack.metrics.family import Label
from stack.metrics.promql import Pattern
from tests.alerts.promtool import tool

ENGINE = 'model_name="m", pool="decode", replica="{}"'
INFO = "kvdeck_target_info{{" + ENGINE + ', version="0.32", emulated="false"}}'
SERIES = {
    INFO.format("stays"): "1x40",
    INFO.format("leaves"): "1x19 stale",
    INFO.format("comes"): "_x29 1x11",
    'kvdeck_engine_requests{' + ENGINE.format("stays") + ', state="running"}': "3x40",
    'kvdeck_router_in_flight_requests{model_name="m", pool="decode", backend="stays"}': "4x40",
    'kvdeck_cache_hit_tokens_total{' + ENGINE.format("stays") + ', tier="engine"}': "0+30x40",
    'kvdeck_cache_lookup_tokens_total{' + ENGINE.format("stays") + ', tier="engine"}': "0+60x40",
    'kvdeck_router_engine_health{model_name="m", pool="decode", backend="stays", state="ready"}': "1x40",
    'kvdeck_router_engine_health{model_name="m", pool="decode", backend="comes", state="ready"}': "_x29 0x11",
    'kvdeck_scrape_collector_success{collector="engines", target="comes"}': "_x29 0x11",
}  # fmt: skip
AT = "10m"  # four scrapes a minute


def _check(expr: str, found: dict[str, float]) -> dict[str, Any]:
    return {
        "expr": expr,
        "eval_time": AT,
        "exp_samples": [{"labels": f"{{{labels}}}", "value": value} for labels, value in found.items()],
    }


def _own(quantity: str, **others: str) -> str:
    more = "".join(f', {name}="{value}"' for name, value in others.items())
    return f'model_name="m", pool="decode", replica="stays", quantity="{quantity}"{more}'


def test_what_is_asked_of_engines_is_found_by_engine_quantity_and_event(tmp_path: Path) -> None:
    event = 'model_name="m", pool="decode", replica="{}", event="{}"'
    comings = engine_queries.comings(length="9m", step="15s").expr
    checks = [
        _check(comings, {event.format("comes", "joined"): 435, event.format("leaves", "left"): 285, 'event="since"': 60}),
        _check(
            engine_queries.engines({Label.REPLICA: Pattern("stays|comes")}).expr,
            {_own("running", state="running"): 3, _own("in_flight"): 4, _own("hits_engine", tier="engine"): 0.5},
        ),
        _check(
            engine_queries.listing().expr,
            {
                _own("health", state="ready"): 1,
                'collector="engines", target="comes", quantity="unread"': 0,
                _own("listed", version="0.32", emulated="false"): 0,
                'model_name="m", pool="decode", replica="comes", quantity="listed", version="0.32", emulated="false"': 0,
            },
        ),
        _check(engine_queries.course().expr, {'quantity="health", state="ready"': 1, 'quantity="listed"': 2}),
    ]
    series = [{"series": name, "values": values} for name, values in SERIES.items()]
    case = tmp_path / "engines.yaml"
    case.write_text(yaml.safe_dump({"tests": [{"interval": "15s", "input_series": series, "promql_expr_test": checks}]}))
    done = subprocess.run([tool("promtool"), "test", "rules", case], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
