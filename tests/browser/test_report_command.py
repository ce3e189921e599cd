"""A report that lapcast itself writes, of runs from the golden stories: it opens,
    draws every chart and
asks for nothing. Skipped where the lapcast of the build has no `report`."""

import json

import pytest

from conftest import ROOT, cut_labels, lapcast


@pytest.fixture
def report(tmp_path):
    try:
        known = lapcast(tmp_path, "report", "--help").returncode == 0
    except FileNotFoundError:
        known = False
    if not known:
        pytest.skip("this lapcast has no command `report`")
    lapcast(tmp_path, "import", ROOT / "tests/golden/stories/runs.jsonl")
    file = tmp_path / "page-report.html"
    written = lapcast(tmp_path, "report", "-o", file)
    assert written.returncode == 0, written.stderr
    return file


def test_a_report_of_real_runs_is_drawn_whole(page, report):
    page.open_file(report)
    assert page.failed() == [] and page.logs() == [] and page.requests() == []
    assert {"cost-time", "laps", "lap-histogram", "parts"} <= set(page.charts())
    assert page.texts(".sentence")[0].startswith("Take small with batch=")
    assert len(page.all("#ranking tbody tr")) >= 6


@pytest.mark.parametrize("width", [390, 1280, 2560])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_of_the_papers_fit_every_width_in_both_themes(page, tmp_path, width, theme):
    file = tmp_path / "page-papers.html"
    written = lapcast(tmp_path, "report", "--papers", "-o", file)
    assert written.returncode == 0, written.stderr
    page.prefer(theme)
    page.open_file(file, width=width)
    assert page.failed() == [] and page.logs() == [] and page.requests() == []
    assert len(page.charts()) == 26 and "paper-malta-4-3" in page.charts()
    assert page.run("return document.documentElement.scrollWidth") <= width
    captions = page.texts("figcaption p")
    assert not [text for text in captions if "`" in text]
    assert "lapcast suite run nqueens" in page.texts("figcaption code")
    assert cut_labels(page) == []
    page.prefer("light")


def test_a_plan_for_spot_machines_is_drawn(page, tmp_path):
    trace = {"metadata": {"gap_seconds": 300}, "data": ([1] * 24 + [0] * 12) * 50}
    (tmp_path / "trace.json").write_text(json.dumps(trace))
    file = tmp_path / "page-spot.html"
    written = lapcast(
        tmp_path, "spot", "trace.json", "--work", "24h", "--checkpoint", "1m", "--restart", "5m",
        "--spot-price", "1", "--html", file)
    assert written.returncode == 0, written.stderr
    page.open_file(file)
    assert page.failed() == [] and page.logs() == [] and page.requests() == []
    assert page.charts() == ["spot-job"]
    assert page.texts(".sentence")[0].startswith("Save every ")
    names = {trace["name"] for trace in page.traces("spot-job")}
    assert names == {"machines are there", "boot", "work", "checkpoint", "lost work", "restart",
                     "waiting"}
