"""The report page: it loads quietly, says its verdict, and its tables sort, filter and switch
units."""

import base64
import os

import pytest

from conftest import sample


def rows(page, section="#ranking"):
    return page.run(
        """return [...document.querySelectorAll(arguments[0] + ' .table tbody')][0].rows.length ?
        [...[...document.querySelectorAll(arguments[0] + ' .table tbody')][0].rows].map((row) =>
          [...row.cells].map((cell) => cell.firstChild?.textContent ?? '')) : []""",
        section,
    )


def press_header(page, text):
    page.run(
        """[...document.querySelectorAll('#ranking th button')].find((each) =>
        each.textContent === arguments[0]).click()""",
        text,
    )


def test_the_page_is_silent_and_asks_for_nothing(page):
    page.open(sample())
    assert page.failed() == []
    assert page.logs() == []
    assert page.requests() == []


def test_the_verdict_says_what_to_take_and_what_the_runner_up_needs(sample_page):
    first, second, _ = sample_page.texts(".sentence")
    best, next_best = sample()["rank"]["candidates"][:2]
    assert first.startswith(
        f"Take {best['machine_type']} with batch={best['settings']['batch']}: the training takes "
    )
    assert "and costs $" in first and first.endswith("with a probability of 83 %.")
    assert second.startswith(f"The runner-up, {next_best['machine_type']} with batch=")
    [needs] = [row for row in sample()["rank"]["explanation"] if row["rank"] == 2]
    said = "to be the cheapest it would need a price of at most "
    assert said in second and "per hour instead of $" in second
    shown = sample_page.run(
        "return [lapcast.format.dollars(arguments[0]), lapcast.format.duration(arguments[1])]",
        needs["needed_price_usd_per_hour"], needs["needed_training_s"])
    assert f"at most {shown[0]} per hour" in second and f"at most {shown[1]} instead" in second


def test_headers_sort_the_ranking_and_back(page):
    page.open(sample(), plain=True)
    fastest = min(sample()["rank"]["candidates"], key=lambda row: row["time_s"])
    press_header(page, "time")
    assert rows(page)[0][1:3] == [fastest["machine_type"], f"batch={fastest['settings']['batch']}"]
    assert page.find("#ranking th[aria-sort]").get_attribute("aria-sort") == "ascending"
    press_header(page, "time")
    slowest = max(sample()["rank"]["candidates"], key=lambda row: row["time_s"])
    assert rows(page)[0][1] == slowest["machine_type"]
    assert page.find("#ranking th[aria-sort]").get_attribute("aria-sort") == "descending"


def test_words_filter_the_ranking(page):
    page.open(sample(), plain=True)
    page.find("#ranking input[type=search]").send_keys("lab-desk batch=64")
    assert [row[1:3] for row in rows(page)] == [["lab-desk", "batch=64"]]
    assert page.texts("#ranking .said")[0].startswith("1 of ")
    page.run("document.querySelector('#ranking input[type=search]').value = ''")
    page.find("#ranking input[type=search]").send_keys(" ")
    page.find("#ranking input[type=checkbox]").click()
    front = [row for row in sample()["rank"]["candidates"] if row["pareto"]]
    assert len(rows(page)) == len(front)


def test_units_of_time_and_cost_can_be_chosen(page):
    page.open(sample(), plain=True)
    best = sample()["rank"]["candidates"][0]
    place = page.texts("#ranking .table thead th").index("time")
    choose = """const select =
          document.querySelector(`#ranking select[aria-label="${arguments[0]}"]`);
        select.value = arguments[1]; select.dispatchEvent(new Event('change'))"""
    page.run(choose, "Time", "h")
    assert float(rows(page)[0][place]) == pytest.approx(best["time_s"] / 3600, rel=0.005)
    page.run(choose, "Time", "x")
    assert rows(page)[0][place] == f"{best['relative_time']:.2f}"
    page.run(choose, "Cost", "x")
    assert rows(page)[0][place + 1] == "1.00"


def test_the_excluded_say_why(sample_page):
    reasons = sample_page.texts(".excluded td:last-child")
    assert reasons == [row["reason"] for row in sample()["rank"]["excluded"]]


def test_chances_are_never_sure(page):
    document = sample()
    document["rank"]["candidates"][0].update(p_cheapest=1.0, p_fastest=0.0)
    page.open(document, plain=True)
    assert "with a probability of > 99 %" in page.texts(".sentence")[0]
    text = " ".join(page.texts("#ranking td"))
    assert "> 99 %" in text and "< 1 %" in text and "100 %" not in text


def test_amounts_read_as_on_the_command_line(sample_page):
    write = "return arguments[1].map((value) => lapcast.format[arguments[0]](value))"
    assert sample_page.run(
        write, "duration", [312e-9, 4.21e-3, 18.3, 252, 11220, 187200, 59.96, 0, 3.2e9]
    ) == [
        "312 ns",
        "4.21 ms",
        "18.3 s",
        "4 min 12 s",
        "3 h 07 min",
        "2 d 4 h",
        "1 min 00 s",
        "0 s",
        "101 years",
    ]
    assert sample_page.run(write, "dollars", [12.24, 0.00314, -0.2, 0.117, 1234.5, 0, 0.9999]) == [
        "$12.24",
        "$0.00314",
        "-$0.20",
        "$0.117",
        "$1234.50",
        "$0.00",
        "$1.00",
    ]
    assert sample_page.run(write, "share", [0.0212, 0.5, 0.0004, 0]) == [
        "2.1 %",
        "50 %",
        "0.04 %",
        "0 %",
    ]
    assert sample_page.run(write, "chance", [0.991, 0.5, 0.009]) == ["> 99 %", "50 %", "< 1 %"]
    # Exact halves go to the even digit, 2.675 is a little less than its half.
    assert sample_page.run(write, "chance", [0.125, 0.375]) == ["12 %", "38 %"]
    assert sample_page.run(write, "duration", [2.675, 2.125, 12.25]) == ["2.67 s", "2.12 s", "12.2 s"]
    assert sample_page.run(write, "bytes", [812, 1536, 25769803776]) == [
        "812 B",
        "1.5 KiB",
        "24.0 GiB",
    ]


