"""Tests `lapcast catalog`: filters, importers of other lists, updates from a server, and why."""
import csv
import gzip
import io

import pytest
from price_server import server  # noqa: F401

HEADER = "InstanceType,Price,SpotPrice,Region,AcceleratorName,AcceleratorCount\n"
LIST = HEADER + "p3,3.06,0.9,us-east-1,V100,1\np3,3.06,0.8,us-east-1,V100,1\n,1,,us-east-1,A100,1\n"
BAD_INPUT = 3


def never_answers(_, over):
    over.wait(600)


def only_headers(handler, over):
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    over.wait(600)


def endless(handler, over):
    """Sends rows that could be used, without end and without saying how many they are."""
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(HEADER.encode())
    while not over.is_set():
        handler.wfile.write(b"p3,0.01,,us-east-1,V100,1\n" * 1000)


def gigabyte(handler, _):
    handler.send_response(200)
    handler.send_header("Content-Length", str(1 << 30))
    handler.end_headers()
    handler.wfile.write(HEADER.encode())


def cut(handler, _):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(LIST.encode())


def moved_to(address):
    def moved(handler, _):
        handler.send_response(301)
        handler.send_header("Location", address)
        handler.end_headers()
        handler.wfile.write(LIST.encode())
    return moved


def update(story, url, **options):
    return story.lapcast("catalog", "update", "--url", url, "--provider", "aws", **options)


def test_the_shipped_prices_are_filtered_and_dated(story):
    ended = story.lapcast("catalog", "--gpu", "a100", "--count", 8, "--provider", "gcp", "--region",
                          "europe", "--terms", "spot", "--max-price", 20, "--json").ok()
    rows = ended.rows("offers")
    assert len(rows) > 1
    assert all("a100" in row["accelerator"] and row["accelerator_count"] == 8 for row in rows)
    assert all(row["region"].startswith("europe") and row["terms"] == "spot" for row in rows)
    prices = [row["price_usd_per_hour"] for row in rows]
    assert prices == sorted(prices) and prices[-1] <= 20
    assert f"gcp: {len(rows)} prices, of 2026-07-30" in story.lapcast(
        "catalog", "--gpu", "a100", "--count", 8, "--provider", "gcp", "--region", "europe",
        "--terms", "spot", "--max-price", 20).ok().out
    for provider in ("azure", "lambda", "vast", "aws", "oci", "runpod"):
        assert story.lapcast("catalog", "--provider", provider, "--json").ok().rows("offers")


def test_an_imported_list_is_a_catalog_and_says_what_it_refused(story):
    (story.work / "vms.csv.gz").write_bytes(gzip.compress(LIST.encode()))
    ended = story.lapcast("catalog", "import", "skypilot", "vms.csv.gz", "--provider", "aws",
                          "--as-of", "2026-11-20").ok()
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(ended.out))}
    assert set(rows) == {"aws/p3/us-east-1/on-demand", "aws/p3/us-east-1/spot"}
    assert rows["aws/p3/us-east-1/spot"]["price_usd_per_hour"] == "0.8"
    assert "1 refused: no machine type" in ended.err
    (story.work / "mine.csv").write_text(ended.out)
    listed = story.lapcast("catalog", "--offers", "mine.csv", "--json").ok().rows("offers")
    assert [row["price_usd_per_hour"] for row in listed] == [0.8, 3.06]
    why = story.lapcast("catalog", "why", "aws/p3/us-east-1/spot", "--offers", "mine.csv",
                        "--json").ok().json["price"]
    assert why["source"] == "vms.csv.gz" and why["as_of"] == "2026-11-20"
    (story.work / "later.csv").write_text(ended.out.replace(",0.8,", ",0.4,"))
    [change] = story.lapcast("catalog", "diff", "mine.csv", "later.csv",
                             "--json").ok().rows("price_changes")
    assert change["name"] == "aws/p3/us-east-1/spot" and change["change"] == -0.5


def test_a_list_without_dates_is_refused(story):
    (story.work / "vms.csv").write_text(LIST)
    ended = story.lapcast("catalog", "import", "skypilot", "vms.csv", "--provider", "aws")
    assert ended.code == BAD_INPUT and "2 refused: no date" in ended.err and not ended.out


WHY = ["catalog", "why", "aws/p3/us-east-1/spot", "--json"]


