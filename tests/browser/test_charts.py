"""The charts: each is drawn with its points, with Plotly and without, reacts to the pointer,
    and stays
quick with a million laps."""

import random

import preview
from conftest import ROOT, sample


def points(traces, mode="markers"):
    return sum(
        len([x for x in trace["x"] if x is not None]) for trace in traces if mode in trace["mode"]
    )


def expected(document):
    """Returns for each chart a function from its traces to a number, and this number."""
    runs, rank, suite, soak, spot = (
        document[key] for key in ("runs", "rank", "suite", "soak", "spot"))
    full = runs[0]
    count = lambda traces: sum(len(trace["x"]) for trace in traces)
    cells = lambda traces: sum(value is not None for line in traces[0]["z"] for value in line)
    candidates = len(rank["candidates"])
    return {
        "cost-time": (points, candidates),
        "chances": (count, 12),
        "bills": (count, 13 * 12),
        "deadline": (count, len(rank["deadline_costs"]) + 4),
        "sensitivity": (count, sum(row[key] is not None for row in rank["explanation"][:10]
                                   for key in row if key.startswith("needed_"))),
        "energy": (points, len(rank["energy"])),
        "spot-job": (
            lambda traces: points(traces, "lines") // 2,
            len(spot["steps"]) + sum(span["what"] == "there" for span in spot["trace"]),
        ),
        "heat-time": (cells, candidates),
        "heat-cost": (cells, candidates),
        "heat-accuracy": (cells, candidates),
        "epochs-time": (count, 8 * 6),
        "forecast-real": (
            points,
            len(document["verify"]["verified"]) + len(document["verify"]["real_runs"]),
        ),
        "race": (
            lambda traces: sum(len(t["x"]) for t in traces if t["type"] == "bar"),
            len(document["race"]["timeline"]),
        ),
        "search-cost": (count, 3),
        "laps": (
            lambda traces: sum(len(t["x"]) for t in traces if t["yaxis"] == "y"),
            full["laps"]["count"],
        ),
        "gpus": (count, 2 * full["gpu_load"]["count"]),
        "lap-histogram": (lambda traces: sum(traces[0]["y"]), full["laps"]["count"] - 15),
        "moments": (lambda traces: len(traces[2]["x"]), len(full["forecasts"])),
        "metrics": (count, len(full["metrics"])),
        "compare": (
            lambda traces: sum(len(t["y"]) for t in traces),
            len(document["compare"]["values"]),
        ),
        "compare-sets": (points, 2),
        "learning": (
            lambda traces: points([t for t in traces if "markers" in t["mode"]]),
            sum(len(fan["points"]) for fan in document["epochs"]["fans"]),
        ),
        "epochs-needed": (points, 3),
        "repeat-times": (
            lambda traces: sum(len(t["y"]) for t in traces),
            len(document["repeats"][0]["values"]),
        ),
        "repeat-p-time": (cells, 6),
        "repeat-p-accuracy": (cells, 6),
        "repeat-p-test-time": (cells, 6),
        "paper-malta-4-3": (points, 8),
        "paper-malta-4-6": (points, 8),
        "paper-malta-5-4": (count, 6),
        "paper-malta-2": (count, 3),
        "paper-malta-7-9": (count, 6),
        "paper-malta-6-1": (lambda traces: sum(len(t["y"]) for t in traces), 11),
        "suite-time": (count, 5),
        "suite-throughput": (count, 5),
        "queens-nodes": (count, 12),
        "queens-speed-up": (count, 12),
        "stages": (count, 20),
        "stage-speed-ups": (count, 2),
        "sessions": (lambda traces: points(traces, "lines") // 2, len(soak["sessions"])),
        "hours": (count, 48),
        "session-survival": (
            lambda traces: len(traces[2]["x"]) + len(traces[5]["x"]),
            len(soak["session_survival"]) + 2,
        ),
    }


def test_every_chart_is_drawn_with_its_points(sample_page):
    document = sample()
    assert sample_page.failed() == []
    drawn = sample_page.charts()
    wanted = expected(document)
    registered = sample_page.run(
        "return [...lapcast.charts, ...lapcast.families.flatMap((charts_of) => "
        "charts_of(lapcast.page))].map((chart) => chart.name)"
    )
    assert sorted(drawn) == sorted(registered)
    assert set(wanted) <= set(drawn)
    for name, (count, number) in wanted.items():
        assert count(sample_page.traces(name)) == number, name
    assert sample_page.run(
        "return [...document.querySelectorAll('.chart')].every((e) => e.dataset.drawn === 'plotly')"
    )


def test_every_chart_has_a_question_and_a_table(sample_page):
    problems = sample_page.run(
        """return [...lapcast.charts, ...lapcast.families.flatMap((charts_of) =>
            charts_of(lapcast.page))].filter((chart) => !chart.title || !/[.?)]$/.test(chart.question))
            .map((chart) => chart.name)"""
    )
    assert problems == []
    sample_page.run("document.querySelectorAll('.behind').forEach((each) => { each.open = true; })")
    sample_page.wait(
        "return [...document.querySelectorAll('.behind')].every((each) => "
        "each.querySelector('tbody tr td'))"
    )
    assert sample_page.logs() == []


def test_the_chart_of_gpus_says_their_power_and_set_up(sample_page):
    sample_page.wait("return document.querySelector('#chart-gpus').dataset.drawn === 'plotly'")
    [said] = sample_page.run(
        "return [...document.querySelectorAll('#chart-gpus .says')].map((each) => each.textContent)"
    )
    assert said.startswith("Power: idle GPUs 78 W, start-up 112 W, training 655 W. GPU 0: NVIDIA A100"), said
    assert "driver 550.54.15, limit 400 W, top clock 1410 MHz, ECC on" in said, said
    said_by = sample_page.run("return [...document.querySelectorAll('.says')].filter((e) => !e.hidden)"
                              ".map((e) => e.closest('.chart').id)")
    assert [name for name in said_by if not name.startswith("chart-repeat-")] == ["chart-gpus"]


def test_docs_name_every_chart(sample_page):
    text = (ROOT / "docs/report.md").read_text()
    assert [
        title
        for title in sample_page.run("return lapcast.charts.map((chart) => chart.title)")
        if title not in text
    ] == []


def pointer(page, kind, x, y):
    page.driver.execute_cdp_cmd(
        "Input.dispatchMouseEvent",
        {
            "type": kind,
            "x": x,
            "y": y,
            "button": "left" if kind != "mouseMoved" else "none",
            "clickCount": 0 if kind == "mouseMoved" else 1,
        },
    )


def test_pointing_shows_a_choice_and_a_click_jumps_to_its_row(page):
    page.open(sample())
    best = sample()["rank"]["candidates"][0]
    place = page.run(
        """const plot = document.querySelector('#chart-cost-time .plot'),
            box = plot.getBoundingClientRect(), full = plot._fullLayout;
        const trace = plot.data.find((each) => each.customdata?.includes(0)),
            i = trace.customdata.indexOf(0);
        return [box.left + full.xaxis._offset + full.xaxis.d2p(trace.x[i]),
            box.top + full.yaxis._offset + full.yaxis.d2p(trace.y[i])]"""
    )
    pointer(page, "mouseMoved", place[0] - 30, place[1])
    pointer(page, "mouseMoved", *place)
    page.wait("return document.querySelector('.hoverlayer text') !== null")
    assert best["machine_type"] in " ".join(page.texts(".hoverlayer text"))
    pointer(page, "mousePressed", *place)
    pointer(page, "mouseReleased", *place)
    page.wait("return document.querySelector('tr.shown') !== null")
    assert best["machine_type"] in page.texts("tr.shown")[0]


def test_a_chart_can_be_saved_as_svg_and_png(page):
    page.open(sample())
    page.run(
        "window.saved = {}; URL.createObjectURL = (blob) => { saved[blob.type] = blob.size; "
        "return 'data:,'; }"
    )
    for name in ("SVG", "PNG", "CSV"):
        page.run(
            "[...document.querySelectorAll('#chart-cost-time .tools button')].find((b) => "
            "b.textContent === arguments[0]).click()",
            name,
        )
    page.wait("return Object.keys(saved).length === 3")
    saved = page.run("return saved")
    assert saved["image/svg+xml"] > 5000 and saved["image/png"] > 5000 and saved["text/csv"] > 500
    assert page.logs() == []


def test_without_plotly_charts_are_plain_svg_and_the_page_says_so(page):
    document = sample()
    page.open(document, plain=True)
    assert page.failed() == [] and page.logs() == [] and page.requests() == []
    assert len(page.all(".plain-notice")) == 1
    assert page.run(
        "return [...document.querySelectorAll('.chart')].every((e) => e.dataset.drawn === 'plain' "
        "&& e.querySelector('svg.plain'))"
    )
    marks = lambda name: page.run(
        "return document.querySelectorAll(`#chart-${arguments[0]} .mark`).length", name
    )
    assert marks("cost-time") == len(document["rank"]["candidates"])
    assert marks("heat-time") == len(document["rank"]["candidates"])
    assert marks("repeat-p-time") == 6
    assert marks("repeat-times") == len(document["repeats"][0]["values"])
    hollow = page.run(
        "return [...document.querySelectorAll('#chart-repeat-times .mark')].filter((e) => "
        "e.getAttribute('stroke-width') === '1.5').length"
    )
    assert hollow == 3
    assert marks("paper-malta-4-3") == 8 and marks("paper-malta-7-9") == 6
    assert marks("compare") == len(document["compare"]["values"])
    assert marks("bills") == 13 * 12
    assert marks("energy") == len(document["rank"]["energy"])
    bad = page.run(
        "return [...document.querySelectorAll('svg.plain *')].filter((e) => "
        "[...e.attributes].some((a) => /NaN|undefined|Infinity/.test(a.value))).length"
    )
    assert bad == 0
    title = page.texts("#chart-cost-time .mark title")[0]
    assert "cost $" in title and "<b>" not in title


def million_laps():
    dice = random.Random(1)
    laps = [int(40e6 * dice.gauss(1, 0.02)) for _ in range(1_000_000)]
    laps[777_777] = 1_234_567_890
    laps[333_333] = 1_000_000
    document = {
        key: value for key, value in sample().items() if key in ("schema", "kind", "title", "runs")
    }
    document["runs"] = document["runs"][:1]
    document["runs"][0]["laps"] = preview.packed({"gap_ns": [100_000] * len(laps), "time_ns": laps})
    return document


def test_a_million_laps_stay_smooth_and_keep_their_extremes(page):
    page.open(million_laps())
    assert page.failed() == [] and page.logs() == []
    laps = [trace for trace in page.traces("laps") if trace["yaxis"] == "y"]
    drawn = [value for trace in laps for value in trace["y"]]
    assert len(drawn) < 2200
    assert max(drawn) > 1234 and min(drawn) < 1.01  # ms
    # Zooming draws other points.
    shown = page.driver.execute_async_script(
        """const done = arguments[0], plot = document.querySelector('#chart-laps .plot');
        Plotly.relayout(plot, {'xaxis.range[0]': 2,
            'xaxis.range[1]': 2.01})
          .then(() => requestAnimationFrame(
              () => done(plot.data.reduce((n, t) => n + t.x.length, 0))))"""
    )
    assert 800 < shown < 1200  # the laps of 36 s


def test_a_fan_opens_to_the_epochs_that_are_needed(sample_page):
    epochs = sample()["epochs"]
    ahead = [row for row in epochs["epochs"] if not row["reached"]]
    fans = [t for t in sample_page.traces("learning") if "markers" not in t["mode"]]
    ends = [(trace["x"][-1], trace["y"][-1]) for trace in fans]
    assert ends == [(row[key], epochs["fans"][0]["target"]) for row in ahead
                    for key in ("epochs_low", "epochs_high", "epochs")]
