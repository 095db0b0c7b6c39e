"""The canned back end's configuration."""

import json
from pathlib import Path

from stack.bench.router.nginx import ANSWER, command, config


def test_it_listens_on_every_port_and_keeps_all_files_in_its_folder() -> None:
    written = config([7101, 7102], Path("/scratch"))
    assert "listen 127.0.0.1:7101;\n    listen 127.0.0.1:7102;" in written
    assert f"location = /v1/chat/completions {{ return 200 '{ANSWER}'; }}" in written
    assert [
        line for line in written.splitlines() if line.strip().startswith(("pid", "error_log")) and "/scratch/" not in line
    ] == []


def test_the_answer_is_a_chat_completion_that_nginx_takes_as_it_is() -> None:
    assert json.loads(ANSWER)["choices"][0]["message"]["role"] == "assistant"
    assert not set(ANSWER) & set("'$\\")


def test_it_runs_in_the_foreground_with_that_configuration_alone() -> None:
    argv = command(Path("/usr/sbin/nginx"), Path("/scratch/nginx.conf"))
    assert argv == ("/usr/sbin/nginx", "-p", "/scratch", "-e", "stderr", "-c", "/scratch/nginx.conf")
