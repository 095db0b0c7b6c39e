"""The chart holds copies of the rules and of nothing that was one."""

from pathlib import Path

from stack.deploy.copies import write


def test_a_rule_that_is_gone_leaves_the_chart(tmp_path: Path) -> None:
    rules = tmp_path / "alerts" / "rules" / "objectives"
    rules.mkdir(parents=True)
    (rules / "burning.yaml").write_text("groups: []\n")
    (tmp_path / "alerts" / "thresholds.yaml").write_text("{}\n")
    left = tmp_path / "chart" / "alerts" / "rules" / "old.yaml"
    left.parent.mkdir(parents=True)
    left.write_text("groups: []\n")
    write(tmp_path / "chart", tmp_path)
    held = [path.relative_to(tmp_path / "chart") for path in (tmp_path / "chart").rglob("*") if path.is_file()]
    assert sorted(held) == [Path("alerts/rules/objectives/burning.yaml"), Path("alerts/thresholds.yaml")]
