"""Stories of a user who ranks offers on machines that were not measured beside those that were."""

import re

OFFERS = """\
name,provider,machine_type,region,accelerator,accelerator_count,vcpus,price_usd_per_hour,terms,as_of,source
cloud/c4,cloud,c4,eu,,0,4,0.20,on-demand,2026-11-01,list
cloud/c64,cloud,c64,eu,,0,64,90,on-demand,2026-11-01,list
cloud/t4,cloud,t4,eu,T4,1,4,0.40,on-demand,2026-11-01,list
"""


def measured(story):
    """Probes a training of 2.8 h on this machine, at 0.30 USD an hour."""
    (story.work / "offers.csv").write_text(OFFERS)
    story.lapcast("sweep", "--price", "0.30", "--max-laps", 12, "--",
                  *story.trainer("--exact", "--laps", 1_000_000, "--lap-ms", 10)).ok()
    return ["--with-unmeasured", "--offers", "offers.csv"]


def test_both_are_ranked_and_marked(story):
    options = measured(story)
    shown = story.lapcast("rank", *options, "--json").ok()
    rows = {row["machine_type"]: row for row in shown.rows("candidates")}
    assert {name: row["provenance"] for name, row in rows.items()} == {
        "this-machine": "measured", "c4": "transferred", "c64": "transferred"}
    assert rows["c64"]["time_s"] < rows["c4"]["time_s"]
    for name in ("c4", "c64"):
        assert rows[name]["time_s_high"] > 1.5 * rows[name]["time_s_low"]
        assert rows[name]["run"] in (None, "")
    assert abs(sum(row["p_cheapest"] for row in rows.values()) - 1) < 1e-6
    assert any("no ratio holds from a machine without an accelerator" in note["text"] for note in shown.json["notes"])
    for form in ("csv", "markdown", "table"):
        assert "transferred" in story.lapcast("rank", *options, "--format", form).ok().out


def test_machines_without_enough_memory_are_left_out_with_the_figure(story):
    options = measured(story)
    header, c4, c64, t4 = OFFERS.splitlines()
    (story.work / "offers.csv").write_text("\n".join(
        [header + ",memory_gib", c4 + ",0.0005", c64 + ",64", t4 + ",0.0005", ""]))
    shown = story.lapcast("rank", *options, "--json").ok()
    assert {row["machine_type"] for row in shown.rows("candidates")} == {"this-machine", "c64"}
    assert any(re.search(r"less main memory than the [0-9.]+ [KMG]iB that the program used", note["text"])
               for note in shown.json["notes"])


def test_without_the_option_nothing_changes(story):
    measured(story)
    rows = story.lapcast("rank", "--offers", "offers.csv", "--json").ok().rows("candidates")
    assert [row["machine_type"] for row in rows] == ["this-machine"] and rows[0]["provenance"] == "measured"


def test_drawings_and_pages_mark_what_was_not_measured(story):
    options = measured(story)
    drawn = story.lapcast("rank", *options, "--plot", "--plain").ok().out
    assert re.search(r"c4 +.*\|\.*o\.*\|", drawn) and re.search(r"this-machine +.*[|o-]", drawn), drawn
    story.lapcast("report", *options, "-o", "page.html").ok()
    page = (story.work / "page.html").read_text()
    assert '"provenance"' in page and "transferred" in page


def test_the_answer_names_what_was_not_measured(story):
    options = measured(story)
    (story.work / "offers.csv").write_text(OFFERS.replace("0.20", "0.02"))
    answer = story.lapcast("rank", *options).ok().out.splitlines()
    assert any("CHEAPEST" in line and "c4 (transferred)" in line for line in answer), answer


def test_what_is_exported_was_measured(story):
    options = measured(story)
    story.lapcast("rank", *options, "--export", "skypilot").refused(2, "leave --with-unmeasured out")
    story.lapcast("rank", "--numbers", "amp").refused(2, "--with-unmeasured")