def test_an_update_wins_over_older_prices(story, server):
    url, paths = server
    assert story.lapcast("catalog", "diff", "--json").ok().rows("price_changes") == []
    assert "no list was fetched yet" in story.lapcast("catalog", "diff").ok().out
    paths["/vms.csv"] = LIST.encode()
    assert "1 of 1 lists were read" in update(story, url + "/vms.csv").ok().err
    assert story.lapcast(*WHY).ok().json["price"]["price_usd_per_hour"] == 0.8
    paths["/vms.csv"] = LIST.replace("0.8", "0.7").encode()
    update(story, url + "/vms.csv").ok()
    assert story.lapcast(*WHY).ok().json["price"]["price_usd_per_hour"] == 0.7
    # Compared with the prices that came with lapcast, only these are new.
    changes = story.lapcast("catalog", "diff", "--json").ok().rows("price_changes")
    assert {change["name"]: change["after_usd_per_hour"] for change in changes} == {
        "aws/p3/us-east-1/spot": 0.7, "aws/p3/us-east-1/on-demand": 3.06}
    one = story.lapcast("catalog", "diff", "mine.csv")
    assert one.code == 2 and "name two catalogs" in one.err


BAD_SERVERS = {
    "/silent": (never_answers, "did not come within 1.50 s"),
    "/headers": (only_headers, "did not come within 1.50 s"),
    "/endless": (endless, "did not come within 1.50 s"),
    "/gigabyte": (gigabyte, "longer than 64 MiB"),
    "/cut": (cut, "the connection broke off"),
    "/moved": (None, "302, a redirection"),
    "/http": (moved_to("http://127.0.0.1:1/vms.csv"), "301, a redirection"),
    "/https": (moved_to("https://127.0.0.2:1/vms.csv"), "301, a redirection"),
    "/page": (b"<html>not today</html>", "does not name the columns"),
    "/empty": (b"", "the list is empty"),
    "/nothing": (HEADER.encode(), "no price of it can be used"),
    "/bytes": (b"\xff\x00\xfe" * 1000, "does not name the columns"),
    "/bomb.gz": (gzip.compress(bytes(300 << 20), 6), "longer than"),
    "/many.gz": (gzip.compress((HEADER + "".join(f"m{row},1,,r,,\n" for row in range(400_001))).encode(), 1),
                 "more than 400000 offers"),
    "/half.gz": (gzip.compress(LIST.encode())[:-9], "end too early"),
}


def kept_files(story):
    """Returns the bytes of each file beside the store, by its name."""
    return {file.name: file.read_bytes() for file in story.store.parent.iterdir() if file.is_file()}


def test_a_bad_server_leaves_the_prices_as_they_were(story, server):
    url, paths = server
    paths["/vms.csv"] = LIST.encode()
    update(story, url + "/vms.csv").ok()
    before, files = story.lapcast(*WHY).ok().json, kept_files(story)
    assert "prices.csv" in files
    for path, (answer, why) in BAD_SERVERS.items():
        if answer is not None:
            paths[path] = answer
        ended = update(story, url + path, env={"LAPCAST_FETCH_TIME": "1.5s"})
        assert ended.code == 1 and why in ended.err, path
        [line] = [line for line in ended.err.splitlines() if "stay as they were" in line]
        assert path in line
        assert kept_files(story) == files, path
    assert story.lapcast(*WHY).ok().json == before


def test_only_https_is_fetched_from_elsewhere(story):
    for address in ("http://example.org/vms.csv", "file:///etc/passwd",
                    "http://127.0.0.1:80@example.org/"):
        ended = update(story, address)
        assert ended.code == 1 and "only addresses that begin with https://" in ended.err
    ended = update(story, "http://127.0.0.1:1/vms.csv")
    assert ended.code == 1 and "no server answers there" in ended.err
    for wrong in ("soon", "-1s", "2h"):
        ended = update(story, "http://127.0.0.1:1/vms.csv", env={"LAPCAST_FETCH_TIME": wrong})
        assert ended.code == 1 and "LAPCAST_FETCH_TIME" in ended.err


