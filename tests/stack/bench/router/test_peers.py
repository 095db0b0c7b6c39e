"""The other routers: installed once, each on its own, started by its own command line."""

from pathlib import Path

from stack.bench.router.peers import VLLM_ROUTER
from stack.config import Layout
from stack.local.install.environment import Environment
from tests.stack.local.install.fakes import Remembered, program

# A Python whose venv and pip do nothing but leave what was asked.
_PYTHON = """case "$2" in
venv) mkdir -p "$4/bin"; cp "$0" "$4/bin/python";;
pip) echo "$*" >> "$(dirname "$0")/asked";;
esac"""


def test_a_peer_is_installed_once(tmp_path: Path) -> None:
    folder = tmp_path / "vllm-router-0.1.17"
    environment = Environment(folder, tmp_path / "log", program(tmp_path / "python", _PYTHON))
    VLLM_ROUTER.ensure(environment, Remembered())
    VLLM_ROUTER.ensure(environment, Remembered())
    asked = (folder / "bin" / "asked").read_text().splitlines()
    assert [line.rpartition(" ")[2] for line in asked] == ["vllm-router==0.1.17"]


def test_each_version_has_an_environment_of_its_own(tmp_path: Path) -> None:
    assert VLLM_ROUTER.environment(Layout(tmp_path, tmp_path)).folder == tmp_path / ".kvdeck" / "bench" / "vllm-router-0.1.17"


def test_a_peer_listens_on_loopback_and_routes_by_its_policy() -> None:
    argv = VLLM_ROUTER.command(Path("/python"), "cache_aware", 7000, 7001, ["http://127.0.0.1:1", "http://127.0.0.1:2"])
    assert argv == (
        "/python", "-m", "vllm_router.launch_router", "--worker-urls", "http://127.0.0.1:1", "http://127.0.0.1:2",
        "--policy", "cache_aware", "--host", "127.0.0.1", "--port", "7000", "--prometheus-host", "127.0.0.1",
        "--prometheus-port", "7001", "--log-level", "error",
    )  # fmt: skip
