"""Control asks for alerts as those who know them want to be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from stack.adapters.http_config import HttpConfigError
from stack.api.settings import ControlSettings, ListedPools
from stack.control.alert_ports import AlertSourceError
from stack.wiring.control_alerts import watchers
from tests.guarded import Asked, guarded


def _settings(folder: Path, url: str, config: str) -> ControlSettings:
    (folder / "token").write_text("let me in\n")
    (folder / "http.yaml").write_text(config)
    return ControlSettings(
        host="127.0.0.1",
        port=0,
        state_dir=folder,
        pools=ListedPools(folder),
        alertmanager_url=f"{url}/alertmanager",
        alertmanager_config=folder / "http.yaml",
        prometheus_url=f"{url}/prometheus",
        prometheus_config=folder / "http.yaml",
    )


async def test_alertmanager_and_prometheus_are_asked_with_what_the_files_say(tmp_path: Path) -> None:
    asked: list[Asked] = []

    def check(request: Asked) -> bool:
        asked.append(request)
        return False

    config = "authorization: {credentials_file: token}\nhttp_headers: {X-Scope-OrgID: {values: [llm]}}\n"
    with guarded(check) as url:
        async with watchers(_settings(tmp_path, url, config)) as there:
            assert there.alertmanager is not None
            assert there.prometheus is not None
            with pytest.raises(AlertSourceError, match="Alertmanager answered 401: nobody known"):
                await there.alertmanager.silences()
            with pytest.raises(AlertSourceError, match="Prometheus answered 401"):
                await there.prometheus.alerts()
    assert [(one.path, one.headers["authorization"], one.headers["x-scope-orgid"]) for one in asked] == [
        ("/alertmanager/api/v2/silences", "Bearer let me in", "llm"),
        ("/prometheus/api/v1/alerts", "Bearer let me in", "llm"),
    ]


async def test_a_file_that_makes_no_sense_is_said_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(HttpConfigError):
        async with watchers(_settings(tmp_path, "http://127.0.0.1:9", "autorisation: {}\n")):
            pass


async def test_where_nobody_said_where_they_are_nobody_is_asked(tmp_path: Path) -> None:
    settings = ControlSettings(host="127.0.0.1", port=0, state_dir=tmp_path, pools=ListedPools(tmp_path))
    async with watchers(settings) as there:
        assert (there.alertmanager, there.prometheus) == (None, None)
        assert "KvdeckHotspot" in there.runbooks
