"""What is deployed of the rules follows from them."""

from stack.deploy.copies import copies, held


def test_chart_and_manifests_hold_the_rules_as_they_are() -> None:
    assert held() == copies(), "run: python -m stack.deploy"
