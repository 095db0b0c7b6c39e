"""The Helm chart's copies of the rules are the rules."""

from stack.deploy.copies import CHART, copies


def test_the_chart_holds_the_rules_as_they_are() -> None:
    held = {path.relative_to(CHART): path.read_bytes() for path in (CHART / "alerts").rglob("*") if path.is_file()}
    assert held == copies(), "run: python -m stack.deploy"
