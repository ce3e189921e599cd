"""The report and `lapcast rank` on a terminal say the same of the same runs, cell by cell: each cell of the
ranking, of what spot machines do, and of what others would need, as a browser shows it."""

import json
import re
import sys

import pytest

from conftest import ROOT, lapcast

sys.path.append(str(ROOT / "tests/stories"))
from made_runs import made_run  # noqa: E402  (needs the path above)

OFFERS = """name,provider,service,machine_type,price_usd_per_hour,terms,interruption_hours,as_of,source
p/s/small/here/spot,p,s,small,0.04,spot,2,2025-03-20,made up
p/s/small/here/on-demand,p,s,small,0.12,on-demand,,2026-11-20,made up
p/s/large/here/spot,p,s,large,0.09,spot,4,2026-11-20,made up
"""
SPOT = ["--epochs", "20000", "--offers", "prices.csv", "--checkpoint", "1m", "--restart", "5m"]
CASES = {
    "without prices": ["--no-catalog"],
    "tiny costs": ["--no-catalog"],
    "costs": ["--no-catalog", "--epochs", "20000"],
    "by time": ["--by", "time", "--epochs", "20000"],
    "by score": ["--by", "score", "--epochs", "20000"],
    "spot": SPOT,
    "often interrupted": [*SPOT, "--interruptions", "20m"],
    "late": [*SPOT, "--deadline", "6h", "--risk", "30%"],
}
# The page shows where and epochs in their own column only where they differ, multiples on request, and in
# a ranking by time no P(cheapest).
ELSEWHERE = {"where", "epochs", "x time", "x cost", "P(cheapest)"}


def runs(priced):
    """Returns probes of four candidates on two machines, one of which reached an accuracy."""
    found = []
    for machine, price, speed in (("small", "0.1", 1), ("large", "0.25", 2)):
        for batch, lap in ((64, 0.2), (128, 0.21)):
            def laps(epoch, number, lap=lap / speed):
                return lap * (1 + 0.01 * ((3 * epoch + number) % 5))

            run = made_run(len(found) + 1, "probe", batch, 4, laps, 100 * (len(found) + 1), machine, price)
            if not priced:
                del run["price"]
            found.append(run)
    return found


def tables_of(text):
    """Returns the tables on a terminal without a width, each as a list of rows [(header, cell)]."""
    lines, tables = text.splitlines(), []
    for i, line in enumerate(lines):
        if not re.fullmatch(r" *-+(  +-+)+", line):
            continue
        spans = [match.span() for match in re.finditer("-+", line)]
        spans[-1] = (spans[-1][0], None)
        cells = lambda row: [row[begin:end].strip() for begin, end in spans]
        rows = []
        for row in lines[i + 1:]:
            if not row.strip():
                break
            rows.append(list(zip(cells(lines[i - 1]), cells(row))))
        tables.append(rows)
    return tables


def shown_on(page, css):
    """Returns the rows of a table of the page as lists [(header, text, small print)]."""
    return page.run(
        """const table = document.querySelector(arguments[0]);
        if (!table) return [];
        const heads = [...table.querySelectorAll('thead th')].map((e) => e.textContent);
        const text = (td) => {
          const copy = td.cloneNode(true);
          copy.querySelectorAll('small, .chance').forEach((e) => e.remove());
          return copy.textContent;
        };
        return [...table.querySelectorAll('tbody tr')].map((tr) => [...tr.cells].map((td, i) => [heads[i],
          text(td), td.querySelector('small:not(.also)')?.textContent ?? '']));""", css)


def same_text(text):
    return {"–": "-", "●": "*", "": "-"}.get(text, text)


