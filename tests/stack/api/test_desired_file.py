from __future__ import annotations

from pathlib import Path

import pytest

from stack.api.desired_file import DesiredFile, DesiredFileError, read_desired

GOOD = "desired: {models: {m: {strategy: session}}}\nlocal: {anything: goes}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a: [",
            "cannot be read: .* but found '<stream end>' at line 1, column 5",
        ),
        ("", "has no 'desired:' section"),
        ("local: {}", "has no 'desired:' section"),
        ("desired: 7", "'desired:': Expected `object`, got `int`"),
        ("desired: {models: [1]}", "Expected `object`, got `array`"),
        ("desired: {models: {m: {strtegy: x}}}", "models.m.strtegy: unknown field 'strtegy'; allowed in models.m: "),
        (
            "desired: {models: {m: {pools: {decode: {replicas: x}}}}}",
            'models.m.pools.decode.replicas: "x" is not allowed: a whole number from 0 to 1,024',
        ),
        (
            "desired: {models: {m: {dpd: {routing_threshold: 1e99}}}}",
            'models.m.dpd.routing_threshold: "1e99" is not allowed: a whole number',
        ),
        ("desired: {models: {m: {shadow_share: .nan}}}", "models.m.shadow_share"),
        ("desired: &d {models: *d}", r"aliases \(\*name\) are not taken"),
    ],
)
def test_a_file_that_does_not_say_what_is_desired_is_refused_by_name_and_field(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(text)
    with pytest.raises(DesiredFileError, match=message) as refused:
        read_desired(file)
    assert str(refused.value).startswith(str(file))


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(DesiredFileError, match=r"missing\.yaml cannot be read: No such file"):
        read_desired(tmp_path / "missing.yaml")


def test_a_volume_that_is_swapped_by_a_link_is_read_anew(tmp_path: Path) -> None:
    """As Kubernetes updates a ConfigMap: the file is a link through `..data`, which is moved to another folder at once."""
    for name, strategy in (("..1", "session"), ("..2", "round_robin")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "fleet.yaml").write_text(GOOD.replace("session", strategy))
    (tmp_path / "..data").symlink_to("..1")
    (tmp_path / "fleet.yaml").symlink_to("..data/fleet.yaml")
    file = DesiredFile(tmp_path / "fleet.yaml")
    assert file.now().models["m"].strategy == "session"
    (tmp_path / "..data_tmp").symlink_to("..2")
    (tmp_path / "..data_tmp").rename(tmp_path / "..data")
    assert file.now().models["m"].strategy == "round_robin"


def test_what_did_not_change_is_not_parsed_again(tmp_path: Path) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text(GOOD)
    file = DesiredFile(path)
    first = file.now()
    assert file.now() is first
    path.write_text("desired: [")
    errors = []
    for _ in range(2):
        with pytest.raises(DesiredFileError) as refused:
            file.now()
        errors.append(refused.value)
    assert errors[0] is errors[1]
    path.write_text(GOOD)
    assert file.now() == first
