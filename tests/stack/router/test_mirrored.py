"""An observing router behind a real nginx that mirrors: the gateway's clients notice nothing of it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from stack.local.home import home_layout
from stack.router.recording import record_of
from tests.stack.router.bench import fleet
from tests.stack.router.fakes import MODEL, FakeEngine
from tests.stack.router.waiting import until

UNPACKED = home_layout().binaries / "bench" / "usr" / "sbin"  # where `kvdeck test` and `kvdeck bench router` put their own
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:{UNPACKED}")

CONFIGURATION = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port};
    location /v1/ {{ mirror /observed; proxy_pass {gateway}; proxy_set_header X-Request-Id $request_id; }}
    location = /observed {{ internal; proxy_pass {observer}$request_uri; proxy_set_header X-Request-Id $request_id; }}
  }}
}}
"""


@asynccontextmanager
async def nginx(folder: Path, gateway: str, observer: str) -> AsyncIterator[str]:
    """An nginx that sends to `gateway` and mirrors to `observer`."""
    assert NGINX is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    file = folder / "nginx.conf"
    file.write_text(CONFIGURATION.format(folder=folder, port=port, gateway=gateway, observer=observer))
    process = await asyncio.create_subprocess_exec(NGINX, "-p", str(folder), "-c", str(file), "-e", str(folder / "early.log"))
    try:
        await until(lambda: _open(port))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


def _open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.skipif(NGINX is None, reason="needs nginx, which `kvdeck test` without --quick unpacks")
async def test_nginx_mirrors_and_its_clients_notice_nothing(tmp_path: Path) -> None:
    behind = FakeEngine("elsewhere")
    await behind.start()
    async with fleet(tmp_path, FakeEngine("decode-0"), FakeEngine("decode-1"), observe=True) as bench:
        observer = str(bench.client.base_url).rstrip("/")
        async with nginx(tmp_path, behind.target.url, observer) as url, httpx.AsyncClient(trust_env=False) as client:
            body = {"model": MODEL, "messages": [{"role": "user", "content": "hello"}]}
            answers = [await client.post(f"{url}/v1/chat/completions", json=body) for _ in range(3)]
            await until(lambda: len(bench.router.records) == 3)
        records = [record_of(errand) for errand in bench.router.records.batch(3).errands]
    await behind.stop()
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert {answer.json()["choices"][0]["message"]["content"] for answer in answers} == {"Paris is old."}
    assert [record.request_id for record in records] == [seen.headers["x-request-id"] for seen in behind.seen]
    assert all(record.observed for record in records)
