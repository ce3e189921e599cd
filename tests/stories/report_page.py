"""Writes reports, and reads their pages and the data in them."""

import json
from html.parser import HTMLParser
from pathlib import Path

import json_schema

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text())
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028\u202e{{scripts}}"


class Elements(HTMLParser):
    """Holds the elements of a page, and the text of its scripts by id."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.inside = [], {}, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "script":
            self.inside = dict(attributes).get("id", "code")

    def handle_endtag(self, tag):
        if tag == "script":
            self.inside = None

    def handle_data(self, text):
        if self.inside:
            self.scripts[self.inside] = self.scripts.get(self.inside, "") + text


def check_parts(document):
    """Checks the data against its schema, and the parts that commands print, too, against theirs."""
    if json_schema.jsonschema:
        errors = json_schema.jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)
        assert [f"{error.json_path}: {error.message[:300]}" for error in errors] == []
    parts = [document[name] for name in ("rank", "verify", "compare") if name in document]
    for part in parts:
        known = {name: value for name, value in part.items() if name not in ("metric", "unit", "values")}
        assert json_schema.errors_of(known) == []
    beside = {"laps", "load", "gpu_load", "phases", "marks", "metrics", "forecasts", "environment"}
    for run in document["runs"]:
        shown = {name: value for name, value in run.items() if name not in beside}
        assert json_schema.errors_of(shown) == []


def report(story, *options, file="report.html", env=None):
    """Returns the elements of a report and the data in it."""
    ended = story.lapcast("report", "-o", file, *options, env=env).ok()
    assert file in ended.out and ended.out.count("\n") == 1, ended
    elements = Elements((story.work / file).read_text(encoding="utf-8"))
    document = json.loads(elements.scripts["data"])
    assert document["schema"] == 1 and document["kind"] == "report"
    check_parts(document)
    return elements, document
