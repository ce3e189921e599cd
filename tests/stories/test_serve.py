"""Tests `lapcast serve` with raw connections: who is answered, what is bounded, and what the page
learns of runs that go on."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import time

import pytest

import json_schema
from conftest import HANGS, eventually
from live_page import everything, parsed, serve  # noqa: F401 (a fixture)

SECRET = "hunter2hunter2"


@pytest.fixture
def stored(story):
    """Has one run in the store."""
    story.probe("--max-laps", 20, program=story.trainer("--laps", 100, "--lap-ms", 1)).ok()
    return story


def test_the_page_shows_the_store_and_carries_no_data_itself(stored, serve):
    page = serve()
    status, headers, body = page.request("/", X_Lapcast_Token=None)
    assert status == 200 and "<script src=\"/assets/lapcast.js\">" in body
    [run] = stored.runs()
    assert run["run"] not in body and page.token not in body
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy and "script-src 'self' blob:;" in policy
    assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Content-Type-Options"] == "nosniff"
    assert "Set-Cookie" not in headers and headers["Cache-Control"] == "no-store"
    assert page.status("/assets/lapcast.js", X_Lapcast_Token=None) == 200
    listed = page.json("/runs")
    assert json_schema.errors_of(listed) == [] and [row["run"] for row in listed["runs"]] == [run["run"]]
    assert page.json("/data")["runs"]


@pytest.mark.parametrize("target", ["/data", "/runs", "/events"])
def test_without_the_right_token_nothing_is_told(stored, serve, target):
    page = serve()
    for token in (None, "", "0" * 64, page.token[:-1], page.token + "0"):
        status, _, body = page.request(target, X_Lapcast_Token=token)
        assert status == 401 and body.startswith("the token is wrong"), body
    assert page.status(f"{target}?token={page.token}", X_Lapcast_Token=None) == 404


def test_another_host_or_origin_is_refused(stored, serve):
    page = serve()
    assert page.status("/data", Host=None) == 400
    assert page.status("/", Host=f"evil.example:{page.port}") == 403
    assert page.status("/data", Host="127.0.0.1") == 403
    assert page.status("/data", Host=f"localhost:{page.port}") == 200
    assert page.status("/data", Origin="http://evil.example") == 403
    assert page.status("/data", Origin="null") == 403
    assert page.status("/data", Origin=f"http://{page.host}") == 200
    # Another site that asks for leave to send the token gets none.
    status, headers, _ = page.request("/data", "OPTIONS", Origin="http://evil.example",
                                      Access_Control_Request_Headers="x-lapcast-token")
    assert status == 403 and not any(name.startswith("Access-Control") for name in headers)


def test_both_loopback_addresses_and_no_others_are_served(stored, serve):
    page = serve()
    if os.path.exists("/proc/net/if_inet6") and "00000000000000000000000000000001" in open("/proc/net/if_inet6").read():
        answer = page.raw(f"GET / HTTP/1.1\r\nHost: [::1]:{page.port}\r\nConnection: close\r\n\r\n".encode(), "::1")
        assert parsed(answer)[0] == 200
    listening = set()
    for table in ("tcp", "tcp6"):
        for line in open(f"/proc/{page.process.pid}/net/{table}").read().splitlines()[1:]:
            address, port = line.split()[1].rsplit(":", 1)
            if int(port, 16) == page.port and line.split()[3] == "0A":
                listening.add(address)
    assert "0100007F" in listening
    assert listening <= {"0100007F", "00000000000000000000000001000000"}


def test_requests_that_are_too_large_or_not_understood_are_refused(stored, serve):
    page = serve()
    head = f"GET / HTTP/1.1\r\nHost: {page.host}\r\n"

    def refused(request, status):
        # The server does not read the rest, so the system may throw its answer away.
        answer = page.raw(request)
        assert answer == b"" or answer.startswith(f"HTTP/1.1 {status} ".encode()), (request[:99], answer)

    refused((head + "X: " + "a" * 20_000 + "\r\n\r\n").encode(), 431)
    refused((head + "".join(f"X-{i}: {i}\r\n" for i in range(200_000))).encode(), 431)
    refused((head.replace("GET", "POST") + f"Content-Length: 100000\r\n\r\n{'x' * 100_000}").encode(), 413)
    for request in (b"\0\1\2\3\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00" * 99,
                   b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"GET / HTTP/1.1\r\n Host: x\r\n\r\n"):
        refused(request + b"\r\n\r\n", 400)
    assert page.status("/../../etc/passwd") == 404 and page.status("/assets/%2e%2e/x") == 404
    assert page.status("/") == 200


def test_slow_and_half_open_clients_are_dropped_while_others_are_served(stored, serve):
    page = serve()
    slow = [page.connect() for _ in range(300)]  # more than are kept
    for i in range(4):
        for connection in slow:
            with contextlib.suppress(OSError):
                connection.send(b"G" if i == 0 else b"x")
        assert page.status("/") == 200
        time.sleep(0.2)
    for connection in slow:
        assert everything(connection)[:12] in (b"", b"HTTP/1.1 400")
        connection.close()


def test_a_flood_pushes_out_nobody_who_has_the_token(stored, serve):
    """Another user of the machine has no token, and may open connections."""
    page = serve()
    request = (f"GET /runs HTTP/1.1\r\nHost: {page.host}\r\nX-Lapcast-Token: {page.token}\r\n\r\n").encode()
    trusted = page.connect()
    for flood in range(2):
        trusted.sendall(request)
        answer = b""
        while not (length := re.search(rb"Content-Length: (\d+)(?s:.*?)\r\n\r\n", answer)) or \
                len(answer) < length.end() + int(length[1]):
            piece = trusted.recv(65536)
            assert piece, "the server closed the connection"
            answer += piece
        assert answer.startswith(b"HTTP/1.1 200")
        if flood == 0:
            idle = [page.connect() for _ in range(300)]  # more than are kept
            assert everything(idle[0]) == b""  # it was pushed out, and all behind it was accepted
    for connection in (trusted, *idle):
        connection.close()


def test_twenty_pages_that_follow_the_events_starve_nobody(stored, serve):
    page = serve()
    streams = [page.events() for _ in range(20)]
    idle = [page.connect() for _ in range(100)]
    before = max(stream.next("version")["version"] for stream in streams)
    assert page.status("/data") == 200
    stored.lapcast("runs", "tag", "last", "seen").ok()
    for stream in streams:
        assert stream.next("version")["version"] > before
    for connection in idle:
        connection.close()


def test_a_stream_of_events_ends_no_other_when_its_reader_stops(story, stored, serve):
    page = serve()
    stuck = page.events()  # never reads
    stuck.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    half_open = page.events()
    half_open.connection.shutdown(socket.SHUT_WR)
    everything(half_open.connection)  # it is dropped
    gone = page.events()
    gone.connection.close()
    page.events().next("version")


def run_folders_of_this_process(story, count):
    """Makes run folders as a lapcast with the number of this process would; returns their lap logs."""
    ticks = pathlib.Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19]
    logs = []
    for number in range(count):
        laps = story.temporary / f"lapcast-run-{os.getpid()}.{ticks}-{number:012x}" / "laps"
        laps.mkdir(mode=0o700, parents=True)
        laps.parent.chmod(0o700)
        logs.append(laps / "laps.1.log")
        logs[-1].write_text("lapcast-laps 1\n0 hello clock=0\n")
    return logs


def test_a_reader_that_stops_is_dropped_when_4_mib_wait_for_it(story, stored, serve):
    page = serve()
    stuck, reader = page.events(), page.events()
    logs, sent, lap = run_folders_of_this_process(story, 64), 0, 0
    while sent < 16 << 20:  # 4 MiB of the server, as much of the kernel, and some more
        for log in logs:
            with log.open("a") as out:
                out.write("".join(f"{1000 * (lap + i)} i 8\n" for i in range(1, 65)))
        lap += 64
        until = sent + 64 * 1024
        while sent < until:
            sent += len(reader.connection.recv(1 << 20))
    assert len(everything(stuck.connection)) < sent
    assert page.status("/data") == 200
    for log in logs:
        shutil.rmtree(log.parent.parent)


def test_laps_of_a_run_show_up_while_it_goes_on(stored, serve):
    page = serve()
    events = page.events()
    first_version = events.next("version")
    assert first_version["changes"] is False
    before = first_version["version"]
    probe = stored.start("watch", "--", *stored.trainer("--epochs", 3, "--laps", 60000, "--lap-ms", 10))
    while "program" not in (run := events.next("run")):
        pass  # it was found before its description was written
    assert run["kind"] == "full" and "fake_trainer" in run["program"]
    first = events.next("laps", run=run["run"])
    assert first["laps"] >= 1 and len(first["points"][0]) == 3
    late = page.events()  # who comes later learns what is known
    assert late.next("run")["run"] == run["run"]
    assert late.next("laps")["laps"] >= first["laps"]
    laps = events.next("laps", run=run["run"])
    assert laps["laps"] > first["laps"] and laps["planned_epochs"] == 3
    assert laps["laps_per_second"] > 0
    probe.send_signal(signal.SIGINT)
    assert events.next("gone", run=run["run"])
    probe.communicate(timeout=HANGS)
    assert events.next("version")["version"] > before
    assert eventually(lambda: page.json("/runs")["runs"][-1]["run"] == run["run"])


def test_secrets_of_a_run_under_way_are_masked(stored, serve):
    page = serve()
    events = page.events()
    stop = stored.folder / "stop"
    watch = stored.start("watch", "--", "sh", "-c", f'while [ ! -e {stop} ]; do sleep 0.1; done; echo "$0"',
                         f"--api-key={SECRET}")
    while "program" not in (run := events.next("run")):
        pass
    stop.touch()
    assert "--api-key=***" in run["program"] and SECRET not in json.dumps(run)
    watch.communicate(timeout=HANGS)


def test_a_hostile_lap_log_and_links_harm_nobody(story, stored, serve):
    other = story.folder / "laps.7.log"
    other.write_text("lapcast-laps 1\n0 hello clock=0\n1000 i 8\n2000 i 8\n")
    page = serve()
    events = page.events()
    script = f"""cd "$LAPCAST_LOG_DIR"
