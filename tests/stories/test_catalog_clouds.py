"""Tests what the catalog that comes with lapcast says of the large clouds: each accelerator that they rent,
by region and with a date, and what is missing where somebody looks for it."""

import csv
import pathlib
import re
from collections import defaultdict

import pytest

with open(pathlib.Path(__file__).parents[2] / "catalog" / "papers.csv", newline="") as papers:
    PAPERS = {row["name"] for row in csv.DictReader(papers)}
DAY = re.compile(r"20\d\d-\d\d-\d\d")


def offers(story, *options):
    """Returns the offers without those of the papers, which are for repeating them."""
    rows = story.lapcast("catalog", "--json", *options).ok().rows("offers")
    return [row for row in rows if row["name"] not in PAPERS]


def on_demand(story, provider):
    """Returns the machines of a provider by the name of their accelerator."""
    machines = defaultdict(set)
    for row in offers(story, "--provider", provider, "--terms", "on-demand"):
        machines[row["accelerator"]].add(row["machine_type"])
    return machines


def test_gcp_rents_a_machine_with_its_t4_by_region(story):
    rows = offers(story, "--gpu", "t4", "--provider", "gcp", "--terms", "on-demand")
    assert len({row["region"] for row in rows}) >= 20
    assert all(row["region"] and DAY.fullmatch(row["as_of"]) and row["source"] for row in rows)
    prices = {row["machine_type"]: row["price_usd_per_hour"] for row in rows
              if row["region"] == "us-central1"}
    # The machine costs $0.38 there, and a T4 $0.35.
    assert prices["n1-standard-8+1xT4"] == pytest.approx(0.38 + 0.35)
    assert prices["n1-standard-8+4xT4"] == pytest.approx(0.38 + 4 * 0.35)
    assert "n1-standard-64+1xT4" not in prices, "a machine of 64 vCPUs needs four"
    [alone] = [row for row in offers(story, "--find", "n1-standard-8/us-central1/on-demand")
               if row["machine_type"] == "n1-standard-8"]
    assert alone["accelerator"] == "" and alone["price_usd_per_hour"] == pytest.approx(0.38, abs=1e-3)
    # An accelerator is on its machine, not without one.
    assert all(row["vcpus"] for row in rows)
    assert {row["accelerator_count"] for row in rows} == {1, 2, 4}


def test_the_memory_of_an_accelerator_is_known_where_a_list_says_it(story):
    options = ["--gpu", "t4", "--provider", "gcp", "--terms", "on-demand"]
    assert offers(story, *options, "--min-gpu-memory", "16GiB") == offers(story, *options)
    assert offers(story, *options, "--min-gpu-memory", "17GiB") == []


@pytest.mark.parametrize("gpu, machine, regions", [
    ("v100", "p3.2xlarge", 10), ("t4", "g4dn.xlarge", 20), ("a100", "p4d.24xlarge", 10),
    ("h100", "p5.48xlarge", 5)])
def test_aws_has_a_price_by_region_with_its_date(story, gpu, machine, regions):
    rows = [row for row in offers(story, "--gpu", gpu, "--provider", "aws")
            if row["machine_type"] == machine]
    places = [row["region"] for row in rows]
    assert len(places) == len(set(places)) >= regions and all(places)
    assert all(DAY.fullmatch(row["as_of"]) and row["source"] for row in rows)


CLOUDS = {
    "aws": "A100 A10G B200 B300 H100 H200 Inferentia Inferentia2 K80 L4 L40S M60 T4 T4G Trainium V100",
    "gcp": "P4 P100 T4 V100 a100 a100-80gb h100-80gb h100-80gb-mega l4 rtx6000 tpu-v4-8 tpu-v5p-8 tpu-v6e-8",
    "azure": "A10 A100 A100-80GB GB200 H100 H200 M60 MI25 MI300X T4 V100 V100-32GB V620 V710",
}


@pytest.mark.parametrize("provider", CLOUDS)
def test_a_cloud_has_each_accelerator_of_its_lists(story, provider):
    machines = on_demand(story, provider)
    assert set(CLOUDS[provider].split()) <= set(machines)
    assert all(DAY.fullmatch(row["as_of"]) and row["region"] and row["source"]
               for row in offers(story, "--provider", provider))


def test_a_part_of_an_accelerator_is_no_whole_one(story):
    machines = on_demand(story, "azure")
    assert "Standard_NV6ads_A10_v5" in machines["1/6 A10"]
    assert machines["A10"] >= {"Standard_NV36ads_A10_v5", "Standard_NV72ads_A10_v5"}
    assert not any("NV6ads" in machine for machine in machines["A10"])
    # Who looks for an A10 finds both, and sees what each is.
    names = {row["accelerator"] for row in offers(story, "--provider", "azure", "--gpu", "a10", "--count", 1)}
    assert {"1/6 A10", "A10"} <= names


def test_what_is_missing_is_said_where_somebody_looks_for_it(story):
    hint = "`lapcast catalog update` fetches lists of today, `lapcast catalog import` reads one"
    spot = story.lapcast("catalog", "--provider", "aws", "--terms", "spot").ok().out
    assert "aws: no price matches; the catalog has none on spot, none without an accelerator" in spot
    assert hint in spot
    nowhere = story.lapcast("catalog", "--gpu", "gb300").ok().out
    assert "no offer matches" in nowhere and hint in nowhere
    # With prices, the gaps of their provider are told beside the age of the prices.
    t4 = story.lapcast("catalog", "--gpu", "t4", "--provider", "azure").ok().out
    assert re.search(r"azure: \d+ prices, of 2026-05-20; the catalog has none without an accelerator", t4)
    # Nothing is missing that the catalog has, and a catalog of one's own is as it is.
    assert "none" not in story.lapcast("catalog", "--gpu", "t4", "--provider", "gcp").ok().out
    (story.work / "mine.csv").write_text(
        "name,provider,machine_type,price_usd_per_hour,as_of,source\na,mine,m,1,2026-11-20,a list\n")
    own = story.lapcast("catalog", "--offers", "mine.csv").ok().out
    assert "mine: 1 price" in own and "none" not in own and hint not in own


def test_an_offer_of_machine_and_accelerator_prices_what_it_names(story):
    machine = "n1-standard-8+1xT4"
    fleet = story.fleet(f'[[machine]]\nname = "{machine}"\nhere = true\n').name
    story.lapcast("sweep", fleet, "--max-laps", 15, "--", *story.trainer("--epochs", 2)).ok()
    [row] = story.lapcast("rank", "--json").ok().rows("candidates")
    cheapest = min(offer["price_usd_per_hour"] for offer in offers(story, "--terms", "on-demand")
                   if offer["machine_type"] == machine)
    assert row["price_usd_per_hour"] == cheapest
