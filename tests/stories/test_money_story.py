"""One story of money: from a price list that is fetched to a bill whose lines sum, with a discount
and a tax of the user; and two tables of Kunas 2023 from the same commands."""
from decimal import Decimal
from pathlib import Path

import pytest
from mlperf_log import training
from price_server import server  # noqa: F401

# In the format of SkyPilot's vms.csv, made up: two zones, a spot price that is none, and a price of
# an accelerator without its host.
PRICES = """InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone
big.8x,V100,8,64,488,24.48,7.344,eu-west-1,a
big.8x,V100,8,64,488,25.00,,eu-west-1,b
small.1x,V100,1,8,61,22.00,22.00,eu-west-1,a
,V100,1,,,2.50,,eu-west-1,a
"""
FLEET = """
[[machine]]
name = "big"
offer = "aws/big.8x/eu-west-1/on-demand"
here = true

[[machine]]
name = "small"
offer = "aws/small.1x/eu-west-1/on-demand"
here = true
"""
OWN = """tax = "19%"

[[discount]]
name = "framework contract"
provider = "aws"
family = "big."
percent = 12.5

[[override]]
offer = "aws/big.8x/eu-west-1/on-demand"
boot = "90s"
"""


def nanos(amount):
    """Returns the whole nano-dollars of a figure in JSON."""
    return int((Decimal(str(amount)) * 10**9).to_integral_value())


def ranked(story, *options):
    return story.lapcast("rank", "--json", *options).ok()


def bill_of(ended, machine):
    return {line["what"]: nanos(line["amount_usd"]) for line in ended.rows("bills")
            if line["machine_type"] == machine}


def test_from_a_fetched_price_to_a_bill_that_sums(story, server):
    url, paths = server
    paths["/vms.csv"] = PRICES.encode()
    fetched = story.lapcast("catalog", "update", "--url", url + "/vms.csv", "--provider",
                            "aws").ok()
    assert "1 refused: spot: not below the price on demand" in fetched.err
    assert "1 refused: no machine type" in fetched.err
    config = story.folder / ".config"
    config.mkdir(exist_ok=True)
    (config / "lapcast-prices.toml").write_text(OWN)

    why = story.lapcast("catalog", "why", "aws/big.8x/eu-west-1/on-demand", "--json").ok()
    steps = [(step["step"], nanos(step["price_usd_per_hour"])) for step in why.rows("price_steps")]
    # 24.48 less 12.5 % is 21.42: with it, and only with it, big is the cheaper one per hour.
    assert steps == [("listed", 24_480_000_000), ("override", 24_480_000_000),
                     ("discount", 21_420_000_000), ("tax", 21_420_000_000)]
    assert url in why.rows("price_steps")[0]["source"]

    fleet = story.fleet(FLEET)
    program = story.trainer("--epochs", 20, "--train", 6400, "--lap-ms", 8, "--batch", 64)
    story.lapcast("sweep", fleet.name, "--max-laps", 25, "--precision", "0.01%", "--",
                  *program).ok()

    ended = ranked(story, "--epochs", 20000, "--deadline", "24h", "--risk", "5%", "--bill",
                   "--egress", "5GB")
    rows = {row["machine_type"]: row for row in ended.rows("candidates")}
    assert set(rows) == {"big", "small"}
    assert nanos(rows["big"]["price_usd_per_hour"]) == 21_420_000_000
    assert all(row["p_late"] <= 0.05 for row in rows.values())
    for name, row in rows.items():
        bill = bill_of(ended, name)
        assert sum(bill.values()) == nanos(row["cost_usd"])
        # Half of a nano-dollar is what one rounding may be off.
        assert abs(bill["tax"] - 0.19 * (sum(bill.values()) - bill["tax"])) <= 0.5
    assert bill_of(ended, "big")["boot"] == 90 * 21_420_000_000 // 3600
    assert "boot" not in bill_of(ended, "small")

    # A deadline between the two times leaves out the machine that boots for 90 s.
    late = f"{rows['small']['time_s'] + 45:.3f}s"
    tight = story.lapcast("rank", "--epochs", 20000, "--deadline", late, "--json").ok()
    assert [row["machine_type"] for row in tight.rows("candidates")] == ["small"]

    # Without the own prices the other machine is the cheaper one, and no bill has a tax.
    (story.work / "none.toml").write_text("")
    listed = ranked(story, "--epochs", 20000, "--bill", "--own-prices", "none.toml")
    assert listed.rows("candidates")[0]["machine_type"] == "small"
    assert not any(line["what"] == "tax" for line in listed.rows("bills"))
    for row in listed.rows("candidates"):
        assert sum(bill_of(listed, row["machine_type"]).values()) == nanos(row["cost_usd"])


# Kunas 2023, section 6.3 and table 6.2: costs in USD of a training on the local P100 node, on a
# TPUv3 on demand and on a preemptible one; the saving of the last in percent; and, of section 6.1,
# how many times as fast as the local node a TPUv3 trains.
PAPER = {
    "nn-twins": ("0.060", "0.10", "0.030", 49.50, "1.68"),
    "rnn-sa": ("0.106", "0.052", "0.016", 84.91, "5.74"),
    "ic-dr": ("3.44", "1.72", "0.52", 84.88, "5.63"),
}
LOCAL_PRICE = 25000 / 8760  # USD per hour, of table 4.1
PAPERS_CSV = Path(__file__).parents[2] / "catalog" / "papers.csv"
# The paper bills exact times, and calls a preemptible TPU "about 3.3 times better": 69.7 % less.
EXACT_TIME = '[[override]]\noffer = "gcp/tpu/TPUv3-8/on-demand"\nbilling_step = "0s"\n'
PREEMPTIBLE = EXACT_TIME + '[[discount]]\nfamily = "TPUv3-8"\npercent = "69.7"\n'


def half_unit(text):
    """Returns half of the last digit of a printed number: how far its rounding may be off."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def costs(story, own):
    (story.work / "own.toml").write_text(own)
    ended = ranked(story, "--all", "--offers", PAPERS_CSV, "--own-prices", "own.toml")
    return {row["machine_type"]: row["cost_usd"] for row in ended.rows("candidates")}


@pytest.mark.parametrize("application", PAPER)
def test_the_costs_of_a_paper_come_out(story, application):
    local, on_demand, preemptible, saving, faster = PAPER[application]
    local_s = float(local) / LOCAL_PRICE * 3600
    for machine, seconds in (("P100-node", local_s), ("TPUv3-8", local_s / float(faster))):
        # The made log lasts 16 s more than its ten epochs.
        log = story.work / f"{machine}.log"
        log.write_text(training(epoch_s=(seconds - 16) / 10, platform=machine))
        story.lapcast("import", "mllog", log).ok()
    off = half_unit(local) / float(local) + half_unit(faster) / float(faster)

    table_6_3 = costs(story, EXACT_TIME)
    assert table_6_3["P100-node"] == pytest.approx(float(local), rel=1e-4)
    assert table_6_3["TPUv3-8"] == pytest.approx(
        float(on_demand), abs=half_unit(on_demand) + off * float(on_demand))
    table_6_2 = costs(story, PREEMPTIBLE)
    assert table_6_2["TPUv3-8"] == pytest.approx(
        float(preemptible), abs=half_unit(preemptible))
    saved = 100 * (1 - table_6_2["TPUv3-8"] / table_6_2["P100-node"])
    # The paper prints the saving of costs that it has rounded.
    assert saved == pytest.approx(saving, abs=100 * half_unit(preemptible) / float(local))
