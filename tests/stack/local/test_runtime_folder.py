from pathlib import Path

import pytest

from stack.local.runtime_folder import RuntimeFolderError, prepare, remove


def test_it_is_for_this_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o755)
    prepare(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    (folder / "s.sock").touch()
    remove(folder)
    assert not folder.exists()
    remove(folder)


def test_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RuntimeFolderError, match="is not a folder of this user: remove it"):
        prepare(tmp_path / "run")
