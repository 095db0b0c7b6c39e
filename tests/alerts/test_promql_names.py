from tests.alerts.promql_names import names


def test_only_metrics_are_left_of_an_expression() -> None:
    expression = """
      sum by (le, model_name) (rate(kvdeck_x_bucket{pool="up", y=~"a|b"}[5m] offset 2m)) / on (tier) group_left ()
        label_replace(up{job="engines"} == bool 1, "target", "$1", "replica", "(.*)") and kvdeck:a:b > 1.2 unless absent(z)
    """
    assert names(expression) == {"kvdeck_x_bucket", "up", "kvdeck:a:b", "z"}
