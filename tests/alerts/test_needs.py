import pytest

from tests.alerts.needs import needed

EMITTERS = {"kvdeck_e": "exporter", "kvdeck_r": "router", "kvdeck_c": "control"}


@pytest.mark.parametrize(
    ("expression", "needs"),
    [
        ("up == 0", "native"),
        ("up == 0 or kvdeck_e > 1", "native"),
        ("up == 0 and on (cluster) kvdeck_e", "exporter"),
        ("kvdeck_e unless on (cluster) kvdeck_r", "exporter"),
        ("kvdeck_c unless on (cluster, x) group by (cluster, x) (kvdeck_r)", "control"),
        ('sum by (le, kvdeck_c) (rate(kvdeck_e{a=~"kvdeck_c|b"}[5m] offset 2m)) > 2', "exporter"),
        ('label_replace(kvdeck_r == 1, "target", "$1", "replica", "(.*)") * 0', "router"),
        ("(up or kvdeck_c) / (kvdeck_e or kvdeck_r) > bool 1", "exporter"),
        ("up and (kvdeck_e or kvdeck_c) unless kvdeck_r or kvdeck_c", "exporter"),
        ("0 * (group by (cluster) (kvdeck_c) unless kvdeck_e) or absent(kvdeck_r)", "router"),
    ],
)
def test_what_an_expression_needs(expression: str, needs: str) -> None:
    assert needed(expression, lambda name: EMITTERS.get(name, "native")) == needs
