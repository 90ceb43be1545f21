"""What `tests.rewritten` keeps is what pytest itself takes."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.rewritten import kept, rewrite_all


def test_pytest_takes_what_is_kept(tmp_path: Path) -> None:
    """An assertion of the module that was kept is explained, and the file that holds it is not made again."""
    path = tmp_path / "test_one.py"
    path.write_text("def test_it():\n    one = 1\n    assert one == 2\n")
    assert rewrite_all(tmp_path) == 1
    assert rewrite_all(tmp_path) == 0
    before = kept(path).stat().st_mtime_ns, kept(path).read_bytes()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", str(path)], capture_output=True, text=True, cwd=tmp_path
    )
    assert "assert 1 == 2" in done.stdout
    assert (kept(path).stat().st_mtime_ns, kept(path).read_bytes()) == before
    path.write_text("def test_it():\n    assert 1 == 3\n")
    assert rewrite_all(tmp_path) == 1
    shutil.rmtree(kept(path).parent)
    assert rewrite_all(tmp_path) == 1
