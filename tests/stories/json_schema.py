"""Checks what commands print with --json against docs/json.schema.json."""

import json
from pathlib import Path

try:
    import jsonschema
except ImportError:  # Debian: python3-jsonschema; test_json.py is skipped without it
    jsonschema = None

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "json.schema.json").read_text())
for rule in SCHEMA["$defs"].values():
    if "properties" in rule:
        rule.setdefault("required", list(rule["properties"]))


def errors_of(document):
    if jsonschema is None:
        return []
    errors = jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)
    about = {note.get("about") for note in document.get("notes", [])}
    return [f"{error.json_path}: {error.message[:500]}" for error in errors] + [
        f"a note is about {name}, which is not a table" for name in about - set(document)]
