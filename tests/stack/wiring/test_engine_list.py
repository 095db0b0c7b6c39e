"""A router reads its engines out of a file, or asks an API server for them and the engines for their model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx

from stack.adapters.target_file import TargetFile
from stack.kube.engine_pods import Selection
from stack.model.target import Target
from stack.model.tier import Pool
from stack.wiring.engine_list import engine_list
from stack.wiring.router_options import Pods, RouterOptions
from tests.stack.kube.hands import Hands
from tests.stack.kube.stand_in.api_server import StandIn
from tests.stack.kube.stand_in.transport import InProcess, served

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: here
clusters: [{{name: c, cluster: {{server: "{url}"}}}}]
users: [{{name: u, user: {{token: admin}}}}]
contexts: [{{name: here, context: {{cluster: c, user: u, namespace: serving}}}}]
"""


def options(targets: Path | Pods) -> RouterOptions:
    return RouterOptions(
        host="127.0.0.1", port=0, router_id="router-0", targets=targets, secret=b"s", engine_authorization="Bearer engine"
    )


def answer(request: httpx.Request) -> httpx.Response:
    told = request.headers["authorization"] == "Bearer engine" and request.url.path == "/v1/models"
    return httpx.Response(200, json={"data": [{"id": "llama", "root": "/models/llama"}]}) if told else httpx.Response(401)


def test_a_file_is_watched(tmp_path: Path) -> None:
    assert isinstance(engine_list(options(tmp_path / "engines.json"), httpx.AsyncClient()), TargetFile)


async def test_pods_are_asked_for_as_a_kubeconfig_says_and_engines_for_their_model(tmp_path: Path) -> None:
    server = StandIn()
    http = httpx.AsyncClient(base_url="http://kube", headers={"authorization": "Bearer admin"}, transport=InProcess(server))
    hands = Hands(http, "serving")
    await hands.create("prefill-a", {"app": "vllm", "llm-d.ai/role": "prefill"})
    await hands.ready("prefill-a", "10.0.0.7")
    async with served(server) as url:
        (tmp_path / "kubeconfig").write_text(KUBECONFIG.format(url=url))
        pods = Pods(Selection("app=vllm", kv_events_port=5557), tmp_path / "kubeconfig")
        source = engine_list(options(pods), httpx.AsyncClient(transport=httpx.MockTransport(answer)))
        told = asyncio.Queue[list[Target]]()
        watching = asyncio.create_task(source.watch(0.01, told.put_nowait))
        async with asyncio.timeout(5):
            while not (found := await told.get()):
                pass
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
    assert found == [
        Target(
            replica="prefill-a",
            url="http://10.0.0.7:8000",
            pool=Pool.PREFILL,
            model="llama",
            model_root="/models/llama",
            kv_events="tcp://10.0.0.7:5557",
            namespace="serving",
        )
    ]
