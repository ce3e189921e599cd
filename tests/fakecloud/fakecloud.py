#!/usr/bin/env python3
"""Starts, stops and asks a fake cloud: one that rents namespaces of this machine, with sshd, a boot, a
bill, and faults on order. README.md describes it."""

import contextlib
import http.client
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

SERVER = Path(__file__).resolve().parent / "server.py"
NEEDED = ("sshd", "ssh-keygen", "ip", "unshare", "setpriv", "taskset", "pgrep", "pkill")


def why_not():
    """Returns why no fake cloud can run here, or ""."""
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    if missing := [name for name in NEEDED if shutil.which(name, path=path) is None]:
        return f"a fake cloud needs {', '.join(missing)} (Debian: openssh-server, iproute2, procps, util-linux)"
    made = subprocess.run(["unshare", "--net", "--pid", "--mount", "--uts", "--fork", "sh", "-c",
                           "mount --make-rprivate / && mount -t proc proc /proc && ip link add name trial1 type veth "
                           "peer name trial2"], capture_output=True, text=True)
    return f"a fake cloud needs namespaces of its own: {made.stderr.strip()}" if made.returncode else ""


def process_of(root):
    """Returns the number of the process of the cloud in this folder; None where none runs."""
    with contextlib.suppress(OSError, ValueError):
        pid = int((root / "pid").read_text())
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        return pid if str(SERVER) in words and str(root) in words else None


def start(root, config="{}"):
    if process_of(root):
        sys.exit(f"fakecloud: a cloud runs in {root} already")
    root.mkdir(parents=True, exist_ok=True)
    root.chmod(0o700)
    Path("/run/sshd").mkdir(exist_ok=True)
    (root / "key").write_text(secrets.token_hex(16))
    (root / "url").unlink(missing_ok=True)
    with (root / "log").open("a") as log:
        child = subprocess.Popen([sys.executable, str(SERVER), str(root), config], start_new_session=True,
                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log, umask=0o077)
    (root / "pid").write_text(str(child.pid))
    while not (root / "url").exists():
        if child.poll() is not None:
            sys.exit("fakecloud: " + (root / "log").read_text()[-2000:])
        time.sleep(0.01)
    return (root / "url").read_text()


def kill(root):
    """Ends the cloud as a power cut does; its machines end with it, and its folder stays."""
    while pid := process_of(root):
        os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
        time.sleep(0.01)


def stop(root):
    kill(root)
    if (root / "pid").exists():
        links = subprocess.run(["ip", "-br", "link"], capture_output=True, text=True).stdout
        for name in re.findall(rf"(?m)^fc{(root / 'pid').read_text()}\.[^@ ]*", links):
            # The kernel does it, but a little later.
            subprocess.run(["ip", "link", "del", name], stderr=subprocess.DEVNULL)
        shutil.rmtree(root)


def ask(root, verb, path, value=None, seconds=60):
    """Sends one request. Returns (status, answer)."""
    url = urlsplit((root / "url").read_text())
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=seconds)
    connection.request(verb, path, json.dumps(value or {}), {"Authorization": f"Bearer {(root / 'key').read_text()}"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def request_of(verb, words):
    """Returns the HTTP request for the words of a command line."""
    value = {"tags": {}}
    for name, text in (word.split("=", 1) for word in words if "=" in word):
        text = Path(text[1:]).read_text().strip() if text.startswith("@") else text
        (value["tags"] if name.startswith("tag.") else value)[name.removeprefix("tag.")] = (
            float(text) if name in ("deadline", "left", "share", "seconds") else text)
    tags = "&".join(f"{name}={text}" for name, text in value["tags"].items())
    machine = f"/machines/{words[0] if words else ''}"
    return {"offers": ("GET", "/offers"), "create": ("POST", "/machines", value), "bill": ("GET", "/bill"),
            "list": ("GET", f"/machines?{tags}"), "delete": ("DELETE", machine), "extend": ("PATCH", machine, value),
            "fault": ("POST", "/faults", value), "heal": ("DELETE", "/faults")}.get(verb)


def main(verb="help", *words):
    root = Path(os.environ.get("FAKECLOUD", "/tmp/fakecloud")).resolve()
    if verb == "start":
        print(start(root, *words))
    elif verb == "stop":
        stop(root)
    elif (request := request_of(verb, words)) is None:
        sys.exit("usage: fakecloud.py start|stop|offers|create|list|delete|extend|bill|fault|heal; see README.md")
    else:
        status, answer = ask(root, *request)
        print(json.dumps(answer, indent=1))
        sys.exit(0 if status == 200 else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
