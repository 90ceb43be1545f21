"""Every notebook of the examples runs in a kernel of IPython, from top to bottom in an empty folder, and says what its
text says that it does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.doc_pools import doc_pools

pytestmark = pytest.mark.extended
_read: Any = nbformat.read  # which has no types
NOTEBOOKS = sorted((Path(__file__).parent.parent / "examples").glob("*.ipynb"))


def _outputs(cell: nbformat.NotebookNode, kind: str) -> str:
    """What a cell has given in one form: what it printed ("text"), or the value of its last line ("text/html")."""
    if kind == "text":
        return "".join(one.text for one in cell.outputs if one.output_type == "stream" and one.name == "stdout")
    return "".join(one.data.get(kind, "") for one in cell.outputs if "data" in one)


def _executed(path: Path, folder: Path) -> list[nbformat.NotebookNode]:
    """The cells of code, with what they gave. A cell that raises fails the test with its traceback."""
    notebook = _read(path, as_version=4)
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_the_notebook_about_bluffing_answers_its_question(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pool is that of docs/tutorial.md."""
    monkeypatch.chdir(tmp_path)
    pools = doc_pools(tmp_path_factory)
    pools.begin(["pool", "build", "pool", "--seeds", "0:400", "--complexity", "0.2"])
    cells = _executed(next(path for path in NOTEBOOKS if path.name == "bluffing.ipynb"), tmp_path)
    boards = [html for cell in cells if "leaderboard" in cell.source and (html := _outputs(cell, "text/html"))]
    assert [re.findall(r"early|late", re.sub(r"<[^>]*>", " ", html)) for html in boards] == [
        ["early", "late"],
        ["late", "early"],
    ]
    shares = dict(re.findall(r"^(\w+) \d+% \d+% (\d+)%$", _outputs(cells[-2], "text"), re.MULTILINE))
    assert shares["Q"] == shares["J"] == "0"
    assert int(shares["10"]) > 30  # the bluff
    assert _outputs(cells[-1], "text").startswith("bet with Q: ")
    pools.end()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_kept_without_outputs(path: Path) -> None:
    notebook = _read(path, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")
