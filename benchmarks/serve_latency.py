# Measures the time from the moment a program wrote a lap until `lapcast serve` has told it: in the
# stream of events, and in the page in Chromium, driven by the Selenium of LAPCAST_BROWSER. Median of
# 40 laps. Goal: at most 700 ms.
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from common import chromium, print_figure

LAPS = 40
# Writes a lap log by hand (docs/lap-log.md), so that the moment of writing is known. The laps end
# at odd times, as those of a training do.
PROGRAM = f"""
import os, time
time.sleep(3)
clock = time.monotonic_ns()
log = open(os.environ["LAPCAST_LOG_DIR"] + f"/laps.{{os.getpid()}}.log", "x")
print(f"lapcast-laps 1\\n0 hello clock={{clock}}", file=log, flush=True)
print(clock, file=open(os.environ["CLOCK_FILE"], "w"), flush=True)
for i in range({LAPS}):
    time.sleep(0.15 + 0.037 * (i % 7))
    print(f"{{time.monotonic_ns() - clock}} i 8", file=log, flush=True)
time.sleep(1)
"""


def follow_events(address):
    """Returns the moment at which each lap came, by time.monotonic(), and its end_s."""
    host, token = address.removeprefix("http://").split("/#token=")
    connection = socket.create_connection(host.split(":"))
    connection.sendall(f"GET /events HTTP/1.1\r\nHost: {host}\r\nX-Lapcast-Token: {token}\r\n\r\n".encode())
    came, text = [], ""
    while True:
        text += connection.recv(65536).decode()
        now = time.monotonic()
        *events, text = text.split("\n\n")
        for event in events:
            name, _, data = event.rpartition("\ndata: ")
            if name.endswith("event: laps"):
                came += [(now, end) for _, end, _ in json.loads(data)["points"]]
            if name.endswith("event: gone"):
                return came


def browser_of(address, folder):
    """Returns Chromium with the page, which notes when it shows how many laps; None without it."""
    browser = chromium(folder)
    if browser is None:
        return None
    browser.get(address)
    browser.execute_script("""
        window.shown = {};
        new MutationObserver(() => {
          const cell = document.querySelector("#live td.laps");
          if (cell) window.shown[cell.textContent] ??= Date.now();
        }).observe(document.getElementById("live"), {subtree: true, childList: true});""")
    return browser


def main():
    lapcast = f"{sys.argv[1]}/lapcast"
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"LAPCAST_STORE": f"{folder}/lapcast.db", "TMPDIR": folder,
                                    "CLOCK_FILE": f"{folder}/clock"}
        quiet = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([lapcast, "watch", "--", "true"], check=False, **quiet)  # makes the store
        serve = subprocess.Popen([lapcast, "serve", "--quiet", "--port", "0"], env=environment,
                                 stdout=subprocess.PIPE, text=True)
        address = serve.stdout.readline().strip()
        browser = browser_of(address, folder)
        watch = subprocess.Popen([lapcast, "watch", "--", sys.executable, "-c", PROGRAM], **quiet)
        came = follow_events(address)
        watch.wait()
        clock = int(pathlib.Path(f"{folder}/clock").read_text())
        shown = browser.execute_script("return window.shown") if browser else {}
        if browser:
            browser.quit()
        serve.send_signal(signal.SIGINT)
        serve.wait()
    waits = [1e3 * (now - end - 1e-9 * clock) for now, end in came]
    print(f"in the events: median {statistics.median(waits):.0f} ms, longest {max(waits):.0f} ms of {len(waits)}")
    if shown:
        to_wall = time.time() - time.monotonic()
        ends = [clock * 1e-9 + end + to_wall for _, end in came]
        waits = [at - 1e3 * ends[int(laps) - 1] for laps, at in shown.items() if 0 < int(laps) <= len(ends)]
        print(f"in the page: median {statistics.median(waits):.0f} ms, longest {max(waits):.0f} ms of {len(waits)}")
    else:
        print("in the page: not measured, because Selenium or Chromium is not installed")
    print_figure("serve-latency", statistics.median(waits), "ms")


main()
