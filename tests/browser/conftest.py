"""Opens pages of the report in Chromium. Pages are made from web/sample.json, or from parts of it,
    as
web/preview.py makes them; nothing here needs the lapcast binary."""

import functools
import json
import os
import pathlib
import shutil
import site
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LAPCAST_BUILD", ROOT / "build"))
sys.path.insert(0, str(ROOT / "web"))
for folder in sorted((BUILD / "browser").glob("lib/python*/site-packages")):
    site.addsitedir(str(folder))

import preview  # noqa: E402  (needs the path above)

WIDTHS = {390: 844, 1280: 900, 2560: 1440}


def why_not():
    """Returns why pages cannot be opened, or None."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return f"{program} is missing (Debian: chromium, chromium-driver); ./check installs it"
    try:
        import selenium  # noqa: F401
    except ImportError:
        return f"Selenium is not in {BUILD / 'browser'}; ./check installs it"
    return None


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    reason = why_not()
    if reason:
        pytest.skip(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--hide-scrollbars",
        "--window-size=1280,900",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    browser = webdriver.Chrome(options=options, service=service)
    browser.set_script_timeout(600)
    yield browser
    browser.quit()


@functools.lru_cache(maxsize=1)
def plotly():
    """Returns Plotly's JavaScript; tests that need it are skipped without."""
    script = preview.plotly_script()
    if script is None:
        pytest.skip("Plotly is not in build/plotly; the set-up brings it")
    return script


@functools.lru_cache(maxsize=1)
def packed_plotly():
    return preview.deflated(plotly())


def sample():
    """Returns a new copy of the sample document."""
    return json.loads((ROOT / "web/sample.json").read_text())


class Page:
    """A page that is open in the browser."""

    def __init__(self, driver, folder):
        self.driver, self.folder, self.count = driver, folder, 0

    def open(self, document, plain=False, width=1280, wait=True):
        self.count += 1
        file = self.folder / f"page-{self.count}.html"
        text = preview.page(document, None)
        if not plain:
            text = text.replace(
                'id="plotly"></script>', f'id="plotly">{packed_plotly()}</script>', 1
            )
        file.write_text(text)
        return self.open_file(file, width, wait)

    def open_file(self, file, width=1280, wait=True):
        self.size(width)
        self.driver.get("about:blank")
        self.logs()
        self.driver.get_log("performance")
        self.driver.get(file.as_uri())
        if wait:
            self.wait("return document.documentElement.dataset.state === 'drawn'")
        return self

    def size(self, width):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": width,
                "height": WIDTHS.get(width, 900),
                "deviceScaleFactor": 1,
                "mobile": False,
            },
        )

    def prefer(self, theme):
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": theme}]},
        )

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, seconds=600):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(script):
                return
            time.sleep(0.05)
        raise AssertionError(f"not so after {seconds} s: {script}\n{self.logs()}")

    def find(self, css):
        return self.driver.find_element("css selector", css)

    def all(self, css):
        return self.driver.find_elements("css selector", css)

    def texts(self, css):
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", css
        )

    def logs(self):
        """Returns the warnings and errors of the console since the last call."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
        ]

    def requests(self):
        """Returns the addresses that were asked for since the page was opened, but for the page."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                found.append(message["params"].get("request", message["params"])["url"])
        return [
            url
            for url in found
            if not url.startswith(("data:", "blob:", "about:")) and "/page-" not in url
        ]

    def charts(self):
        """Returns the names of the charts of the page."""
        return [
            name.removeprefix("chart-")
            for name in self.run("return [...document.querySelectorAll('.chart')].map((e) => e.id)")
        ]

    def failed(self):
        return self.texts(".chart.failed .plot")

    def traces(self, name):
        """Returns the traces that Plotly drew in a chart."""
        return self.run(
            """return document.querySelector(`#chart-${arguments[0]} .plot`).data
            .map((trace) => ({type: trace.type, mode: trace.mode ?? '', name: trace.name ?? '',
                yaxis: trace.yaxis ?? 'y',
              x: [...(trace.x ?? [])], y: [...(trace.y ?? [])], z: trace.z ?? null}))""",
            name,
        )


def lapcast(folder, *arguments):
    """Runs lapcast with a store and a home in this folder."""
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    return subprocess.run(
        [
            os.environ.get("LAPCAST", "lapcast"),
            "--store",
            folder / "runs.db",
            "--quiet",
            *arguments,
        ],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )


def cut_labels(page):
    """Returns the texts of charts that are cut, or do not lie within their chart."""
    return page.run(
        """return [...document.querySelectorAll('.plot')].flatMap((plot) => {
        const place = plot.getBoundingClientRect();
        return [...plot.querySelectorAll('text')].filter((text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          const is_inside = left > place.left - 2 && right < place.right + 2 &&
              top > place.top - 2 && bottom < place.bottom + 2;
          return text.textContent.includes('...') || (right > left && !is_inside);
        }).map((text) => [plot.closest('.chart').id, text.textContent]);
      })"""
    )


def pytest_collection_modifyitems(items):
    """Lets the tests of the sample run first in each file, so that it is opened once."""
    items.sort(key=lambda item: (item.path, "sample_page" not in item.fixturenames))


@pytest.fixture
def page(driver, tmp_path):
    return Page(driver, tmp_path)


@pytest.fixture(scope="module")
def opened_sample(driver, tmp_path_factory):
    page = Page(driver, tmp_path_factory.mktemp("sample")).open(sample())
    return page, driver.current_url


@pytest.fixture
def sample_page(opened_sample):
    """Is the sample, for tests that change nothing which others look at. It is opened again where
    another page was opened since."""
    page, address = opened_sample
    if page.driver.current_url.split("#")[0] != address:
        page.size(1280)
        page.driver.get(address)
        page.wait("return document.documentElement.dataset.state === 'drawn'")
    return page
