"""Starts `lapcast serve`, and speaks HTTP with it."""

import contextlib
import json
import re
import signal
import socket
import time

import pytest

from conftest import HANGS


class Page:
    """Is a running `lapcast serve`, and speaks HTTP with it."""

    def __init__(self, process, address):
        self.process = process
        host, token = re.fullmatch(r"http://(127\.0\.0\.1:\d+)/#token=([0-9a-f]{64})\n", address).groups()
        self.host, self.token = host, token
        self.port = int(host.split(":")[1])

    def connect(self, address="127.0.0.1"):
        return socket.create_connection((address, self.port))

    def raw(self, request, address="127.0.0.1"):
        """Sends bytes and returns all that comes back until the server closes the connection."""
        with self.connect(address) as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(request)
            return everything(connection)

    def request(self, target, method="GET", body="", **headers):
        """Returns the status, the headers and the body of an answer. A header None is left out."""
        given = {"Host": self.host, "X-Lapcast-Token": self.token, "Connection": "close"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        if body:
            given["Content-Length"] = len(body)
        lines = [f"{name}: {value}" for name, value in given.items() if value is not None]
        return parsed(self.raw("\r\n".join([f"{method} {target} HTTP/1.1", *lines, "", body]).encode()))

    def status(self, target, method="GET", body="", **headers):
        return self.request(target, method, body, **headers)[0]

    def json(self, target):
        status, _, body = self.request(target)
        assert status == 200, body
        return json.loads(body)

    def change(self, **body):
        return self.request("/change", "POST", json.dumps(body), Origin=f"http://{self.host}",
                            Content_Type="application/json")

    def events(self):
        connection = self.connect()
        connection.sendall(f"GET /events HTTP/1.1\r\nHost: {self.host}\r\n"
                           f"X-Lapcast-Token: {self.token}\r\n\r\n".encode())
        return Events(connection)


def everything(connection):
    got = b""
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65536):
            got += piece
    return got


def parsed(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, body.decode()


class Events:
    """Reads a stream of events."""

    def __init__(self, connection):
        self.connection = connection
        self.text = ""  # not looked at yet
        self.all = ""
        self.others = []  # (name, data) that no one has asked for yet

    def next(self, name, seconds=HANGS, **wanted):
        """Returns the data of the next event of this name with these values, of those that came
        while another one was waited for, too. Those of its name without the values are dropped."""
        for i, (other, data) in enumerate(self.others):
            if other == name and data.items() >= wanted.items():
                del self.others[i]
                return data
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            while "\n\n" in self.text:
                event, self.text = self.text.split("\n\n", 1)
                found = re.fullmatch(r"(?s)(?:.*\r\n\r\n)?event: (\w+)\ndata: ([^\n]*)", event)
                data = json.loads(found[2]) if found else {}
                if found and found[1] == name and data.items() >= wanted.items():
                    return data
                if found and found[1] != name:
                    self.others.append((found[1], data))
            self.connection.settimeout(max(0.01, until - time.monotonic()))
            with contextlib.suppress(TimeoutError):
                piece = self.connection.recv(65536)
                assert piece, "the server closed the stream"
                self.text += piece.decode()
                self.all += piece.decode()
        raise AssertionError(f"no event {name} {wanted} in {seconds} s")


@pytest.fixture
def serve(story):
    """Returns a function that starts `lapcast serve`; all of them have to end cleanly."""
    pages = []

    def start(*options, **more):
        process = story.start("serve", "--port", 0, *options, **more)
        pages.append(Page(process, process.stdout.readline().decode()))
        return pages[-1]

    yield start
    for page in pages:
        page.process.send_signal(signal.SIGINT)
    for page in pages:
        _, err = page.process.communicate(timeout=HANGS)
        assert page.process.returncode == 0, err
