"""A running control, sent everything that its OpenAPI document allows, and much that it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

from tests.stack.wiring.control_process import furnish, running_control

pytestmark = pytest.mark.e2e

EXAMPLES = 40
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    furnish(tmp_path)
    with running_control(tmp_path, "--config", str(tmp_path / "config.yaml"), "--experiments") as process:
        yield process.url


def test_whatever_is_sent_is_answered_as_told(url: str) -> None:
    api = schemathesis.openapi.from_url(f"{url}/openapi.json")
    for found in api.exclude(path_regex="stream").get_all_operations():  # but the stream, which never ends
        _answered(url, found)


def _answered(url: str, found: Any) -> None:
    @given(found.ok().as_strategy())
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
    def answered(case: Any) -> None:
        if (
            case.path in ("/v1/state", "/v1/rollback", "/v1/experiments") and case.method != "GET"
        ):  # based on what is in force, so that the change itself is judged
            case.headers["If-Match"] = str(httpx.get(f"{url}/health", trust_env=False).json()["generation"])
        case.call_and_validate(checks=CHECKS, timeout=20)

    answered()
