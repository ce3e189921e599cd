"""Pages with the long names of real clouds are readable on a telephone, a laptop and a large screen: no
label of a chart is cut, and what a choice is, takes and costs stands in the ranking without scrolling."""

import pytest

from conftest import cut_labels, sample

MACHINES = {
    "c7-small": "Standard_NC4as_T4_v3",
    "c7-large": "n1-standard-8+nvidia-tesla-t4",
    "lab-desk": "lab-desk-with-two-cards-of-2023",
    "g5-xlarge": "g5.xlarge",
    "p4-single": "Standard_NC24ads_A100_v4",
}


def rented():
    """Returns the sample with long names of machines, and offers."""
    document = sample()
    rank = document["rank"]
    tables = [rank["candidates"], rank["excluded"], rank["explanation"], rank["times_by_epochs"]]
    for row in [row for table in tables for row in table]:
        row["machine_type"] = MACHINES.get(row["machine_type"], row["machine_type"])
        row["offer"] = f"azure/vm/{row['machine_type']}/westeurope/on-demand"
    for row in rank["candidates"]:
        row["p_late"] = 0.3
    for best in rank["best"].values():
        best["machine_type"] = MACHINES[best["machine_type"]]
        best["offer"] = f"azure/vm/{best['machine_type']}/westeurope/on-demand"
    for part in document["repeats"]:
        for row in part["repeats"]:
            row["settings"] = {"algorithm": "paper", "device": "cpu", **row["settings"]}
    return document


# Which of the first six columns (#, machine, settings, offer, time, cost) cannot be read: a text that
# is not there, or not within the window without scrolling. A tight table has what a choice is below
# the machine.
UNREADABLE = """
const scroller = document.querySelector('#ranking .scroll');
const place = scroller.getBoundingClientRect();
return [...scroller.querySelectorAll('tbody tr')].flatMap((tr) => {
  const row = tr.item;
  const wanted = [String(row.rank), row.machine_type, lapcast.format.settings(row.settings), row.offer,
    lapcast.format.duration(row.time_s), lapcast.format.dollars(row.cost_usd)];
  const seen = [...tr.querySelectorAll('td, td *')].filter((e) => {
    const { left, right, height } = e.getBoundingClientRect();
    return height > 0 && left >= place.left - 1 && right <= place.right + 1;
  }).flatMap((e) => [e.textContent, [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('')]);
  return wanted.filter((text) => !seen.includes(text));
});"""


@pytest.mark.parametrize("width, theme, plain", [
    (390, "light", False), (390, "dark", True), (1280, "dark", False), (1280, "light", True),
    (2560, "light", False)])
def test_nothing_is_cut_and_six_columns_need_no_scrolling(page, width, theme, plain):
    page.prefer(theme)
    page.open(rented(), plain=plain, width=width)
    assert page.run("return lapcast.theme().dark") == (theme == "dark")
    assert page.run("return document.documentElement.scrollWidth") <= width
    assert cut_labels(page) == []
    assert page.run("return document.querySelectorAll('#ranking tbody tr').length") >= 19
    assert page.run(UNREADABLE) == []
    page.prefer("light")


def test_boxes_say_what_tells_them_apart_and_once_what_they_share(page):
    page.open(rented(), width=390)
    names = [trace["name"].replace("<br>", " ") for trace in page.traces("repeat-times")]
    boxes = [name for name in names if name != "warm-up"]
    assert boxes == ["small", "fast-gpu", "dear-gpu-with- a-long-name"]
    said = page.texts("#chart-repeat-times .says")
    assert said == ["All with algorithm=paper device=cpu batch=128."]


def test_the_first_screen_says_offer_chance_and_oldest_price(page):
    page.open(rented(), width=1280, plain=True)
    first = page.texts(".sentence")[0]
    assert "under azure/vm/Standard_NC4as_T4_v3/westeurope/on-demand" in first
    facts = dict(zip(page.texts(".facts dt"), page.run(
        "return [...document.querySelectorAll('.facts dd')].map((e) => e.firstChild.data)")))
    assert facts["Chance of being late"] == "30 %" and facts["Oldest price"] == "2026-11-01"
    below = page.run("return Math.max(...[...document.querySelectorAll('.facts dt')].filter((e) => "
                     "/late|Oldest/.test(e.textContent)).map((e) => e.getBoundingClientRect().bottom))")
    assert below <= 900
