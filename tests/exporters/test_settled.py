"""The exporter's process has settled before it answers."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
import uvicorn

from exporters import serving
from exporters.settings import Settings


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    taken: list[str] = []
    handler = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(serving, "settle", lambda: taken.append("settled"))
    monkeypatch.setattr(uvicorn, "run", lambda *_, **__: taken.append("answers"))
    yield taken
    signal.signal(signal.SIGTERM, handler)


def test_it_settles_and_then_answers(steps: list[str]) -> None:
    serving.serve(Settings("127.0.0.1", 0, (), {}, 4.0))
    assert steps == ["settled", "answers"]
