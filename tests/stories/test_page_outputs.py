"""Holds the outputs on the pages against what lapcast prints (tools/page_outputs.py)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = """# A page
<!-- output of: lapcast show last --epochs 20 ; store: runs ; columns: 80 ; until: Run -->
```
```
<!-- output of: lapcast porbe -->
```
```
"""


def page_outputs(*arguments):
    ended = subprocess.run([sys.executable, ROOT / "tools/page_outputs.py", *arguments], capture_output=True, text=True)
    return ended.returncode, ended.stdout + ended.stderr


def test_every_page_shows_what_lapcast_prints():
    code, said = page_outputs("--check")
    assert code == 0, said


def test_a_stale_output_is_found_and_written_anew(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    code, said = page_outputs("--check", page)
    assert code == 1 and page.read_text() == PAGE
    assert "+lapcast: there is no command or option 'porbe'; did you mean 'probe'?" in said
    assert "tools/page_outputs.py writes them anew" in said
    assert page_outputs(page)[0] == 0
    text = page.read_text()
    assert "$ lapcast show last --epochs 20\nno forecast: failed with exit status 9: out of memory\n...\n" in text
    assert text.endswith("(exit code 2)\n```\n")
    assert page_outputs("--check", page)[0] == 0
    page.write_text(text.replace("did you mean", "have you meant"))
    assert page_outputs("--check", page)[0] == 1


def test_a_mark_that_cannot_be_followed_is_refused(tmp_path):
    page = tmp_path / "page.md"
    for text in ("<!-- output of: lapcast rank -->\n\n```\n```\n", "<!-- output of: lapcast rank ; shop: runs -->\n```\n```\n"):
        page.write_text(text)
        code, said = page_outputs("--check", page)
        assert code == 1 and "page_outputs: " in said or "has no block of code behind it" in said
