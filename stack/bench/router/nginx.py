"""The canned back end: nginx on two ports, one process, with the same short answer to every chat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from stack.bench.router.chats import MODEL

ANSWER = msgspec.json.encode(
    {
        "id": "chatcmpl-canned",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "canned " * 48}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 4096, "completion_tokens": 48, "total_tokens": 4144},
    }
).decode()
_MODELS = msgspec.json.encode(
    {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 1, "owned_by": "canned", "root": MODEL}]}
).decode()
# What the other routers ask their engines before they route to them.
_FACTS = msgspec.json.encode({"model_path": MODEL, "served_model_name": MODEL, "is_generation": True}).decode()

_CONFIG = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  keepalive_timeout 1d;
  keepalive_requests 1000000000;
  client_body_buffer_size 128k;
  client_body_temp_path {folder}/nginx-body;
  proxy_temp_path {folder}/nginx-proxy;
  fastcgi_temp_path {folder}/nginx-fastcgi;
  uwsgi_temp_path {folder}/nginx-uwsgi;
  scgi_temp_path {folder}/nginx-scgi;
  default_type application/json;
  server {{
{listen}
    location = /v1/chat/completions {{ return 200 '{answer}'; }}
    location = /v1/models {{ return 200 '{models}'; }}
    location = /health {{ return 200 '{{}}'; }}
    location / {{ return 200 '{facts}'; }}
  }}
}}
"""


def config(ports: Sequence[int], folder: Path) -> str:
    """nginx's configuration: all its files in `folder`, nothing of the machine's own nginx."""
    listen = "\n".join(f"    listen 127.0.0.1:{port};" for port in ports)
    return _CONFIG.format(folder=folder, listen=listen, answer=ANSWER, models=_MODELS, facts=_FACTS)


def command(program: Path, written: Path) -> tuple[str, ...]:
    """Runs `program` in the foreground with the configuration `written`."""
    return (str(program), "-p", str(written.parent), "-e", "stderr", "-c", str(written))