def test_csv_fields_start_no_formula(sample_page):
    text = sample_page.run("""return lapcast.csv({columns: [{key: '=a'}, {key: 'b'}],
        rows: [['=1+1', -2], ['+x', 'a,"b"'], ['@y', null], ['-z', 'two\\nlines']]})""")
    assert text == '\'=a,b\r\n\'=1+1,-2\r\n\'+x,"a,""b"""\r\n\'@y,\r\n\'-z,"two\nlines"\r\n'


def test_another_run_can_be_chosen(page):
    page.open(sample(), plain=True)
    run = sample()["runs"][2]["run"]["id"]
    page.run(
        """[...document.querySelectorAll('#runs .table button')].find((each) =>
        each.textContent === arguments[0]).click()""",
        run,
    )
    page.wait(f"return document.querySelector('.run-name').textContent.includes('{run}')")
    page.wait("return document.querySelector('#chart-moments').classList.contains('empty')")
    assert page.failed() == []


def contrast(a, b):
    """Returns the contrast of two colours "rgb(r, g, b)", as WCAG 2.1 defines it."""

    def luminance(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = [
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        ]
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_have_the_contrast_of_wcag(sample_page, theme):
    sample_page.prefer(theme)
    found = sample_page.run("return lapcast.theme()")
    assert found["dark"] == (theme == "dark")
    for name in ("text", "muted", "accent", "bad"):
        for ground in ("paper", "soft"):
            assert contrast(found[name], found[ground]) >= 4.5, (name, ground)
    for colour in found["colours"]:
        assert contrast(colour, found["paper"]) >= 3
    for _, colour in found["scale"]:
        assert contrast(found["text"], colour) >= 4.5, colour
    sample_page.prefer("light")


def test_the_button_switches_the_theme_of_page_and_charts(page):
    page.prefer("light")
    page.open(sample())
    light = page.run("return getComputedStyle(document.body).backgroundColor")
    page.find("#theme").click()
    assert page.run("return getComputedStyle(document.body).backgroundColor") != light
    dark = page.run("return lapcast.theme().paper")
    page.wait(
        "return document.querySelector('#chart-cost-time .plot')._fullLayout.paper_bgcolor"
        f" === '{dark}'"
    )
    assert page.find("#theme").get_attribute("aria-label") == "Switch to the light theme"


@pytest.mark.parametrize("plain, width", [(False, 390), (True, 390), (True, 1280), (True, 2560)])
def test_nothing_is_wider_than_the_window(page, plain, width):
    page.open(sample(), plain=plain, width=width)
    assert page.run("return document.documentElement.scrollWidth") <= width
    wide = page.run(
        """return [...document.querySelectorAll('.plot, h1, h2, h3, .sentence, figcaption')]
        .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
        .map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert wide == []


@pytest.mark.skipif(not os.environ.get("LAPCAST_LONG_TESTS"), reason="takes 15 s of CPU; ./check --full")
def test_the_page_prints(page):
    page.open(sample())
    pdf = base64.b64decode(
        page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
    )
    assert pdf.startswith(b"%PDF") and len(pdf) > 50_000
    assert page.run("return document.documentElement.dataset.theme ?? ''") == ""
    assert page.logs() == []


def test_everything_can_be_reached_by_keyboard_and_has_a_name(sample_page):
    nameless = sample_page.run(
        """return [...document.querySelectorAll('button, select, input, [role=img], a')]
        .filter((e) =>
        !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')))
        .map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    assert sample_page.run("return document.documentElement.lang") == "en"
    levels = sample_page.run(
        "return [...document.querySelectorAll('h1, h2, h3')].map((e) => Number(e.tagName[1]))"
    )
    assert levels[0] == 1 and levels.count(1) == 1


PARTS = {
    "one run": (["runs"], lambda d: d.update(runs=d["runs"][:1]), "the training takes"),
    "only failures": (
        ["runs"],
        lambda d: d.update(runs=d["runs"][-2:]),
        "None of the 2 runs can be forecast.",
    ),
    "nothing": ([], lambda d: None, "There is nothing to report"),
    "comparison": (["compare"], lambda d: None, "7.6 % better than A"),
    "suite": (["suite"], lambda d: None, "5 workloads of the suite"),
    "soak": (["soak"], lambda d: None, "of the time that it was wanted"),
    "epochs": (["epochs"], lambda d: None, "The target needs"),
}


@pytest.mark.parametrize("what", PARTS)
def test_a_report_of_one_kind_has_its_verdict_and_no_empty_section(page, what):
    keys, change, said = PARTS[what]
    document = {
        key: value
        for key, value in sample().items()
        if key in ["schema", "kind", "title", "made", *keys]
    }
    change(document)
    page.open(document, plain=True)
    assert said in " ".join(page.texts(".sentence"))
    assert page.failed() == [] and page.logs() == []
    assert page.run(
        """return [...document.querySelectorAll('main > section')]
        .every((e) => e.children.length > 1 || e.id === 'verdict')"""
    )
