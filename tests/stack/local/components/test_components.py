from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import httpx
import msgspec
import pytest

from stack.config import Layout
from stack.control.reporting_path import reporting_path
from stack.control.tiers import L1, Tiers
from stack.local.components.control import control
from stack.local.components.emulator import emulated_engine
from stack.local.components.engine import connector, engine
from stack.local.components.engine_environment import NoEnginesError
from stack.local.components.lmcache import configured_l1, lmcache, shared_memory_name
from stack.local.components.site import Site
from stack.local.components.whole import components, engine_counts
from stack.local.cores import Division
from stack.local.install.plan import EngineInstallation, EngineKind, Installed, Monitoring
from stack.local.launch import Launch, read_launch
from stack.local.process import Command
from stack.local.seats import Seats
from stack.local.settings import LocalSettings, load
from stack.local.spec import Spec, Stage
from stack.model.target import Target
from stack.model.tier import Pool
from tests.stack.local.living import host

HOME = Path("/k")
LAYOUT = Layout(HOME, Path("/tmp/kvdeck-0123456789"))
MONITORING = Monitoring(Path("/b/prometheus"), Path("/b/promtool"), Path("/b/alertmanager"), Path("/b/amtool"))
REAL = Installed(MONITORING, Path("/b/valkey"), Path("/m"), EngineInstallation(Path("/e/python"), Path("/m")))


def site(folder: Path, *, engines: EngineKind = EngineKind.VLLM, prefill: int = 1, home: Path = HOME, **local: str | bool) -> Site:
    config = load(None).sized(prefill, 2)
    launch = Launch(
        layout=replace(LAYOUT, home=home),
        python=Path("/v/python"),
        config=msgspec.structs.replace(config, local=msgspec.convert({"ports_from": 21000, **local}, LocalSettings)),
        installed=REAL if engines is EngineKind.VLLM else replace(REAL, store=None, engine=None),
        engines=engines,
    )
    return Site(launch=launch, host=replace(host(folder), environment={"LD_LIBRARY_PATH": "/old"}), client=httpx.AsyncClient())


def command(spec: Spec) -> Command:
    assert isinstance(spec.launch, Command)
    return spec.launch


def flag(spec: Spec, name: str) -> str:
    argv = command(spec).argv
    return argv[argv.index(name) + 1]


def test_the_whole_stack_by_name_stage_and_url(tmp_path: Path) -> None:
    shown = [(spec.name, spec.stage, spec.url, spec.after) for spec in components(site(tmp_path))]
    assert shown == [
        ("redis", Stage.STORE, "redis://127.0.0.1:21006", ()),
        ("lmcache", Stage.CACHE, "http://127.0.0.1:21008", ("redis",)),
        ("router", Stage.SERVICE, "http://127.0.0.1:21000", ()),
        ("control", Stage.SERVICE, "http://127.0.0.1:21001", ()),
        ("exporter", Stage.SERVICE, "http://127.0.0.1:21002", ()),
        ("prometheus", Stage.SERVICE, "http://127.0.0.1:21004", ()),
        ("alertmanager", Stage.SERVICE, "http://127.0.0.1:21005", ()),
        ("dashboard", Stage.FACE, "http://127.0.0.1:21003", ()),
        ("traffic", Stage.FACE, None, ("router", "prefill-0", "decode-0")),
    ]


def test_control_keeps_decisions_in_files_where_it_is_told_to(tmp_path: Path) -> None:
    assert "--decisions-dir" not in command(control(site(tmp_path))).argv
    kept = control(site(tmp_path, decisions_dir="decisions", decisions_format="parquet"))
    assert (flag(kept, "--decisions-dir"), flag(kept, "--decisions-format")) == ("/k/decisions", "parquet")
    assert flag(control(site(tmp_path, decisions_dir="/d")), "--decisions-dir") == "/d"


def test_experiments_are_allowed_where_it_is_said(tmp_path: Path) -> None:
    assert "--experiments" in command(control(site(tmp_path, experiments=True))).argv
    assert "--experiments" not in command(control(site(tmp_path))).argv