def numbers(text):
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def assert_same(terminal, shown, elsewhere=frozenset()):
    """Compares all cells of two tables; headers that are there twice are compared in their order."""
    assert len(terminal) == len(shown) > 0
    for line, row in zip(terminal, shown):
        left = list(row)
        for header, cell in line:
            title = "cost" if header == "cost of 1000 runs" else header
            at = next((i for i, found in enumerate(left) if found[0] == title), None)
            if at is None:
                assert header in elsewhere, header
                continue
            _, text, small = left.pop(at)
            mid = re.sub(r" (\(.*\)|-\S+/\+\S+ %)$", "", cell)
            assert same_text(text) == same_text(mid), (header, line)
            if "(" in cell and header in ("time", "cost", "cost of 1000 runs"):
                assert numbers(small) == numbers(cell[cell.index("("):]), (header, cell, small)


def choose(page, name):
    page.run("""const select = document.querySelector(`#ranking select[aria-label="${arguments[0]}"]`);
        select.value = 'x'; select.dispatchEvent(new Event('change'))""", name)


def assert_multiples(page, terminal):
    for name, header in (("Time", "x time"), ("Cost", "x cost")):
        if header not in dict(terminal[0]):
            continue
        choose(page, name)
        told = [dict((head, text) for head, text, _ in row)[name.lower()]
                for row in shown_on(page, "#ranking table")]
        assert told == [dict(row)[header] for row in terminal]


def assert_first_screen(page, terminal, needs, text):
    first, second = page.texts(".sentence")[:2]
    best = dict(terminal[0])
    plain = first.replace("\u00a0", " ")
    assert best["machine"] in first and best["settings"] in first
    assert re.sub(r" (\(.*|-\S+/.*)$", "", best["time"]) in plain
    if best.get("offer", "-") != "-":
        assert f"under {best['offer']}" in first
    facts = page.run("return [...document.querySelectorAll('.facts div')].map((e) => "
                     "[e.querySelector('dt').textContent, e.querySelector('dd').firstChild.data])")
    assert dict(facts).get("Chance of being late") == best.get("P(late)")
    dates = re.findall(r"as of (\d{4}-\d\d-\d\d)", text)
    assert dict(facts).get("Oldest price") == min(dates, default=None)
    if needs:
        said = second.replace("\u00a0", " ").partition(";")[2]
        wanted = [cell for header, cell in needs[0] if header in ("at most", "at least") and cell != "-"]
        assert numbers(re.sub(r"instead of [^,.]*(\.\d+[^,.]*)?", "", said)) == [
            number for cell in wanted for number in numbers(cell)], (said, wanted)


@pytest.mark.parametrize("case", CASES)
def test_report_and_terminal_say_the_same(page, tmp_path, case):
    made = runs(priced=case != "without prices")
    (tmp_path / "made.jsonl").write_text("".join(json.dumps(run) + "\n" for run in made))
    (tmp_path / "prices.csv").write_text(OFFERS)
    assert lapcast(tmp_path, "import", "made.jsonl").returncode == 0
    ranked = lapcast(tmp_path, "rank", "--explain", *CASES[case])
    assert ranked.returncode == 0, ranked.stderr
    text = ranked.stdout.decode()
    told = tables_of(text)
    terminal = told[0]
    needs = next((rows for rows in told if "training" in dict(rows[0])), [])
    written = lapcast(tmp_path, "report", "-o", "page-report.html", *CASES[case])
    assert written.returncode == 0, written.stderr
    page.open_file(tmp_path / "page-report.html", width=2560)
    assert page.logs() == [] and page.failed() == []
    assert_same(terminal, shown_on(page, "#ranking table"), ELSEWHERE)
    spot = [rows for rows in told if "interruptions" in dict(rows[0])]
    assert bool(spot) == (SPOT[0] in CASES[case] and "--checkpoint" in CASES[case])
    if spot:
        assert_same(spot[0], shown_on(page, ".spot-trainings table"))
    assert_first_screen(page, terminal, needs, text)
    assert_multiples(page, terminal)
    page.run("document.querySelector('#chart-sensitivity details')?.setAttribute('open', '')")
    if page.all("#chart-sensitivity details"):
        page.wait("return document.querySelectorAll('#chart-sensitivity tbody tr').length > 0")
        assert_same(needs, shown_on(page, "#chart-sensitivity table"))