ln -s {other} laps.7.log; mkfifo laps.8.log; mkdir laps.9.log
printf 'lapcast-laps 1\\n0 hello clock=0\\n1 i 99999999999\\n-5 i 1\\n\\033[2J\\377 i 1\\n' >laps.1.log
head -c 3000000 /dev/urandom >laps.2.log
yes '</script><script>alert(1)</script>' | head -100000 >laps.3.log
cd ..; rm -f about; ln -s /etc/passwd about
sleep 1; mv laps moved; ln -s {story.folder} laps; sleep 1; rm laps; mv moved laps"""
    watch = story.start("watch", "--", "sh", "-c", script)
    run = events.next("run")
    watch.communicate(timeout=HANGS)
    events.next("gone", run=run["run"])
    for sign in ("event: laps", "root:", "alert", "\x1b"):
        assert sign not in events.all
    assert page.status("/data") == 200


def test_the_page_changes_nothing_unless_it_may(stored, serve):
    page = serve()
    [run] = [row["run"] for row in stored.runs()]
    status, _, body = page.change(action="remove-run", id=run, confirmed=run)
    assert status == 403 and "--allow-changes" in body
    assert len(stored.runs()) == 1


def test_runs_are_tagged_and_deleted_when_that_is_allowed(stored, serve):
    page = serve("--allow-changes")
    events = page.events()
    begun = events.next("version")
    assert begun["changes"] is True
    before = begun["version"]
    [run] = [row["run"] for row in stored.runs()]
    assert page.change(action="tag-run", id=run, text="baseline")[0] == 200
    assert stored.runs()[0]["tag"] == "baseline"
    assert page.change(action="remove-run", id=run)[0] == 400  # is not confirmed
    assert page.change(action="remove-run", id=run[:4], confirmed=run[:4])[0] == 409  # not the whole id
    for headers in ({"Origin": None}, {"Origin": "http://evil.example"}, {"Content_Type": "text/plain"}):
        given = {"Origin": f"http://{page.host}", "Content_Type": "application/json"} | headers
        body = json.dumps({"action": "remove-run", "id": run, "confirmed": run})
        assert page.status("/change", "POST", body, **given) in (403, 415)
    assert len(stored.runs()) == 1
    assert page.change(action="remove-run", id=run, confirmed=run)[0] == 200
    assert stored.runs() == []
    assert events.next("version")["version"] > before


def test_sweeps_are_named_and_deleted(story, serve):
    story.lapcast("sweep", "--batch", "1,2", "--max-laps", 10, "--", *story.trainer("--laps", 100), "--batch", "{batch}").ok()
    page = serve("--allow-changes")
    [sweep] = page.json("/runs")["sweeps"]
    assert page.change(action="name-sweep", id=sweep["sweep"], text="mine")[0] == 200
    assert page.json("/runs")["sweeps"][0]["name"] == "mine"
    assert page.json(f"/data/{sweep['sweep']}")
    assert page.change(action="remove-sweep", id=sweep["sweep"], confirmed=sweep["sweep"])[0] == 200
    assert page.json("/runs")["sweeps"] == [] and page.json("/runs")["runs"] == []


def test_a_port_that_is_in_use_gives_one_line_with_a_free_one(stored, serve):
    page = serve()
    refused = stored.lapcast("serve", "--port", page.port).refused(
        6, f"cannot listen on port {page.port}: another program uses it; --port ")
    free = int(re.search(r"--port (\d+) is free", refused.err)[1])
    other = stored.start("serve", "--port", free)
    assert other.stdout.readline().startswith(f"http://127.0.0.1:{free}/#token=".encode())
    other.terminate()
    assert other.wait(HANGS) == 0
    other.communicate()


def test_a_port_or_a_store_that_is_none_is_refused(story):
    story.lapcast("serve", "--port", 70000).refused(2, "--port")
    story.lapcast("serve").refused(5, "the store")


def test_the_browser_gets_a_private_file_and_no_address(stored, serve):
    tools = stored.folder / "bin"
    tools.mkdir()
    opener = tools / "xdg-open"
    opener.write_text(f'#!/bin/sh\nstat -c %a "$1" >{stored.folder}/mode\ncp "$1" {stored.folder}/copy\n'
                      f'echo "$@" >{stored.folder}/arguments\n')
    opener.chmod(0o755)
    runtime = stored.folder / "runtime"
    runtime.mkdir(mode=0o700)
    page = serve("--open", env={"PATH": f"{tools}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(runtime)})
    arguments = stored.folder / "arguments"
    assert eventually(lambda: arguments.exists() and arguments.read_text().endswith("\n"))
    assert page.token not in arguments.read_text()
    assert (stored.folder / "mode").read_text() == "600\n"
    assert f"url=http://{page.host}/#token={page.token}" in (stored.folder / "copy").read_text()
    assert page.token not in open(f"/proc/{page.process.pid}/cmdline").read()
    file = pathlib.Path(arguments.read_text().strip())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    page.process.send_signal(signal.SIGTERM)
    assert page.process.wait(HANGS) == 0
    assert not file.exists()


def test_without_a_browser_a_line_says_what_to_do(stored, serve):
    runtime = stored.folder / "runtime"
    runtime.mkdir(mode=0o700)
    page = serve("--open", env={"PATH": str(stored.folder), "XDG_RUNTIME_DIR": str(runtime)}, stderr=subprocess.STDOUT)
    lines = [page.process.stdout.readline().decode() for _ in range(2)]
    assert any("open the printed address yourself" in line for line in lines), lines


def test_the_end_is_clean_while_pages_follow(stored, serve):
    page = serve()
    streams = [page.events() for _ in range(3)]
    for stream in streams:
        stream.next("version")
    page.process.send_signal(signal.SIGINT)
    assert page.process.wait(HANGS) == 0
    for stream in streams:
        assert everything(stream.connection) is not None
