# Measures Chromium from opening a report of 500 runs of 2,000 laps until all charts of its first
# screen are drawn, and until they react to the pointer, median of 5. Goal: at most 1,500 ms. It
# needs LAPCAST_BROWSER, the environment with Selenium.
import json
import pathlib
import random
import statistics
import sys
import tempfile
import time

from common import ROOT, chromium, print_figure

sys.path.insert(0, str(ROOT / "web"))
import preview  # noqa: E402  (needs the path above)

RUNS, LAPS = 500, 2000


def document():
    """Returns the sample with 500 runs of 2,000 laps each, all with a row in the ranking."""
    dice = random.Random(500)
    sample = json.loads((ROOT / "web/sample.json").read_text())
    run, rows = sample["runs"][1], sample["rank"]["candidates"]
    sample["runs"] = []
    for i in range(RUNS):
        laps = [int(5e7 * dice.gauss(1, 0.02)) for _ in range(LAPS)]
        gaps = [int(2e5 * dice.gauss(1, 0.1)) for _ in range(LAPS)]
        packed = preview.packed({"gap_ns": gaps, "time_ns": laps, "samples": [64] * LAPS,
                                 "phase": [0] * LAPS, "queued": [0] * LAPS})
        known = {**run["run"], "id": rows[i]["run"] if i < len(rows) else f"{i:012x}"}
        sample["runs"].append({**run, "run": known, "laps": packed})
    return sample


def opening_ms(driver, file):
    """Returns the times from the start of the navigation until the charts of the first screen are
    drawn, and until Plotly has drawn them, so that they react."""
    driver.get("about:blank")
    driver.get(file.as_uri())
    for _ in range(600):
        shown = driver.execute_script("return {...document.documentElement.dataset}")
        if "interactiveMs" in shown and "firstScreenMs" in shown:
            return float(shown["firstScreenMs"]), float(shown["interactiveMs"])
        time.sleep(0.05)
    raise SystemExit("report-open: the first screen was not drawn within 30 s")


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.html"
        if len(sys.argv) > 2:  # a report that lapcast wrote
            file = pathlib.Path(sys.argv[2]).resolve()
        else:
            file.write_text(preview.page(document(), preview.plotly_script()))
        driver = chromium(folder)
        if driver is None:
            raise SystemExit("report-open: no Chromium, or no Selenium")
        try:
            opening_ms(driver, file)  # warms up
            times = sorted(opening_ms(driver, file) for _ in range(5))
        finally:
            driver.quit()
        drawn, reacting = zip(*times)
        print(f"{file.stat().st_size / 1e6:.1f} MB; fastest {drawn[0]:.0f} ms, slowest "
              f"{drawn[-1]:.0f} ms of 5; reacts to the pointer after "
              f"{statistics.median(reacting):.0f} ms")
        print_figure("report-open", statistics.median(drawn), "ms")


main()
