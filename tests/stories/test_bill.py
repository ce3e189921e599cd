"""Tests bills: what is before a training, what a choice needs to win, and the chance to be late."""

import pytest

FLEET = """
[[machine]]
name = "far"
price = "0.90"
boot = "40s"
data = "932 MB"
link = "8.75 MB/s"
here = true

[[machine]]
name = "near"
price = "{near}"
here = true
"""


def swept(story, near="1.00", text=None):
    """Sweeps a program of machine types that are this computer, so that only prices differ."""
    fleet = story.fleet(text or FLEET.format(near=near))
    program = story.trainer("--epochs", 20, "--train", 6400, "--lap-ms", 8, "--batch", 64)
    story.lapcast("sweep", fleet.name, "--max-laps", 25, "--precision", "0.01%", "--",
                  *program).ok()
    return story


def ranked(story, *options):
    return story.lapcast("rank", "--json", *options).ok()


def test_sending_the_data_counts_and_the_lines_sum(story):
    swept(story)
    without = {row["machine_type"]: row for row in ranked(story).rows("candidates")}
    ended = ranked(story, "--include-transfer", "--bill")
    row = {row["machine_type"]: row for row in ended.rows("candidates")}
    assert row["far"]["data_in_s"] == pytest.approx(932 / 8.75)
    assert row["near"]["data_in_s"] is None
    assert row["far"]["time_s"] == pytest.approx(without["far"]["time_s"] + 932 / 8.75)
    assert row["near"]["cost_usd"] == without["near"]["cost_usd"]
    for name in ("far", "near"):
        bill = [line for line in ended.rows("bills") if line["machine_type"] == name]
        assert sum(line["amount_usd"] for line in bill) == pytest.approx(row[name]["cost_usd"],
                                                                         abs=1e-12)
    kinds = [line["what"] for line in ended.rows("bills") if line["machine_type"] == "far"]
    assert kinds[:3] == ["boot", "data in", "training"]


def test_the_price_that_is_needed_is_the_one_that_wins(story):
    swept(story)
    [need] = ranked(story, "--epochs", 20000, "--explain").rows("explanation")
    assert need["machine_type"] == "near"
    price = need["needed_price_usd_per_hour"]
    assert 0.90 <= price < 1.00
    text = story.lapcast("rank", "--epochs", 20000, "--explain").ok().out
    assert "near would be the cheapest if an hour cost at most" in text


def test_a_risk_limits_the_chance_to_be_late(story):
    swept(story)
    low, high = (ranked(story).rows("candidates")[0][key] for key in ("time_s", "time_s_high"))
    between = f"{(low + high) / 2:.6f}s"
    for row in ranked(story, "--deadline", between, "--risk", "40%").rows("candidates"):
        assert 0 < row["p_late"] <= 0.4
    ended = story.lapcast("rank", "--deadline", between, "--risk", "0.1%")
    assert ended.code == 1
    assert "the chance to miss the deadline" in ended.out
    ended = story.lapcast("rank", "--risk", "5%")
    assert ended.code == 2 and "--deadline" in ended.err


@pytest.mark.parametrize("line, what", [
    ('link = "fast"', "not a speed of a link"), ('link = "8 MB/s"', "how much is sent is not known"),
    ('data = "much"', "not a size"), ('data = true', "a number of bytes")])
def test_a_wrong_link_is_named(story, line, what):
    fleet = story.fleet(f'[[machine]]\nname = "a"\nprice = "1"\n{line}\n')
    ended = story.lapcast("sweep", fleet.name, "--", "true")
    assert ended.code == 3
    assert what in ended.err and "fleet" in ended.err


def test_a_spot_price_says_that_it_counts_no_interruption(story):
    swept(story)
    catalog = story.work / "spot.csv"
    catalog.write_text("name,provider,service,machine_type,price_usd_per_hour,terms,as_of,source\n"
                       "cheap,p,s,far,0.10,spot,2026-11-20,made up\n")
    ended = story.lapcast("rank", "--offers", catalog).ok()
    assert "count no interruption" in ended.out
    assert "count no interruption" not in story.lapcast("rank").ok().out


# The story's own fleet file begins with [prices].
OTHER_PRICES = """
licence_usd_per_hour = "0.10"
storage_usd_per_gb_month = "0.08"
snapshots_usd_per_gb_month = "0.05"
egress_usd_per_gb = "0.09"
tax = "19%"
"""


def test_licence_storage_egress_and_tax_have_lines(story):
    swept(story, text=OTHER_PRICES + FLEET.format(near="1.00"))
    ended = ranked(story, "--bill", "--disk", "200GB", "--egress", "5GB", "--snapshots", "50GB",
                   "--snapshots-kept", "30d")
    for row in ended.rows("candidates"):
        bill = {line["what"]: line["amount_usd"] for line in ended.rows("bills")
                if line["machine_type"] == row["machine_type"]}
        assert sum(bill.values()) == pytest.approx(row["cost_usd"], abs=2e-9)
        assert bill["egress"] == pytest.approx(5 * 0.09)
        assert bill["snapshots"] == pytest.approx(50 * 0.05 * 30 * 24 / 730)
        assert bill["tax"] == pytest.approx(0.19 * (row["cost_usd"] - bill["tax"]), abs=2e-9)
        billed = sum(line["billed_s"] or 0 for line in ended.rows("bills")
                     if line["machine_type"] == row["machine_type"])
        assert bill["licence"] == pytest.approx(0.10 * billed / 3600, rel=1e-6)
        assert bill["storage"] == pytest.approx(200 * 0.08 * billed / 3600 / 730, rel=1e-5)
    lone = story.lapcast("rank", "--snapshots", "50GB")
    assert lone.code == 2 and "--snapshots-kept" in lone.err
    below = story.lapcast("rank", "--max-cost", "0.2", "--egress", "5GB", "--json")
    assert {row["reason"].split(" is above ")[1] for row in below.rows("excluded")} == {
        "the limit of $0.20"}


def test_marginal_costs_count_what_is_paid_as_paid(story):
    swept(story, text="""
[[machine]]
name = "rented"
price = "0.10"
here = true

[[machine]]
name = "bought"
here = true
[machine.owned]
purchase = "25000"
years = 3
power_kw = 0.3
usd_per_kwh = "0.30"
""")
    first = [ranked(story, "--costs", costs).rows("candidates")[0] for costs in ("full", "marginal")]
    assert [row["machine_type"] for row in first] == ["rented", "bought"]
    assert first[1]["price_usd_per_hour"] == pytest.approx(0.09)
    assert "count as paid" in story.lapcast("rank", "--costs", "marginal").ok().out


def test_some_prices_with_tax_and_others_without_are_told(story):
    swept(story, text="""
[[machine]]
name = "gross"
price = "1.19"
here = true

[[machine]]
name = "net"
price = "1.00"
tax = "19%"
here = true
""")
    text = story.lapcast("rank").ok().out
    assert "net is billed with a tax of 19 %, gross without" in text
    costs = [row["cost_usd"] for row in ranked(story).rows("candidates")]
    assert costs[0] == pytest.approx(costs[1], rel=1e-6)
