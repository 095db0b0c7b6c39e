"""How the API server is reached."""

from pathlib import Path

import certifi
import httpx
import pytest

from stack.kube.access import AccessError, from_kubeconfig, in_cluster
from stack.kube.api import client

POD = {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"}


@pytest.fixture
def account(tmp_path: Path) -> Path:
    for name, text in {"token": "first\n", "namespace": "llm\n", "ca.crt": Path(certifi.where()).read_text()}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


async def test_a_pod_asks_as_its_service_account_with_the_token_of_the_day(account: Path) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200)

    access = in_cluster(POD, account)
    async with client(access, httpx.MockTransport(answer)) as http:
        await http.get("/x")
        (account / "token").write_text("second\n")
        await http.get("/x")
    assert access.namespace == "llm"
    assert str(seen[0].url) == "https://10.96.0.1/x"
    assert [request.headers["authorization"] for request in seen] == ["Bearer first", "Bearer second"]


def test_ipv6_is_bracketed(account: Path) -> None:
    assert in_cluster(POD | {"KUBERNETES_SERVICE_HOST": "fd00::1"}, account).url == "https://[fd00::1]:443"


@pytest.mark.parametrize("environment", [{}, POD])
def test_who_is_in_no_pod_hears_it(environment: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(AccessError, match="not in a pod with a service account"):
        in_cluster(environment, tmp_path)


def test_a_kubeconfig_tells_server_namespace_and_token(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text("""
        apiVersion: v1
        kind: Config
        current-context: here
        contexts: [{name: here, context: {cluster: c, user: u, namespace: llm}}]
        clusters: [{name: c, cluster: {server: "https://kube.example:6443"}}]
        users: [{name: u, user: {token: secret}}]
    """)
    access = from_kubeconfig(file)
    assert (access.url, access.namespace, access.authorization()) == ("https://kube.example:6443", "llm", "Bearer secret")


def test_a_kubeconfig_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(AccessError, match="nowhere"):
        from_kubeconfig(tmp_path / "nowhere")
