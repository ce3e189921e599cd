"""The page of `lapcast serve` in Chromium: it shows the store, laps of a run under way as they come,
and changes the store only where it may."""

import os
import re
import signal
import subprocess

import pytest

from conftest import ROOT

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"


@pytest.fixture
def lapcast(tmp_path):
    """Returns a function that starts lapcast with a store of its own."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "TMPDIR": str(temporary)}

    def start(*arguments):
        return subprocess.Popen([os.environ.get("LAPCAST", "lapcast"), "--store", tmp_path / "runs.db", *arguments],
                                cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    try:
        start("import", ROOT / "tests/golden/stories/runs.jsonl").wait(600)
    except FileNotFoundError:
        pytest.skip("LAPCAST has to name the program")
    return start


@pytest.fixture
def serve(lapcast):
    started = []

    def start(*options):
        started.append(lapcast("serve", "--port", "0", *options))
        return started[-1].stdout.readline().decode().strip()

    yield start
    for process in started:
        process.send_signal(signal.SIGINT)
        assert process.wait(600) == 0
        process.stdout.close()


def open_live(page, address, wait=True, width=1280):
    page.size(width)
    page.driver.get("about:blank")
    page.logs()
    page.driver.get(address)
    if wait:
        page.wait("return document.getElementById('link').textContent.startsWith('live') "
                  "&& document.querySelectorAll('#run-rows tbody tr').length > 0")
    return page


def test_the_store_is_shown_with_its_report(page, serve):
    open_live(page, serve())
    page.wait("return document.documentElement.dataset.state === 'drawn'")
    assert page.failed() == [] and page.logs() == []
    assert {"cost-time", "laps"} <= set(page.charts())
    rows = len(page.all("#run-rows tbody tr"))
    page.find("#library input[type=search]").send_keys("batch=64")
    page.wait(f"return document.querySelectorAll('#run-rows tbody tr').length < {rows}")
    assert page.all("#library button[aria-label^=delete]") == []


def test_laps_come_onto_the_page_while_a_run_goes_on(page, serve, lapcast, tmp_path):
    open_live(page, serve())
    stop = tmp_path / "stop"
    script = f'while [ ! -e {stop} ]; do "$0" lap iteration 8; sleep 0.1; done; : "{HOSTILE}"'
    watch = lapcast("watch", "--", "sh", "-c", script, os.environ.get("LAPCAST", "lapcast"))
    page.wait("return Number(document.querySelector('#live td.laps')?.textContent) >= 5")
    before = int(page.texts("#live td.laps")[0])
    page.wait(f"return Number(document.querySelector('#live td.laps')?.textContent) > {before}")
    assert page.run("return document.querySelectorAll('#live img, #live script').length") == 0
    assert len(page.all("#live polyline")) == 1
    rows = len(page.all("#run-rows tbody tr"))
    stop.touch()
    watch.wait(600)
    watch.stdout.close()
    page.wait("return document.querySelectorAll('#live tr[data-run]').length === 0")
    page.wait(f"return document.querySelectorAll('#run-rows tbody tr').length === {rows + 1}")
    assert page.logs() == []


def test_time_left_and_cost_are_shown_as_watch_says_them(page, serve, lapcast, tmp_path):
    open_live(page, serve(), width=390)
    stop = tmp_path / "stop"
    script = (f'"$0" lap plan epochs=10 batch=8 train=80000; "$0" lap epoch-begin 1; '
              f'while [ ! -e {stop} ]; do "$0" lap iteration 8; sleep 0.05; done')
    watch = lapcast("watch", "--price", "3.60", "--", "sh", "-c", script, os.environ.get("LAPCAST", "lapcast"))
    page.wait("return / (min|h|d) /.test(document.querySelector('#live td.left')?.textContent ?? '')")
    left, cost = (page.texts(f"#live td.{each}")[0] for each in ("left", "cost"))
    assert " to " in left  # its interval
    assert re.fullmatch(r"\$[\d.]+ of \$[\d.]+(\$[\d.]+–[\d.]+)?", cost), cost
    ends = page.run("return [...document.querySelectorAll('#live td.choice, #live td.left, #live td.cost')]"
                    ".map((e) => e.getBoundingClientRect().right)")
    assert max(ends) <= 390
    stop.touch()
    watch.wait(600)
    watch.stdout.close()
    page.wait("return document.querySelectorAll('#live tr[data-run]').length === 0")
    assert page.logs() == []


def test_a_second_tab_follows_through_the_first(page, serve):
    address = serve()
    open_live(page, address)
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    open_live(page, address)
    assert page.texts("#link") == ["live, through another tab"]
    second = page.driver.current_window_handle
    page.driver.switch_to.window(first)
    page.driver.close()
    page.driver.switch_to.window(second)
    page.wait("return document.getElementById('link').textContent === 'live'")


def test_the_token_leaves_the_address_and_a_reload_has_it(page, serve):
    address = serve()
    assert "#token=" in address
    open_live(page, address)
    assert page.driver.current_url == address.split("#")[0]
    page.driver.refresh()
    page.wait("return document.getElementById('link').textContent.startsWith('live')")


def test_a_wrong_token_shows_a_line_and_no_data(page, serve):
    address = serve()
    bare = address.split("#")[0]
    another = address[:-1] + ("0" if address[-1] != "0" else "1")
    for wrong, said in ((bare, "lacks its token"), (another, "the token is wrong")):
        open_live(page, wrong, wait=False)
        page.wait(f"return document.getElementById('link').textContent.includes('{said}')")
        assert page.all("#run-rows tr") == []


def test_a_run_is_deleted_after_a_question(page, serve):
    open_live(page, serve("--allow-changes"))
    page.wait("return document.querySelectorAll('#run-rows button[aria-label^=delete]').length > 0")
    rows = len(page.all("#run-rows tbody tr"))
    button = "#run-rows button[aria-label^=delete]"
    page.run("document.querySelector(arguments[0]).click()", button)
    page.driver.switch_to.alert.dismiss()
    assert len(page.all("#run-rows tbody tr")) == rows
    page.run("document.querySelector(arguments[0]).click()", button)
    page.driver.switch_to.alert.accept()
    page.wait(f"return document.querySelectorAll('#run-rows tbody tr').length === {rows - 1}")
