from stack.control.reporting_path import PREFIX, reporting_path


def test_with_a_token_the_path_is_a_secret_of_its_own() -> None:
    assert reporting_path(None) == PREFIX
    assert reporting_path("a") != reporting_path("b")
    assert reporting_path("secret").startswith(f"{PREFIX}/")
    assert "secret" not in reporting_path("secret")
