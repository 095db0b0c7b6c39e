"""What the Helm chart holds of the rules follows from them."""

from stack.deploy.copies import copies, held


def test_the_chart_holds_the_rules_as_they_are() -> None:
    assert held() == copies(), "run: python -m stack.deploy"
