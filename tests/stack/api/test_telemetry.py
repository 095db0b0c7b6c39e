"""Control's exposition is exactly what is asked, desired and ready."""

from pathlib import Path

from stack.control.access import Role
from stack.metrics.catalog import CATALOG
from stack.metrics.family import Emitter
from tests.alerts.promtool import faults_of
from tests.grants import Known, bearer, grant
from tests.stack.api.deck import deck


async def test_the_exposition_counts_changes_and_shows_pools(tmp_path: Path) -> None:
    async with deck(tmp_path, tokens=Known([grant("ann", Role.ADMIN)])) as one:
        one.http.headers.update(bearer("ann"))
        router = one.router()
        await router.follow()
        await one.patch({"pools": {"decode": {"replicas": 3}}})
        await one.patch({"strategy": "nonsense"})
        await one.patch({"strategy": "session"}, dry_run="1")
        text = (await one.http.get("/metrics")).text
    lines = text.splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        'kvdeck_control_changes_total{outcome="applied"} 1.0',
        'kvdeck_control_changes_total{outcome="dry_run"} 1.0',
        'kvdeck_control_changes_total{outcome="refused"} 1.0',
        'kvdeck_control_changes_total{outcome="stale"} 0.0',
        'kvdeck_control_changes_total{outcome="invalid"} 0.0',
        'kvdeck_control_changes_total{outcome="failed"} 0.0',
        "kvdeck_control_slow_readers_total 0.0",
        'kvdeck_control_refused_requests_total{reason="unauthorized"} 0.0',
        'kvdeck_control_refused_requests_total{reason="forbidden"} 0.0',
        'kvdeck_control_refused_requests_total{reason="mode"} 0.0',
        "kvdeck_control_generation 2.0",
        'kvdeck_control_mode{mode="live"} 1.0',
        'kvdeck_control_experiment_running{model_name="smollm2"} 0.0',
        'kvdeck_control_pool_replicas{model_name="smollm2",pool="prefill",state="desired"} 1.0',
        'kvdeck_control_pool_replicas{model_name="smollm2",pool="prefill",state="ready"} 1.0',
        'kvdeck_control_pool_replicas{model_name="smollm2",pool="prefill",state="drained"} 0.0',
        'kvdeck_control_pool_replicas{model_name="smollm2",pool="decode",state="desired"} 3.0',
        'kvdeck_control_pool_replicas{model_name="smollm2",pool="decode",state="ready"} 2.0',
        'kvdeck_control_pool_replicas{model_name="smollm2",pool="decode",state="drained"} 0.0',
        "kvdeck_control_token_file_faults_total 0.0",
    ]
    assert faults_of(text) == ""
    emitted = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert emitted == {name for name, family in CATALOG.items() if family.emitter is Emitter.CONTROL}
