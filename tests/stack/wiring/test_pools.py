"""Control finds what runs its engines as its settings say, or says what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from stack.adapters.pool_scaler import SupervisorScaler
from stack.api.settings import ControlConfigError, ControlSettings, HyperPodPools, KubernetesPools, ListedPools, LocalPools
from stack.control.machinery import Machinery
from stack.control.ports import ScalerError
from stack.kube.scaler import KubernetesScaler
from stack.model.target import Target, TargetFileError, encode
from stack.model.tier import Pool
from stack.wiring.pools import check_targets, pools
from tests.stack.control.samples import desired

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: here
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: here, context: {cluster: c, user: u, namespace: serving}}]
"""


def settings(folder: Path, pools: LocalPools | ListedPools | KubernetesPools, config: str | None = None) -> ControlSettings:
    path = folder / "fleet.yaml"
    if config is not None:
        path.write_text(config)
    return ControlSettings(host="127.0.0.1", port=0, state_dir=folder, pools=pools, config=None if config is None else path)


def on_kubernetes(folder: Path) -> KubernetesPools:
    (folder / "kubeconfig").write_text(KUBECONFIG)
    return KubernetesPools(kubeconfig=folder / "kubeconfig")


async def test_a_supervisor_runs_them_unless_kubernetes_does(tmp_path: Path) -> None:
    (tmp_path / "engines.json").write_bytes(encode([]))
    async with pools(settings(tmp_path, LocalPools(tmp_path / "s", tmp_path / "engines.json")), desired()) as local:
        assert isinstance(local.scaler, SupervisorScaler)
    config = "kubernetes: {pools: {smollm2: {decode: {name: decode}}}}"
    async with pools(settings(tmp_path, on_kubernetes(tmp_path), config), desired()) as kubernetes:
        assert isinstance(kubernetes.scaler, KubernetesScaler)
        assert kubernetes.targets() is None


@pytest.mark.parametrize("supervised", [True, False])
async def test_a_list_that_is_not_there_is_refused_and_one_that_goes_is_told_of(tmp_path: Path, supervised: bool) -> None:
    file = tmp_path / "engines.json"
    told = settings(tmp_path, LocalPools(tmp_path / "s", file) if supervised else ListedPools(file))
    with pytest.raises(ControlConfigError, match=f"^--targets {file}: No such file or directory$"):
        check_targets(told)
    file.write_bytes(encode([]))
    check_targets(told)
    async with pools(told, desired()) as running:
        assert (running.targets(), running.targets()) == ([], None)
        file.unlink()
        for _ in range(2):
            with pytest.raises(TargetFileError, match="No such file or directory"):
                running.targets()


async def test_nothing_may_run_them_that_control_knows(tmp_path: Path) -> None:
    listed = Target(replica="decode-0", url="http://127.0.0.1:1", pool=Pool.DECODE, model="smollm2", model_root="/m")
    (tmp_path / "engines.json").write_bytes(encode([listed]))
    async with pools(settings(tmp_path, ListedPools(tmp_path / "engines.json")), desired()) as none:
        assert (await none.scaler.look(), none.targets(), none.host) == (Machinery(scales=False), [listed], None)
        for asked in (none.scaler.grow("smollm2", Pool.DECODE, 1), none.scaler.remove("decode-0")):
            with pytest.raises(ScalerError, match="nothing that control knows runs the engines of this pool"):
                await asked


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (None, "--pools kubernetes needs --config with a section 'kubernetes:'"),
        ("desired: {}", "has no section 'kubernetes:'"),
        ("kubernetes: {pools: {other: {decode: {name: d}}}}", "says of no workload that it runs smollm2"),
        ("kubernetes: {pools: {smollm2: {decode: {}}}}", "missing required field `name`"),
    ],
)
async def test_what_is_missing_is_said(tmp_path: Path, config: str | None, message: str) -> None:
    with pytest.raises(ControlConfigError, match=message):
        async with pools(settings(tmp_path, on_kubernetes(tmp_path), config), desired()):
            pass


@pytest.mark.parametrize("live", [False, True])
async def test_endpoints_of_hyperpod_are_patched_only_where_that_is_asked_for(tmp_path: Path, live: bool) -> None:
    (tmp_path / "kubeconfig").write_text(KUBECONFIG)
    told = HyperPodPools(kubeconfig=tmp_path / "kubeconfig", live_patching=live)
    async with pools(settings(tmp_path, told, "hyperpod: {endpoints: {smollm2: {name: llama}}}"), desired()) as hyperpod:
        assert (isinstance(hyperpod.scaler, KubernetesScaler), hyperpod.counterpart is not None) == (True, live)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (None, "--pools hyperpod needs --config with a section 'hyperpod:'"),
        ("hyperpod: {endpoints: {other: {name: llama}}}", "says of no workload that it runs smollm2"),
        ("hyperpod: {endpoints: {smollm2: {}}}", "missing required field `name`"),
    ],
)
async def test_what_is_missing_of_endpoints_is_said(tmp_path: Path, config: str | None, message: str) -> None:
    (tmp_path / "kubeconfig").write_text(KUBECONFIG)
    with pytest.raises(ControlConfigError, match=message):
        async with pools(settings(tmp_path, HyperPodPools(kubeconfig=tmp_path / "kubeconfig"), config), desired()):
            pass
