# Measures Chromium from opening a report of 500 runs of 2,000 laps until all charts of its first
# screen are drawn, median of 5. Goal: at most 1,500 ms. It needs LAPCAST_BROWSER, the environment
# with Selenium.
import json
import os
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import time

from common import ROOT, print_figure

sys.path.insert(0, str(ROOT / "web"))
import preview  # noqa: E402  (needs the path above)

RUNS, LAPS = 500, 2000


def use_selenium():
    """Makes Selenium's own environment importable."""
    import site
    browser = pathlib.Path(os.environ.get("LAPCAST_BROWSER", ROOT / "build/browser"))
    for folder in browser.glob("lib/python*/site-packages"):
        site.addsitedir(str(folder))


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


def browser(folder):
    from selenium import webdriver
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     "--window-size=1440,900", f"--user-data-dir={folder}/profile"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options,
                            service=webdriver.ChromeService(shutil.which("chromedriver")))


def first_screen_ms(driver, file):
    """Returns the time from the start of the navigation to the last chart of the first screen."""
    driver.get("about:blank")
    driver.get(file.as_uri())
    for _ in range(600):
        shown = driver.execute_script("return document.documentElement.dataset.firstScreenMs")
        if shown:
            return float(shown)
        time.sleep(0.05)
    raise SystemExit("report-open: the first screen was not drawn within 30 s")


def main():
    use_selenium()
    if not shutil.which("chromedriver"):
        raise SystemExit("report-open: no chromedriver (Debian: chromium-driver); ./check installs it")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.html"
        if len(sys.argv) > 2:  # a report that lapcast wrote
            file = pathlib.Path(sys.argv[2]).resolve()
        else:
            file.write_text(preview.page(document(), preview.plotly_script()))
        driver = browser(folder)
        try:
            first_screen_ms(driver, file)  # warms up
            times = sorted(first_screen_ms(driver, file) for _ in range(5))
        finally:
            driver.quit()
        print(f"{file.stat().st_size / 1e6:.1f} MB; fastest {times[0]:.0f} ms, slowest {times[-1]:.0f} ms of 5")
        print_figure("report-open", statistics.median(times), "ms")


main()
