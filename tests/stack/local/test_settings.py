from pathlib import Path

import msgspec
import pytest

from stack.config import Ports
from stack.control.mode import Mode
from stack.control.state import Desired, Dpd, ModelState, Pools, PoolState
from stack.local.settings import LocalSettings, StackConfig, StackConfigError, load


def written(folder: Path, text: str) -> Path:
    path = folder / "stack.yaml"
    path.write_text(text)
    return path


def test_without_a_file_one_prefill_and_two_decode_engines_are_wanted() -> None:
    pools = Pools(prefill=PoolState(replicas=1), decode=PoolState(replicas=2))
    model = ModelState(strategy="prefix_aware", dpd=Dpd(enabled=True, routing_threshold=512), pools=pools)
    assert load(None) == StackConfig(desired=Desired(models={"smollm2": model}))


def test_a_file_may_set_either_half(tmp_path: Path) -> None:
    local = load(written(tmp_path, "local: {l1_gib: 2.5, ports_from: 21000}"))
    assert local.local == LocalSettings(l1_gib=2.5, ports_from=21000)
    desired = load(written(tmp_path, "desired: {models: {m: {strategy: kv_aware}}}"))
    default = load(None).desired.models["smollm2"]
    assert desired.desired.models == {"m": msgspec.structs.replace(default, strategy="kv_aware")}


ALLOWED = "desired.models.m.strategie: unknown field 'strategie'; allowed in models.m: " + ", ".join(ModelState.__struct_fields__)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("local: {l1_gibb: 3}", "Object contains unknown field `l1_gibb` - at `$.local`"),
        ("local: {chunk_size: 100}", "Expected `int` >= 128 - at `$.local.chunk_size`"),
        ("desired: {models: {m: {strategie: x}}}", ALLOWED),
        (
            "desired: {models: {m: {dpd: {routing_threshold: few}}}}",
            'desired.models.m.dpd.routing_threshold: "few" is not allowed: a whole number from 0 to 10,000,000',
        ),
        ("desired: {models: {a: {}, b: {}}}", "desired.models names 2 models; this stack serves one"),
        ("control: {mode: declarative}", "control.mode: this stack cannot follow a file; observe or live are allowed"),
        (
            "desired: [1",
            "while parsing a flow sequence at line 1, column 10: desired: [1 ^ "
            "expected ',' or ']', but got '<stream end>' at line 1, column 12: desired: [1 ^",
        ),
    ],
)
def test_a_bad_file_is_refused_with_the_key(tmp_path: Path, text: str, complaint: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(StackConfigError) as refused:
        load(path)
    assert str(refused.value) == f"{path}: {complaint}"


def test_a_file_says_who_may_change_what_is_desired(tmp_path: Path) -> None:
    assert load(written(tmp_path, "control: {mode: observe}")).control.mode is Mode.OBSERVE


def test_the_command_line_resizes_pools() -> None:
    pools = load(None).sized(0, 3).pools
    assert (pools.prefill.replicas, pools.decode.replicas) == (0, 3)
    assert load(None).sized(None, None) == load(None)


def test_without_a_prefill_engine_nothing_is_disaggregated() -> None:
    config = load(None).sized(0, None)
    assert config.desired.models[config.model].dpd == Dpd(enabled=False, routing_threshold=512)


def test_a_stack_without_decode_engines_is_refused() -> None:
    with pytest.raises(StackConfigError, match="no decode engine"):
        load(None).sized(1, 0)


def test_ports_are_the_documented_ones_or_packed() -> None:
    assert LocalSettings().ports == Ports()
    assert LocalSettings(ports_from=21000).ports == Ports.packed(21000)