def test_an_emulated_stack_has_an_emulator_in_place_of_store_and_lmcache(tmp_path: Path) -> None:
    emulated = site(tmp_path, engines=EngineKind.EMULATED)
    names = [spec.name for spec in components(emulated)]
    assert names == ["emulator", "router", "control", "exporter", "prometheus", "alertmanager", "dashboard", "traffic"]
    assert "--lmcache" not in command(components(emulated)[3]).argv
    seats = Seats(21009)
    spec = emulated_engine(emulated, seats.take(Pool.DECODE), lambda: 7)
    assert (spec.after, spec.note, spec.target and spec.target.emulated) == (("emulator",), "emulated", True)
    with pytest.raises(NoEnginesError):
        engine(emulated, seats.take(Pool.DECODE), Division((0,), (1,)))


def test_without_prometheus_an_emulated_stack_has_neither_it_nor_alertmanager(tmp_path: Path) -> None:
    emulated = site(tmp_path, engines=EngineKind.EMULATED)
    launch = msgspec.structs.replace(emulated.launch, installed=replace(emulated.launch.installed, monitoring=None))
    names = [spec.name for spec in components(replace(emulated, launch=launch))]
    assert names == ["emulator", "router", "control", "exporter", "dashboard", "traffic"]


def test_control_is_told_which_run_of_the_stack_it_is_in(tmp_path: Path) -> None:
    first, second = site(tmp_path), site(tmp_path)
    runs = [flag(spec, "--run") for one in (first, second) for spec in components(one) if spec.name == "control"]
    assert runs == [first.launch.run, second.launch.run]
    assert runs[0] != runs[1]


def with_tokens(folder: Path) -> Site:
    """A stack whose control wants tokens, at its start."""
    there = site(folder, home=folder, tokens_file="people.yaml")
    there.rendered.mkdir(parents=True)
    (there.rendered / "router.token").write_text("secret\n")
    return there


def test_tokens_are_passed_by_file_to_all_who_need_them(tmp_path: Path) -> None:
    by_name = {spec.name: spec for spec in components(with_tokens(tmp_path))}
    argv, own = command(by_name["control"]).argv, tmp_path / ".kvdeck" / "run"
    named = [argv[place + 1] for place, word in enumerate(argv) if word == "--tokens"]
    assert named == [str(tmp_path / "people.yaml"), str(own / "tokens.yaml")]
    assert flag(by_name["router"], "--control-token-file") == str(own / "router.token")
    assert "--sign-in" in command(by_name["dashboard"]).argv  # with a person's own
    assert "--sign-in" not in command(components(site(tmp_path))[7]).argv


def test_lmcache_carries_this_stacks_digest(tmp_path: Path) -> None:
    spec = lmcache(site(tmp_path), 1 << 29)
    assert flag(spec, "--shm-name") == "kvdeck-0123456789"
    assert shared_memory_name("kvdeck-0123456789") == "lmcache_l1_pool_kvdeck-0123456789"
    assert json.loads(flag(spec, "--l2-adapter"))["port"] == 21006
    assert spec.renewed_by == ("redis",)
    assert flag(spec, "--l1-size-gb") == "0.5"


def test_l1_begins_with_what_is_desired_of_it(tmp_path: Path) -> None:
    plain = site(tmp_path)
    assert configured_l1(plain) == 1 << 29
    config = plain.launch.config
    desired = msgspec.structs.replace(config.desired, tiers=Tiers(l1=L1(bytes=3 << 30)))
    launch = msgspec.structs.replace(plain.launch, config=msgspec.structs.replace(config, desired=desired))
    assert configured_l1(replace(plain, launch=launch)) == 3 << 30


def test_lmcache_reports_to_control_under_a_path_that_only_who_has_the_token_knows(tmp_path: Path) -> None:
    assert flag(lmcache(site(tmp_path), 1 << 29), "--coordinator-url") == "http://127.0.0.1:21001/v1/lmcache"
    told = flag(lmcache(with_tokens(tmp_path), 1 << 29), "--coordinator-url")
    assert told == f"http://127.0.0.1:21001{reporting_path('secret')}"
    assert "secret" not in told


