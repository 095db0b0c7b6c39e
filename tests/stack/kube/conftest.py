"""Which API server the tests of this folder run against."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stack.kube.servers import RealServer, Servers


@pytest.fixture(params=["stand-in", pytest.param("real", marks=pytest.mark.kube)])
def api_server(request: pytest.FixtureRequest) -> Iterator[None]:
    """The stand-in; and, with KUBECONFIG, the server that it leads to."""
    if request.param == "stand-in":
        yield
        return
    Servers.real = RealServer.found()
    try:
        yield
    finally:
        Servers.real = None
