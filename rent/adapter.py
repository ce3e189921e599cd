"""Is what the adapters share: lapcast's contract (docs/rent.md) on one side, command lines and HTTP of
providers on the other. Keys of an account go into headers of requests only, never into arguments."""

import calendar
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

TAG = "lapcast-lease"
# What providers say when they refuse, for all of them. The first row that matches counts.
REFUSALS = [("limit", r"too many requests|rate.?limit|throttl|RequestLimitExceeded"),
            ("quota", r"quota|LimitExceeded|limit of 0|instance limit"),
            ("capacity", r"capacity|RESOURCE_POOL_EXHAUSTED|not have enough|no_such_ask|is not available|no longer any"
                         r"|No valid host|out of stock|no instances"),
            ("credentials", r"credential|unauthori[sz]ed|forbidden|permission|api.?key|log ?in|AuthFailure|ExpiredToken"
                            r"|InvalidClientTokenId|authentication"),
            ("no-such-offer", r"not found|not exist|invalid|unknown|malformed|unsupported|no \w+ with a name"
                              "|must specify")]

# What they say of things that do not exist. It may be wrong of a delete, because lapcast lists again.
ABSENT = re.compile(r"not.?found|not.?exist|no.such|no server with|malformed|invalid.?(parameter|\w*.?id\b)"
                    r"|must specify a region", re.I)


class Refused(Exception):
    """Ends a verb with an error of the contract: kind and text."""

    @property
    def kind(self):
        return self.args[0]


def kind_of(text, known=()):
    """Returns the kind of a refusal by its text. known: rows like REFUSALS that come first."""
    return next((kind for kind, words in [*known, *REFUSALS] if re.search(words, text, re.I)), "unclear")


def main(description, **verbs):
    """Answers the verb of the command line. A verb is a function of the request, `list_` stands for list; the
    description is the answer to `describe`."""
    verb = sys.argv[1] if len(sys.argv) == 2 else ""
    verbs = {"describe": lambda _: {"contract": 1, **description}, **verbs}
    function = verbs.get({"list": "list_"}.get(verb, verb))
    if function is None:
        sys.exit(f"usage: {Path(sys.argv[0]).name} {'|'.join(name.strip('_') for name in verbs)} <request.json")
    try:
        answer = function(json.loads(sys.stdin.read() or "{}"))
    except Refused as refused:
        answer = {"error": refused.kind, "text": " ".join(str(refused.args[1]).split())[-400:]}
    except (OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError, http.client.HTTPException) as error:
        answer = {"error": "unclear", "text": f"{type(error).__name__}: {error}"[:400]}
    print(json.dumps(answer))
    sys.exit(1 if isinstance(answer, dict) and "error" in answer else 0)


def machine(lease, name, state, **more):
    """Returns an entry of `list`. Whatever is listed costs, unless `costs` says otherwise."""
    return {"lease": lease, "machine": str(name), "state": state, "costs": state != "gone",
            **{key: value for key, value in more.items() if value is not None}}


def lease_of(name):
    """Returns the lease of a thing that is named lapcast-LEASE; None for other people's things."""
    found = re.fullmatch(r"lapcast-([0-9a-f]{12})", name or "")
    return found[1] if found else None


def seconds_of(text):
    """Returns a time such as 2026-11-27T04:00:00.000-07:00 in seconds since 1970; None without one."""
    found = re.match(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?\s*(?:Z|([+-])(\d\d):?(\d\d))?", text or "")
    if not found:
        return None
    offset = (int(found[4]) * 60 + int(found[5])) * 60 * (1 if found[3] == "+" else -1) if found[3] else 0
    return calendar.timegm(time.strptime(f"{found[1]} {found[2]}", "%Y-%m-%d %H:%M:%S")) - offset


def needed(ask, name):
    """Returns a member of the request that this provider cannot do without."""
    if not ask.get(name):
        raise Refused("no-such-offer", f"name a {name} in the fleet file")
    return ask[name]


def option(ask, name, default=None):
    return (ask.get("options") or {}).get(name) or default


def gigabytes(ask, default):
    """Returns the option `disk`, a number such as 50 or "50 GB"."""
    return float(str(option(ask, "disk", default)).split()[0].rstrip("GBgb"))


def regions(provider, *new):
    """Returns the regions in which machines may be, for providers that list one region at a time: those in which
    this computer ever rented, and those of LAPCAST_PROVIDER_REGIONS. A new one is written down before it is used."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    file = Path(state) / "lapcast" / f"{provider}-regions"
    known = set(file.read_text().split()) if file.exists() else set()
    if added := set(new) - known:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with file.open("a") as out:
            out.write("".join(f"{region}\n" for region in added))
            out.flush()
            os.fsync(out.fileno())
    return known | added | set(filter(None, os.environ.get(f"LAPCAST_{provider.upper()}_REGIONS", "").split(",")))


def secret(variable, *files):
    """Returns the key of the account, from the variable or the first of these files that exists."""
    if os.environ.get(variable):
        return os.environ[variable]
    for file in map(Path, map(os.path.expanduser, files)):
        if file.is_file():
            return file.read_text().strip()
    raise Refused("credentials", f"set {variable}" + "".join(f", or write the key into {file}" for file in files[:1]))


def private_file(text):
    """Returns an open file of mode 0600 that holds the text until it is closed."""
    file = tempfile.NamedTemporaryFile("w", prefix="lapcast-rent-")
    file.write(text)
    file.flush()
    return file


def run(words, known=(), seconds=110, absent=None):
    """Runs a provider's command line, without a terminal. Returns the JSON that it prints; `absent` where it
    says that what was asked for does not exist, if that is given."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=seconds)
    except FileNotFoundError:
        raise Refused("credentials", f"{words[0]} is not installed") from None
    if done.returncode == 0:
        return json.loads(done.stdout or "null")
    if absent is not None and ABSENT.search(done.stderr):
        return absent
    raise Refused(kind_of(done.stderr, known), done.stderr.strip() or f"{words[0]} ended with {done.returncode}")


class Rest:
    """Is an account behind JSON over HTTP: an address, and headers that hold its key."""

    def __init__(self, url, headers, known=()):
        self.url, self.headers, self.known = url.rstrip("/"), headers, known

    def __call__(self, verb, path, body=None, absent=None, seconds=50):
        """Sends one request, and returns its answer; `absent` where that says that the thing does not exist, if it is
        given."""
        request = urllib.request.Request(self.url + path, method=verb, headers={
            "Accept": "application/json", "Content-Type": "application/json", "User-Agent": "lapcast", **self.headers},
            data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            text = error.read(1 << 16).decode("utf-8", "replace")
            if absent is not None and (error.code in (404, 410) or error.code == 400 and ABSENT.search(text)):
                return absent
            kind = {401: "credentials", 429: "limit"}.get(error.code) or kind_of(text, self.known)
            if error.code >= 500 and kind not in ("capacity", "quota", "limit"):
                kind = "unclear"
            elif kind == "unclear" and error.code == 403:
                kind = "credentials"
            raise Refused(kind, f"HTTP {error.code}: {text}") from None
