"""Tests `lapcast catalog`: filters, importers of other lists, updates from a server, and why."""
import csv
import gzip
import http.server
import io
import threading

import pytest

HEADER = "InstanceType,Price,SpotPrice,Region,AcceleratorName,AcceleratorCount\n"
LIST = HEADER + "p3,3.06,0.9,us-east-1,V100,1\np3,3.06,0.8,us-east-1,V100,1\n,1,,us-east-1,A100,1\n"
BAD_INPUT = 3


@pytest.fixture
def server():
    """Serves PATHS; a path that is not among them redirects to another host."""
    paths = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = paths.get(self.path)
            self.send_response(302 if body is None else 200)
            if body is None:
                self.send_header("Location", "http://127.0.0.2:1/elsewhere")
            else:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write((body or b"")[:1 << 20])

        def log_message(self, *_):
            pass

    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=served.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}", paths
    served.shutdown()
    thread.join()
    served.server_close()


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


def test_an_update_wins_over_older_prices_and_every_failure_keeps_it(story, server):
    url, paths = server
    paths["/vms.csv"] = LIST.encode()
    paths["/page"] = b"<html>not today</html>"
    paths["/bomb.gz"] = gzip.compress(bytes(300 << 20), 6)
    assert "1 of 1 lists were read" in update(story, url + "/vms.csv").ok().err
    why = ["catalog", "why", "aws/p3/us-east-1/spot", "--json"]
    assert story.lapcast(*why).ok().json["price"]["price_usd_per_hour"] == 0.8
    for path, message in (("/page", "does not name the columns"), ("/moved", "a redirection"),
                          ("/bomb.gz", "longer than")):
        ended = update(story, url + path)
        assert ended.code == 1 and message in ended.err, path
        assert story.lapcast(*why).ok().json["price"]["price_usd_per_hour"] == 0.8
    for address in ("http://example.org/vms.csv", "file:///etc/passwd",
                    "http://127.0.0.1:80@example.org/"):
        ended = update(story, address)
        assert ended.code == 1 and "only addresses that begin with https://" in ended.err
