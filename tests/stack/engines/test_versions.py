from stack.engines.versions import text, version


def test_the_leading_numbers_are_the_version() -> None:
    assert [version(told) for told in ("0.32.0", "v0.5.6", "0.11.2.dev3+g12", "0.33+cpu", "main", "", None)] == [
        (0, 32, 0), (0, 5, 6), (0, 11, 2), (0, 33, 0), None, None, None,
    ]  # fmt: skip
    assert text((0, 32, 0)) == "0.32.0"
