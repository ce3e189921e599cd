"""Runs every command of lapcast with each of its options once, as its manual page lists them, on a terminal
and through a pipe, and finds lines that are wider than 80 columns or break an id."""

import fcntl
import itertools
import json
import os
import pty
import re
import select
import shutil
import sqlite3
import struct
import subprocess
import termios
import time

from conftest import GOLDEN, HANGS, UNAWARE_OF_OTHERS
from fake_suite import Suite
from transfers import make_eyes

WIDTH = 80
MODES = {"terminal": {}, "dumb": {"TERM": "dumb"}, "pipe": {"COLUMNS": str(WIDTH)}}


def written_on_terminal(story, columns, *arguments, seconds=HANGS, env=None):
    """Returns the exit code of a command on a terminal, and the bytes that it wrote."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = story.start(*arguments, stdin=subprocess.DEVNULL, stdout=side, stderr=side,
                          env={"LC_ALL": "C.UTF-8", "TERM": "xterm"} | UNAWARE_OF_OTHERS | (env or {}))
    os.close(side)
    written, end = b"", time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([main], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(main, 65536)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        written += data
    os.close(main)
    return process.wait(seconds), written


def written_in(mode, story, *arguments):
    """Returns the same of a command in one of MODES."""
    if mode != "pipe":
        return written_on_terminal(story, WIDTH, *arguments, env=MODES[mode])
    process = story.start(*arguments, stderr=subprocess.STDOUT, env=UNAWARE_OF_OTHERS | MODES[mode])
    written, _ = process.communicate(timeout=HANGS)
    return process.returncode, written


def plain_lines(written):
    """Returns what was written between line ends and jumps of the cursor, without colours."""
    text = re.sub(rb"\x1b\[[0-9;]*m", b"", written)
    text = re.sub(rb"\x1b(\[[0-9;?]*[A-Za-z]|[78DM])", b"\r", text).decode()
    return [part for line in text.split("\n") for part in line.split("\r")]


def too_wide(written, columns):
    """Returns the lines that the terminal would break."""
    return [line for line in plain_lines(written) if len(line) > columns]


def broken_ids(written, ids):
    """Returns the lines whose first part of an id goes on at the same place of the next line."""
    lines = [line for line in plain_lines(written) if line]
    return [line for line, next_line in itertools.pairwise(lines)
            for found in re.finditer(r"(?<!\w)[0-9a-f]{3,11}(?!\w)", line)
            for one in ids if one.startswith(found[0]) and next_line[found.start():].startswith(one[len(found[0]):])]


# Commands


def manual(story):
    """Returns the options and arguments of every command, "suite run", as its manual page lists them:
    pairs of a name and the kind of its value, which is empty for a flag; "" stands for the program."""
    text = story.lapcast("man").ok().out.replace("\\-", "-")
    commands, options = {}, []
    for line in text.splitlines():
        if line == ".SH GLOBAL OPTIONS":
            options = commands.setdefault("", [])
        elif line.startswith(".SS "):
            options = commands.setdefault(line[4:], [])
        elif found := re.match(r"\\fB(-[^\\]*)\\fR ?(.*)", line):
            options.append((found[1].split(", ")[-1], found[2]))
    return commands


# What a value of a kind may be; of a kind that lists its values each is taken.
OF_KIND = {
    "A B": "000000000003 000000000004", "ARGUMENTS": "--from={checkpoint}", "DATE": "2026-11-01", "DAY": "2026-11-01", "DEVICE": "cpu", "DIR": "a-folder", "FILE": "a-file",
    "FILE.csv": "offers.csv", "FILE.toml": "a-file.toml", "FLEET.toml": "fleet.toml", "FLOAT": "0.5",
    "FOLDER": "a-folder", "GRAMS_PER_KWH": "381", "HOST": "nowhere.invalid", "ID": "last", "KEY=VALUE": "batch=32",
    "ADAPTER": "nowhere", "IMAGE": "an-image", "LEASE": "5cb6fbbacaca", "MONEY": "2USD", "KG": "5", "LIST": "0", "MACHINE": "{machine}", "N": "2", "N,N": "2,4", "N..N": "5..6", "NAME": "a-name",
    "NAME,NAME": "mnist-mlp", "NAME=V": "batch=8", "NAME=V,V": "batch=8,16", "NAMES": "{machine}",
    "NAME=VALUE": "val_accuracy=0.75", "PATTERN": "epoch-*", "PERCENT": "50%", "REGEX": r"it=(?P<step>\d+)",
    "RUN": "last", "SETTINGS": "malloc", "SHARE": "50%", "SIZE": "200GB", "TAG": "baseline", "TARGET": "arrived",
    "TEXT": "train", "TYPE": "small", "ZONE,...": "north-a,south-a", "TIME": "10m", "TIME|MONEY": "10m", "TIME|none": "none", "USD": "1.25", "W,W": "200,250",
    "cpu,cuda": "cpu", "tp=N,pp=N": "tp=1,pp=1"}
# Values of options whose kind says too little, by their name, or by that of their command and theirs.
OF_OPTION = {
    "--at": "4096", "--count": "8", "--env-file": "tuned.env", "--epochs": "90000", "--epochs-at": "16=10,64=12", "--find": "a100", "--for": "300ms",
    "--from": "stopwatch.csv", "--gpu": "a100", "--heartbeats": "heartbeats", "--measured": "link.json",
    "--meter": "watts.csv", "--metric": "val_accuracy", "--own-prices": "prices.toml",
    "--offer": "{listed}",
    "--price-history": "history.json", "--program": "train", "--provider": "aws", "--region": "us-east-1", "--sample": "20",
    "--setting": "malta", "--sizes": "320x320", "--spot-trace": "trace.json", "--sweep": "{sweep}", "--table": "systems",
    "--to": "{machine}", "--url": "https://127.0.0.1:9/list.csv", "--with": "labels.csv", "--labels": "labels.csv",
    "compare --metric": "lap", "forecast --machine": "{frozen}", "rank --epochs": "5,10,20", "report --metric": "lap", "suite prepare --format": "jpeg",
    "suite split --n": "9", "transfer plan --to": "arrived", "transfer run --to": "arrived", "watch --epochs": "2"}
# What an option needs beside it.
BESIDE = {
    "--checkpoint-every": "--checkpoint-signal USR1", "--checkpoint-interval": "--checkpoint 1m --interruptions 5h",
    "--restart": "--checkpoint 1m --interruptions 5h", "--save-at-notice": "--checkpoint 1m --interruptions 5h",
    "--spot-wait": "--checkpoint 1m --interruptions 5h", "--risk": "--deadline 900h", "--snapshots": "--snapshots-kept 30d",
    "--snapshots-kept": "--snapshots 200GB", "--weight": "--by score", "--grid": "--energy", "--meter": "--energy",
    "--confidence": "--race", "--same-epochs": "--sweep {learned}", "--min-accuracy": "--sweep {learned}",
    "--epochs-at": "--workers 1,2", "--in-node": "--workers 1,2", "--layers": "--layout tp=1,pp=1", "forecast --batch": "--memory",
    "forecast --in": "--memory", "forecast --length": "--memory", "forecast --sweep": "--memory", "rank --numbers": "--with-unmeasured",
    "forecast --machine": "--workers 1,2", "fleet init --gpu": "--rent", "fleet init --by": "--rent --gpu l4",
    "offload --again": "--sessions {machine} --resume-flag --r", "offload --session-time": "--sessions {machine} --resume-flag --r",
    "offload --sessions": "--resume-flag --r",
    "probe --env-file": "--tune malloc", "probe --repeats": "--tune malloc", "probe --search-budget": "--tune malloc",
    "spot --restart": " ", "epochs --metric": "--patience 2", "watch --max-cost": "--price 1.25", "sweep --by": "--race", "sweep --metric": "--find-epochs", "sweep --patience": "--find-epochs",
    "sweep --repeats": "--find-epochs", "sweep --same-epochs": "--race", "sweep --search-budget": "--race"}
# What stands in BEHIND and does not go with an option.
INSTEAD_OF = {"--all": "--sweep", "--steps": "--epochs", "--run": "--work", "--patience": "--target", "--metric": "--target",
              "--price-history": "--spot-price", "--set": "--batch", "--profile": "--from", "--workers": "--from", "--sessions": "--to"}
# Options that stand in place of the trace of `spot`.
WITHOUT_TRACE = {"--interruptions", "--spot-trace", "--spot-wait"}
# What a command gets besides.
BEHIND = {
    "attach": "last", "cancel": "last", "catalog diff": "offers.csv later.csv", "catalog import": "csv offers.csv",
    "catalog update": "--url https://127.0.0.1:9/list.csv", "catalog why": "{listed}", "compare": "batch=32 batch=64",
    "completion": "bash", "epochs": "000000000003 000000000004 --target val_accuracy=0.75", "fetch": "last", "fleet check": "fleet.toml",
    "fleet from-slurm": "--login nowhere.invalid", "forecast": "000000000003 000000000009 --epochs 90000",
    "help": "fleet-file", "import": "runs.jsonl", "lap": "iteration 8", "offload": "--to {machine} fleet.toml -- {ended}",
    "papers": "lawrence", "probe": "--max-laps 20 -- {trainer}", "rank": "--sweep {sweep} --epochs 90000",
    "rent check": "--adapter nowhere", "rent try": "nowhere --type small --search-budget 0.05USD",
    "repeat": "--until 2 -- {ended}", "report": "--sweep {sweep} --epochs 90000", "runs rm": "last", "runs tag": "last a-tag",
    "shortlist": "--from 000000000003 --epochs 90000", "show": "000000000009 --epochs 90000", "soak": "--for 300ms", "soak report": "heartbeats",
    "spot": "trace.json --work 900h --spot-price 1.25 --checkpoint 1m --restart 5m", "stopwatch": "--networks mnist-mlp --repeats 1",
    "suite data": "mnist-mlp", "suite memory": "nn-twins --batch 8,16", "suite prepare": "retina --in eyes --out prepared",
    "suite run": "mnist-mlp nqueens --n 8..9 --repeats 2", "suite split": "nqueens fleet.toml --n 8 --pieces 3", "sweep": "fleet.toml --batch 32,64 --max-laps 15 -- {trainer}",
    "sweeps name": "{measured} a-name", "sweeps rm": "{measured}", "transfer link": "nowhere.invalid",
    "transfer plan": "eyes --to arrived -- ./prepare.sh {in} {out}", "verify": "--sweep {measured}",
    "transfer run": "eyes --to arrived -- ./prepare.sh {in} {out}", "watch": "-- {ended}"}
RUNNING = {"demo", "machine", "soak", "stopwatch", "suite data", "suite memory", "suite run", "suite split", "transfer link", "verify"}
# Commands whose options are tried together.
TOGETHER = ["rank --sweep {sweep} --epochs 90000 --by score --deadline 900h --risk 50% --bill --explain --energy --plot",
            "rank --sweep {sweep} --epochs 90000 --offers offers.csv --bill --explain --checkpoint 1m --restart 10m",
            "rank --sweep {sweep} --epochs 5,90000 --per-batch --strategies", "rank --all --epochs 90000 --offers offers.csv",
            "show 000000000003 --methods --laps --output --plot", "runs --newest 0", "catalog --gpu a100 --top 50"]
FOR_PROGRAMS = "writes what programs and files hold, line by line"
LEFT_OUT = {"completion": FOR_PROGRAMS, "export": FOR_PROGRAMS, "man": FOR_PROGRAMS, "fleet init": FOR_PROGRAMS,
            "catalog import": FOR_PROGRAMS, "rank --export": FOR_PROGRAMS, "--format": FOR_PROGRAMS,
            "--json": FOR_PROGRAMS, "serve": "goes on until it is interrupted", "--open": "opens a browser",
            "find": "measures, and shows the tables of shortlist"}


def _values(command, option, kind):
    """Returns the values to try of an option, each as a text of words; none where no value is known."""
    if not kind:
        return [""]
    if listed := re.search(r"\{(.*)\}$", kind):
        return listed[1].split(",")
    value = OF_OPTION.get(f"{command} {option}") or OF_OPTION.get(option) or OF_KIND.get(kind.split(":")[0])
    return [value] if value else []


class Attempts:
    """Lists the commands to run over a store, as texts: those that only read what is `stored`, those with `running`
    programs and the `helps`; and lines for people about those that are left out."""

    def __init__(self, store):
        self.names, self.stored, self.running, self.left_out = store.names, [], [], []
        listed = manual(store.story)
        for command, options in listed.items():
            if command in LEFT_OUT:
                self.left_out.append(f"{command}: {LEFT_OUT[command]}")
                continue
            if command:
                self.add(command)
            for option, kind in options:
                self.add_option(command, option, kind)
        self.stored += map(self.filled, TOGETHER)
        self.helps = [f"{command} {option}".strip() for command in listed for option in ("-h", "--help")]
        pages = store.story.lapcast("help").ok().out.split("lapcast help PAGE:")[1].split()
        self.helps += ["--version", *(f"help {page}" for page in pages)]

    def add_option(self, command, option, kind):
        if option in ("-h", "--help", "--version"):  # of self.helps
            return
        values = _values(command, option, kind)
        reason = LEFT_OUT.get(option) or LEFT_OUT.get(f"{command} {option}")
        if reason or not values:
            reason = reason or f"no value is known of the kind {kind}"
            self.left_out.append(f"{command or 'any command'} {option}: {reason}")
            return
        beside = BESIDE.get(f"{command} {option}") or BESIDE.get(option, "")
        for value in values:
            self.add(command or "rank", f"{beside} {option} {value}")

    def add(self, command, options=""):
        behind = BEHIND.get(command, "")
        given = re.findall(r"--[\w-]+", options)
        if command == "spot" and WITHOUT_TRACE.intersection(given):
            behind = behind.removeprefix("trace.json ")
        for option in given + [INSTEAD_OF[each] for each in given if each in INSTEAD_OF]:
            behind = re.sub(rf"(^| ){option} \S+", "", behind)
        own, dashes, program = f" {behind} ".partition(" -- ")
        commands = self.running if dashes or command in RUNNING else self.stored
        commands.append(self.filled(f"{command} {own} {options} {dashes} {program}"))

    def filled(self, text):
        for name, value in self.names.items():
            text = text.replace(f"{{{name}}}", value)
        return " ".join(text.split())


# Stores and files

LONG_NAMES = {"small": "e2-highcpu-16", "medium": "g4dn.2xlarge", "large": "Standard_NC24ads_A100_v4",
              "./train": "/home/user/training/train_with_a_long_name.py", '"batch":"': '"learning_rate":"0.0005","batch":"'}
MACHINES = {False: ("small", "medium"), True: ("Standard_NC24ads_A100_v4", "g4dn.2xlarge-of-the-third-rack")}
OFFER = "aws/g4dn.2xlarge/us-east-1/spot"
LISTED_OFFER = "azure/Standard_NC24ads_A100_v4/eastus/spot"  # of the catalog that comes with lapcast
CATALOG = """name,machine_type,region,price_usd_per_hour,terms,interruption_hours,boot,as_of,source
{offer},{machine},us-east-1,1.7345,spot,5,90s,2026-11,a list of prices with a long name
aws/{machine}/us-east-1/on-demand,{machine},us-east-1,12.2475,on-demand,,,2026-11,a list of prices with a long name
"""


class Store:
    """Makes what commands are run over: frozen runs, a sweep and an offloaded training. `long`: with names of
    machines, settings, offers and programs as they are on rented machines."""

    def __init__(self, story, long):
        self.story = story
        text = (GOLDEN / "runs.jsonl").read_text()
        first, second = MACHINES[long]
        if long:
            for short, name in LONG_NAMES.items():
                text = text.replace(f'"{short}"', f'"{name}"') if short[0] != '"' else text.replace(short, name)
        work = story.work
        (work / "runs.jsonl").write_text(text)
        story.fleet(f'''
[[machine]]
name = "{first}"
price = "12.20"
cpus = "0"
[[machine]]
name = "{second}"
price = "0.7345"
cpus = "0"
cpu_quota = "50%"
''')
        prices = CATALOG.format(offer=OFFER, machine="g4dn.2xlarge" if long else "medium")
        (work / "offers.csv").write_text(prices)
        (work / "later.csv").write_text(prices.replace("1.7345", "2.7345"))
        (work / "prices.toml").write_text('[[discount]]\npercent = "50%"\n')
        (work / "watts.csv").write_text("time,watts\n2026-11-20T12:00:00Z,210\n2026-11-20T13:00:00Z,215\n")
        (work / "trace.json").write_text(json.dumps({"metadata": {"gap_seconds": 300}, "data": ([1] * 24 + [0] * 12) * 320}))
        (work / "history.json").write_text(json.dumps({"SpotPriceHistory": [
            {"Timestamp": f"2026-11-{day:02}T00:00:00Z", "SpotPrice": f"{day / 10}"} for day in range(1, 21)]}))
        shutil.copy(GOLDEN.parent / "pages" / "soak" / "heartbeats", work)
        make_eyes(story)
        Suite(story, ["mnist-mlp", "mnist-cnn", "nn-twins", "nqueens", "mask-rcnn", "make-digits", "make-io-observations"])
        story.environment["FAKE_MEMORY"] = "100000"
        self.names = {
            "machine": first, "frozen": LONG_NAMES["small"] if long else "small", "listed": LISTED_OFFER, "sweep": "5eeb00000002", "learned": "5eeb00000001", "measured": "measured",
            "trainer": " ".join(map(str, story.trainer("--laps", 400, "--lap-ms", 2, "--epochs", 4, "--batch", "{batch}"))),
            "ended": " ".join(map(str, story.trainer("--laps", 20, "--lap-ms", 2, "--epochs", 2)))}
        story.lapcast("import", "runs.jsonl").ok()
        for command in (f"sweep fleet.toml --batch 32,64 --max-laps 15 --name measured -- {self.names['trainer']}",
                        f"offload --to {first} fleet.toml -- {self.names['ended']}", "attach last"):
            ended = story.lapcast(*command.split())
            assert ended.code in (0, 1), ended
        self.saved = story.folder / "saved"
        shutil.copytree(story.store.parent, self.saved)
        database = sqlite3.connect(story.store)
        self.ids = {row[0] for table in ("runs", "sweeps") for row in database.execute(f"SELECT id FROM {table}")}
        database.close()

    def restore(self):
        shutil.rmtree(self.story.store.parent)
        shutil.copytree(self.saved, self.story.store.parent)

    def run(self, command, mode):
        """Runs a command over the store as it was made, in one of MODES. Returns its exit code, what it wrote, and
        the lines that are too wide, break an id, or have escapes on a dumb terminal."""
        self.restore()
        code, written = written_in(mode, self.story, *command.split())
        wrong = too_wide(written, WIDTH) + broken_ids(written, self.ids)
        if mode == "dumb":
            wrong += [line for line in written.decode().splitlines() if "\x1b" in line]
        return code, written, wrong
