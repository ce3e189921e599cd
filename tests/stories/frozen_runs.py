"""Compares what lapcast says of the frozen runs of tests/golden with its text. UPDATE_GOLDEN=1 writes
the texts anew."""

import os
import re

from conftest import GOLDEN

WITH_EPOCHS, WITHOUT = "5eeb00000001", "5eeb00000002"


def comparable(text):
    """Rounds figures that are printed with all digits, which differ between processors."""
    return re.sub(r"\d+\.\d{7,}(e-?\d+)?", lambda found: f"{float(found[0]):.9g}", text)


def same_as(golden, ended):
    file = GOLDEN / golden
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_bytes(ended.out_bytes)
    assert comparable(ended.out) == comparable(file.read_text())