OWN = """
[currency.EUR]
usd = 1.08
as_of = "2026-11-01"
source = "a bank"

[[override]]
offer = "mine/quoted"
price = "20"
currency = "EUR"
as_of = "2026-11-02"
source = "quote 4711"
boot = "90s"

[[discount]]
name = "contract"
provider = "mine"
percent = 10

[[discount]]
family = "v100"
percent = 12.5
"""
MINE = """name,provider,machine_type,accelerator,price_per_hour,currency,terms,as_of,source
mine/quoted,mine,a,,100,USD,,2026-11-20,a list
mine/euro,mine,b,V100,10,EUR,,2026-11-20,a list
mine/spot,mine,c,,1,USD,spot,2026-11-20,a list
mine/franc,mine,d,,1,CHF,,2026-11-20,a list
"""


def steps_of(story, name, *options, **more):
    ended = story.lapcast("catalog", "why", name, "--offers", "mine.csv", "--json", *options, **more)
    return [(step["step"], step["price_usd_per_hour"]) for step in ended.ok().rows("price_steps")]


def test_own_prices_change_every_offer_and_each_step_is_told(story):
    (story.work / "mine.csv").write_text(MINE)
    listed = story.lapcast("catalog", "--offers", "mine.csv", "--json").ok()
    assert "no rate for 'EUR'" in listed.err
    prices = {row["name"]: row["price_usd_per_hour"] for row in listed.rows("offers")}
    assert prices == {"mine/quoted": 100, "mine/spot": 1}
    config = story.folder / ".config"
    config.mkdir(exist_ok=True)
    (config / "lapcast-prices.toml").write_text(OWN)
    listed = story.lapcast("catalog", "--offers", "mine.csv", "--json").ok()
    assert "no rate for 'CHF'" in listed.err and "EUR" not in listed.err
    prices = {row["name"]: row["price_usd_per_hour"] for row in listed.rows("offers")}
    # 20 EUR at 1.08; 10 EUR less 10 %, then less 12.5 %; spot has no discount unless one names it.
    assert prices == {"mine/quoted": 21.6, "mine/euro": 8.505, "mine/spot": 1}
    assert steps_of(story, "mine/euro") == [
        ("listed", None), ("currency", 10.8), ("discount", 9.72), ("discount", 8.505)]
    assert steps_of(story, "mine/quoted") == [("listed", 100), ("override", 21.6)]
    assert steps_of(story, "mine/spot") == [("listed", 1)]
    told = story.lapcast("catalog", "why", "mine/euro", "--offers", "mine.csv").ok().out
    for part in ("10 EUR", "1.08 USD per EUR", "a bank", "2026-11-01", "10 % off: contract",
                 "lapcast-prices.toml:15"):
        assert part in told, told
    # The lists themselves are compared as they are.
    changed = MINE.replace("100,USD", "90,USD")
    (story.work / "later.csv").write_text(changed)
    [change] = story.lapcast("catalog", "diff", "mine.csv", "later.csv",
                             "--json").ok().rows("price_changes")
    assert (change["before_usd_per_hour"], change["after_usd_per_hour"]) == (100, 90)


def test_a_discount_is_not_taken_again_from_a_printed_catalog(story):
    (story.work / "mine.csv").write_text(MINE)
    half = story.work / "half.toml"
    half.write_text("[[discount]]\npercent = \"50%\"\n")

    def prices(file):
        ended = story.lapcast("catalog", "--own-prices", half, "--offers", file, "--json").ok()
        return {row["name"]: row["price_usd_per_hour"] for row in ended.rows("offers")}

    printed = story.lapcast("catalog", "--own-prices", half, "--offers", "mine.csv", "--format", "csv").ok()
    (story.work / "printed.csv").write_text(printed.out)
    assert prices("printed.csv") == prices("mine.csv") == {"mine/quoted": 50, "mine/spot": 1}


def test_another_file_of_own_prices_can_be_named(story):
    (story.work / "mine.csv").write_text(MINE)
    half = story.work / "half.toml"
    half.write_text("[[discount]]\npercent = \"50%\"\n")
    assert steps_of(story, "mine/quoted", "--own-prices", half) == [
        ("listed", 100), ("discount", 50)]
    named = {"LAPCAST_PRICES": str(half)}
    assert steps_of(story, "mine/quoted", env=named) == [("listed", 100), ("discount", 50)]
    (story.work / "none.toml").write_text("")
    assert steps_of(story, "mine/quoted", "--own-prices", "none.toml", env=named) == [
        ("listed", 100)]
    ended = story.lapcast("catalog", "--own-prices", "absent.toml")
    assert ended.code == BAD_INPUT and "cannot read the file of own prices absent.toml" in ended.err
    half.write_text("[[discount]]\npercent = 500\n")
    ended = story.lapcast("catalog", "--own-prices", "half.toml")
    assert ended.code == BAD_INPUT and "half.toml:2:11: percent: write a number" in ended.err
    # What has no effect on any offer is said.
    half.write_text('[[override]]\noffer = "aws/typo"\nprice = 1\nas_of = "2026-11-01"\n')
    ended = story.lapcast("catalog", "--own-prices", "half.toml", "--find", "a100", "--top", 1).ok()
    assert "no catalog has an offer 'aws/typo'" in ended.err


