"""Hostile strings in every field: nothing runs, nothing is fetched, nothing breaks the layout."""

import re

import pytest

from conftest import ROOT, sample

ATTACKS = [
    "<script>window.pwned = 1</script>",
    "</script><script>window.pwned = 2</script>",
    "<img src=x onerror='window.pwned = 3'>",
    "\"><svg onload=window.pwned=4>",
    "<a href=\"javascript:window.pwned=5\">click</a>",
    "<a href=\"https://example.com/fetch\">link</a>",
    "javascript:window.pwned=6",
    "\u202e\u2066evil\u2069 \u200f\u200e\ufeff\u2028\u2029",
    "\u0000\u0001\u001b[31mred\u001b[0m\u009b\u007f",
    "=HYPERLINK(\"https://example.com\")",
    "%{customdata} %{fullData.name} $\\href{https://example.com}{x}$",
    "<b style='position:fixed;inset:0;background:red'>cover</b>",
    "e" + "\u0301" * 300,
    "{{data}} {{scripts}} ${window.pwned=7} {{constructor.constructor('window.pwned=8')()}}",
    "__proto__",
]
HUGE = 10_000_000


def hostile(value, count, keep=()):
    """Returns the document with each text replaced by an attack, but for the ones that steer."""
    if isinstance(value, str):
        count[0] += 1
        return f"{ATTACKS[count[0] % len(ATTACKS)]} {count[0]}"
    if isinstance(value, list):
        return [hostile(each, count, keep) for each in value]
    if isinstance(value, dict):
        return {key: each if steers(key, each, keep) else hostile(each, count, keep)
                for key, each in value.items()}
    return value


def steers(key, value, keep):
    return key in keep and (key == "columns" or isinstance(value, str)) and (key != "set" or value in "AB")


# Packed columns and times must be read; ids must match so that rows find their runs.
STEERING = ("columns", "kind", "begin", "end", "by", "run", "id", "set", "side")


def check_harmless(page, width):
    assert page.run("return window.pwned ?? null") is None
    assert page.requests() == []
    assert page.logs() == []
    assert page.failed() == []
    # Elements that a page of harmless texts does not have.
    strange = page.run("""return [...document.querySelectorAll('main img, main script, main iframe, main a[href], main [onload], main [onerror], main object')]
        .filter((e) => !e.getAttribute('href')?.startsWith('#')).map((e) => e.outerHTML.slice(0, 120))""")
    assert strange == []
    text = page.run("return document.body.innerText + [...document.querySelectorAll('svg text, svg title')].map((e) => e.textContent).join('')")
    assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\x00\x1b]", text)
    assert page.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("plain", [False, True])
def test_attacks_in_every_field_do_nothing(page, plain):
    document = hostile(sample(), [0], STEERING)
    page.open(document, plain=plain)
    assert len(page.charts()) > 15
    page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    check_harmless(page, 1280)
    # Every part of a chart that can be pointed at is pointed at.
    if not plain:
        page.run("""for (const plot of document.querySelectorAll('.plot')) {
            try { Plotly.Fx.hover(plot, [{curveNumber: plot.data.length - 1, pointNumber: 0}]); } catch {} }""")
        check_harmless(page, 1280)


def test_attacks_in_what_steers_the_page_do_nothing(page):
    document = hostile(sample(), [3])
    document["kind"] = "report"
    page.open(document)
    assert page.run("return window.pwned ?? null") is None
    assert page.requests() == []
    assert page.run("return document.querySelectorAll('main img, main script, main a[href]').length") == 0
    assert page.run("return document.documentElement.scrollWidth") <= 1280


def test_settings_and_keys_are_foreign_too(page):
    document = sample()
    for i, row in enumerate(document["rank"]["candidates"]):
        row["settings"] = {ATTACKS[i % len(ATTACKS)]: ATTACKS[(i + 3) % len(ATTACKS)], "batch": i % 3}
    document["machines"][0]["versions"] = {attack: attack for attack in ATTACKS}
    page.open(document)
    check_harmless(page, 1280)


def test_names_of_ten_megabytes_are_cut(page):
    document = sample()
    document["title"] = "t" * HUGE
    document["rank"]["candidates"][0]["machine_type"] = "W" * HUGE
    document["runs"][0]["run"]["outcome_text"] = "m\u0301" * (HUGE // 2)
    page.open(document, width=380)
    check_harmless(page, 380)
    assert page.run("return document.title.length") < 200
    assert page.run("return document.querySelector('main').textContent.length") < 1_000_000


def test_values_of_the_wrong_kind_break_no_other_chart(page):
    document = sample()
    document["runs"][0]["laps"]["columns"]["time_ns"] = "!!! no base64 !!!"
    document["soak"]["sessions"] = [{"begin": 5, "end": {}, "machine": None}]
    document["suite"] = {"boards": "none", "suite_runs": 7}
    page.open(document)
    assert page.run("return window.pwned ?? null") is None
    assert "could not be drawn" in " ".join(page.failed())
    assert len(page.run("return [...document.querySelectorAll('.chart[data-drawn]:not(.failed)')]")) > 10


def test_no_file_of_the_page_could_end_a_script(page):
    for file in (ROOT / "web").glob("**/*.js"):
        assert "</script" not in file.read_text().lower(), file
        assert "innerHTML" not in file.read_text(), file
        assert not re.search(r"\beval\(|new Function|document\.write|https?://(?!www\.w3\.org)", file.read_text()), file