def test_control_is_told_of_the_store_and_who_emulates_it(tmp_path: Path) -> None:
    assert flag(control(site(tmp_path)), "--cache-store") == "redis://127.0.0.1:21006"
    assert flag(control(site(tmp_path, engines=EngineKind.EMULATED)), "--cache-store") == "http://127.0.0.1:21008/store"


def test_the_emulator_reports_where_lmcache_does(tmp_path: Path) -> None:
    emulated = site(tmp_path, engines=EngineKind.EMULATED)
    assert flag(components(emulated)[0], "--coordinator-url") == flag(lmcache(site(tmp_path), 1 << 29), "--coordinator-url")


def test_a_real_engine(tmp_path: Path) -> None:
    seats = Seats(21009)
    seats.take(Pool.PREFILL)
    spec = engine(site(tmp_path), seats.take(Pool.DECODE), Division((0,), (1,)))
    launch = command(spec)
    assert spec.target == Target(
        replica="decode-0",
        url="http://127.0.0.1:21010",
        pool=Pool.DECODE,
        model="smollm2",
        model_root="/m",
        kv_events="ipc:///tmp/kvdeck-0123456789/decode-0.events",
        replay="ipc:///tmp/kvdeck-0123456789/decode-0.replay",
        cache_server="lmcache",
    )
    assert (launch.cores, launch.grace, launch.argv[0]) == ((1,), 25.0, "/e/python")
    assert launch.argv[1].endswith("stack/local/engine_launch.py")
    assert {name: flag(spec, name) for name in ("--dtype", "--block-size", "--kv-cache-memory-bytes", "--shutdown-timeout")} == {
        "--dtype": "float32",
        "--block-size": "64",
        "--kv-cache-memory-bytes": "220000000",
        "--shutdown-timeout": "20",
    }
    assert launch.environment["VLLM_CPU_OMP_THREADS_BIND"] == "1"
    assert launch.environment["VLLM_NIXL_SIDE_CHANNEL_PORT"] == "21210"
    assert "LD_LIBRARY_PATH" not in launch.environment


def test_an_unpacked_library_goes_before_the_users(tmp_path: Path) -> None:
    plain = site(tmp_path)
    installed = replace(REAL, engine=EngineInstallation(Path("/e/python"), Path("/m"), Path("/lib/ours")))
    launch = msgspec.structs.replace(plain.launch, installed=installed)
    spec = lmcache(replace(plain, launch=launch), 1 << 29)
    assert command(spec).environment["LD_LIBRARY_PATH"] == "/lib/ours:/old"


@pytest.mark.parametrize(("pool", "role"), [(Pool.PREFILL, "kv_producer"), (Pool.DECODE, "kv_consumer")])
def test_with_dpd_nixl_and_lmcache_are_joined(pool: Pool, role: str) -> None:
    tiers = {
        "kv_connector": "LMCacheMPConnector",
        "kv_role": "kv_both",
        "kv_connector_extra_config": {
            "lmcache.mp.host": "tcp://127.0.0.1",
            "lmcache.mp.port": 5555,
            "lmcache.mp.heartbeat_interval": 2,
            "lmcache.mp.mq_timeout": 15,
        },
    }
    policy = {"kv_role": role, "kv_load_failure_policy": "recompute"}
    peers = {"kv_connector": "NixlConnector", "kv_buffer_device": "cpu", **policy}
    joined = {"kv_connector": "MultiConnector", **policy, "kv_connector_extra_config": {"connectors": [peers, tiers]}}
    assert connector(pool, True, 5555) == joined
    assert connector(pool, False, 5555) == tiers


def test_without_prefill_there_is_no_nixl(tmp_path: Path) -> None:
    alone = site(tmp_path, prefill=0)
    assert engine_counts(alone) == {Pool.PREFILL: 0, Pool.DECODE: 2}
    spec = engine(alone, Seats(21009).take(Pool.DECODE), Division((0, 1), (0, 1)))
    assert json.loads(flag(spec, "--kv-transfer-config"))["kv_connector"] == "LMCacheMPConnector"
    assert components(alone)[-1].after == ("router", "decode-0")


def test_a_launch_survives_its_file(tmp_path: Path) -> None:
    launch = site(tmp_path).launch
    launch.write(tmp_path / "launch.json")
    assert read_launch(tmp_path / "launch.json") == launch
