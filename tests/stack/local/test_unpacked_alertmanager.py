from pathlib import Path

import pytest

from stack.config import Layout
from stack.local.unpacked_alertmanager import relocated, runnable

BUILT_IN = "/usr/share/prometheus/alertmanager"


def test_the_path_inside_keeps_its_length() -> None:
    changed = relocated(f"a{BUILT_IN}b{BUILT_IN}/uic".encode(), ".kvdeck/alertmanager/templates")
    assert changed == b"a.kvdeck/alertmanager/templates////b.kvdeck/alertmanager/templates/////uic"
    with pytest.raises(ValueError, match="longer than the path it replaces"):
        relocated(b"", "x" * 35)


@pytest.mark.skipif(Path(BUILT_IN).exists(), reason="Alertmanager is installed here")
def test_an_unpacked_one_gets_a_copy_that_finds_its_templates(tmp_path: Path) -> None:
    layout = Layout.of(tmp_path, Path("/tmp"))
    root = layout.binaries / "monitoring" / "usr"
    (root / "share/prometheus/alertmanager").mkdir(parents=True)
    for template in ("default.tmpl", "email.tmpl"):
        (root / "share/prometheus/alertmanager" / template).write_text(template)
    program = root / "bin" / "prometheus-alertmanager"
    program.parent.mkdir()
    program.write_text(f"<{BUILT_IN}>")
    copy = runnable(program, layout)
    assert copy.read_text() == "<.kvdeck/alertmanager/templates////>"
    assert copy.stat().st_mode & 0o111
    assert (layout.home / ".kvdeck/alertmanager/templates/email.tmpl").read_text() == "email.tmpl"
    before = copy.stat().st_ino
    assert runnable(program, layout).stat().st_ino == before


def test_one_on_path_is_left_alone(tmp_path: Path) -> None:
    assert runnable(Path("/usr/bin/alertmanager"), Layout.of(tmp_path, Path("/tmp"))) == Path("/usr/bin/alertmanager")
