"""Rule files as others than Prometheus load them: Mimir and Amazon know a file by its name, and want nothing in it but groups."""

import yaml

from tests.alerts.promtool import ROOT

FILES = sorted((ROOT / "alerts" / "rules").rglob("*.yaml"))


def test_no_two_files_have_one_name() -> None:
    assert len({path.stem for path in FILES}) == len(FILES)


def test_a_file_is_its_groups() -> None:
    assert [path.name for path in FILES if list(yaml.safe_load(path.read_text())) != ["groups"]] == []


def test_no_two_groups_have_one_name() -> None:
    names = [group["name"] for path in FILES for group in yaml.safe_load(path.read_text())["groups"]]
    assert len(set(names)) == len(names)