def test_prices_that_cannot_be_are_left_out_with_their_reason(story):
    """Each bad row stands alone: the good ones are used."""
    rows = {"negative": "-1,,2026-11-20", "nan": "nan,,2026-11-20", "huge": "1e308,,2026-11-20",
            "million": "1000001,,2026-11-20", "future": "1,,2030", "undated": "1,,",
            "no-term": "1,reserved,2026-11-20", "good": "1,,2026-11-20", "same": "1,,2026-11-20",
            "thousandfold": "1001,,2026-11-20"}
    (story.work / "mine.csv").write_text(
        "name,machine_type,source,price_usd_per_hour,terms,as_of\n" +
        "".join(f"{name},m,a list,{rest}\n" for name, rest in rows.items()))
    ended = story.lapcast("catalog", "--offers", "mine.csv", "--json").ok()
    assert {row["name"] for row in ended.rows("offers")} == {"good", "same", "thousandfold"}
    for reason in ("'-1' is negative", "'nan' is not an amount", "'1e308' is not an amount",
                   "above 1,000,000", "as_of is in the future", "no date",
                   "a reservation needs its months", "more than 1000 times the median of its kind"):
        assert reason in ended.err, reason


def test_fetched_prices_that_do_not_fit_are_refused_and_not_cut(story, server):
    """A longer file was read up to 256 MiB without a word."""
    url, paths = server
    paths["/vms.csv"] = LIST.encode()
    update(story, url + "/vms.csv").ok()
    [prices] = story.store.parent.glob("prices.csv")
    with open(prices, "r+b") as file:
        file.truncate((256 << 20) + 1)
    ended = story.lapcast("catalog", "--gpu", "v100")
    ended.refused(BAD_INPUT, "longer than 256.0 MiB; remove it and run lapcast catalog update")
    prices.unlink()
    # The second list fits alone, and not beside the first.
    for name, rows in (("/a.csv", range(250_000)), ("/b.csv", range(250_000, 450_000))):
        paths[name] = (HEADER + "".join(f"m{row},1,,r,,\n" for row in rows)).encode()
    update(story, url + "/a.csv").ok()
    before = prices.read_bytes()
    ended = update(story, url + "/b.csv")
    assert ended.code == 1 and "its 200000 offers and the 250000 that are there" in ended.err
    assert prices.read_bytes() == before
    assert "1 of 1 lists were read" in update(story, url + "/a.csv").ok().err  # none of them is new


def test_a_price_that_is_too_low_is_odd_and_counts_that_cannot_be_are_counted(story, server):
    url, paths = server
    paths["/vms.csv"] = (HEADER + "cheap,0.000000001,,us-east-1,V100,1\n" + "".join(
        f"p{row},3.06,,us-east-1,A100,{count}\n" for row, count in
        enumerate(("nan", "-1", "1e9", "2", "")))).encode()
    ended = update(story, url + "/vms.csv").ok()
    odd = "aws/cheap/us-east-1/on-demand: $0.000000001 per hour is less than a thousandth of the median"
    assert odd in ended.err
    assert "3 taken as not known: accelerator count" in ended.err
    listed = story.lapcast("catalog", "--gpu", "v100", "--top", 2).ok()
    assert odd in listed.err and listed.out.index("aws/cheap") > 0
    assert odd not in story.lapcast("catalog", "--gpu", "a100", "--top", 2).ok().err
    fleet = story.fleet('[[machine]]\nname = "m"\noffer = "aws/cheap/us-east-1/on-demand"\n')
    story.lapcast("sweep", fleet, "--max-laps", 20, "--epochs", 2, "--", *story.trainer()).ok()
    assert odd in story.lapcast("rank").ok().err
