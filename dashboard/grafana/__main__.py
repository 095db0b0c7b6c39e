"""`python -m dashboard.grafana [FOLDER]`: writes every dashboard as FOLDER/<uid>.json."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dashboard.grafana.boards import BOARDS
from dashboard.grafana.document import Board, document

FOLDER = Path(__file__).parents[2] / "stack" / "deploy" / "chart" / "dashboards"


def text(board: Board) -> str:
    """The file's content; the same for the same queries."""
    return json.dumps(document(board), indent=2) + "\n"


def write(folder: Path) -> list[Path]:
    """Write all, creating `folder`; the files written. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / f"{board.uid}.json" for board in BOARDS]
    for path, board in zip(written, BOARDS, strict=True):
        path.write_text(text(board))
    return written


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m dashboard.grafana", description="Write kvdeck's Grafana dashboards as JSON.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help=f"where to (default: {FOLDER})")
    write(parser.parse_args().folder)


if __name__ == "__main__":
    main()
