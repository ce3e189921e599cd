"""The report page of a run on the GPU, and the live page."""

import json
import os
import re
import signal
import subprocess
import urllib.request


def run(session):
    few = ["--size", 16, "--width", 4, "--workers", 0, "--samples", 640] if session.imitated else []
    done = session.watch("--price", "3.5", program=session.program("conv", "--epochs", 3, *few))
    session.check(done.code == 0, f"a run ends: exit status {done.code}")
    run_id = session.show()["run"]["id"]
    page = session.work / "page.html"
    written = session.lapcast("report", run_id, "-o", page)
    if session.check(written.code == 0 and page.exists(), f"report writes a page: exit status {written.code}"):
        text = page.read_text(errors="replace")
        session.check(run_id in text, "the page has the run")
        if not os.environ.get("LAPCAST_GPU_NO_DRIVER"):
            session.check('"gpus"' in text or "gpu_mhz" in text, "the page has data of the GPU")
        session.figure("bytes of the page", len(text))
    live(session, run_id)


def live(session, run_id):
    command = [os.environ["LAPCAST"], "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=session.work, env=session.environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        said = ""
        while not (found := re.search(r"(http://127\.0\.0\.1:\d+)/#token=(\w+)", said)):
            line = server.stdout.readline()
            if not line:
                break
            said += line
        if session.check(found, f"serve says its address: {said.strip()[-200:]}"):
            address, token = found.groups()
            html = urllib.request.urlopen(address + "/", timeout=10).read()
            session.check(b"<html" in html.lower(), "the live page is there")
            asked = urllib.request.Request(address + "/runs", headers={"X-Lapcast-Token": token})
            runs = json.load(urllib.request.urlopen(asked, timeout=10))
            session.check(run_id in json.dumps(runs), "the live page knows the run")
        server.send_signal(signal.SIGINT)
        server.stdout.read()
    session.check(server.returncode in (0, 130), f"serve ends: exit status {server.returncode}")
