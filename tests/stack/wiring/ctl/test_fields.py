from __future__ import annotations

import re

from click.testing import CliRunner

from stack.cli.main import main
from stack.control.settable import settable


def test_every_field_is_listed_with_what_it_may_be_and_no_control_is_asked() -> None:
    done = CliRunner().invoke(main, ["ctl", "set", "--fields"])
    assert done.exit_code == 0, done.output
    listed = [line.split()[0] for line in done.output.splitlines()[1:] if not line.startswith(" ")]
    assert listed == [field.path for field in settable()]
    assert re.search(r"pools.decode.bounds.max +a whole number from 0 to 1,024 +1024\b", done.output)
