"""Writes the report of `./check --gpu`: a table in Markdown, the same as JSON, and an archive with
the raw lap logs and the output of every command. At most 8 files and 16 MiB."""

import json
import tarfile
import time
import zlib

MOST_BYTES = 15 << 20  # of the archive


def number(value):
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def figures_of(record):
    """Returns the figures as texts, those that miss their goal marked."""
    texts = []
    for figure in record["figures"]:
        text = f"{figure['name']} {number(figure['value'])}"
        if "goal" in figure:
            state = "" if figure["met"] else ", missed" if figure["judged"] else ", not judged here"
            text += f" (goal {figure['goal']}{state})"
        texts.append(text)
    return texts


def reasons_of(record):
    """Returns why a part did not pass."""
    reasons = [record["reason"]] if record.get("reason") else []
    reasons += [check["text"] for check in record["checks"] if not check["ok"]]
    return reasons + [f"missed: {f['name']} {number(f['value'])}, goal {f['goal']}"
                      for f in record["figures"] if f.get("judged") and not f["met"]]


def line_of(record):
    checks = record["checks"]
    text = f"{record['part']}: {record['result']} after {record['seconds']} s"
    if checks:
        text += f", {sum(check['ok'] for check in checks)} of {len(checks)} checks hold"
    return "; ".join([text, *reasons_of(record)])


def cell(texts):
    return "<br>".join(text.replace("|", "\\|").replace("\n", " ") for text in texts)


def table(records):
    lines = ["| part | result | checks | seconds | figures | why, or left out |",
             "|---|---|---|---|---|---|"]
    for record in records:
        held = sum(check["ok"] for check in record["checks"])
        why = reasons_of(record) + [f"left out: {text}" for text in record["left_out"]]
        lines.append(f"| {record['part']} | {record['result']} | {held} of {len(record['checks'])} | "
                     f"{record['seconds']} | {cell(figures_of(record))} | {cell(why)} |")
    return "\n".join(lines)


def summary(records):
    count = {result: sum(record["result"] == result for record in records)
             for result in ("passed", "failed", "skipped")}
    return ", ".join(f"{number} {result}" for result, number in count.items())


def page(options, versions, records):
    form = "short forms" if options.short or not options.parts else "whole forms"
    against = "imitations of driver and device" if options.imitate else "this machine's GPU"
    checks = [f"- {record['part']}: {'holds' if check['ok'] else '**fails**'}: {check['text']}"
              for record in records for check in record["checks"]]
    return "\n".join([
        "# lapcast on a GPU", "",
        f"{time.strftime('%Y-%m-%d %H:%M:%S UTC', time.gmtime())}, {form} against {against}; "
        f"{versions}", "",
        f"{summary(records)}; {sum(record['seconds'] for record in records):.0f} s of parts.", "",
        table(records), "", "## Checks", "", *checks, ""])


def archive(target, folder):
    """Packs the outputs and the exported runs, the smallest first; returns what did not fit."""
    files = sorted([*folder.glob("*/output.log"), *folder.glob("*/runs.jsonl")],
                   key=lambda path: path.stat().st_size)
    left_out, room = [], MOST_BYTES
    with tarfile.open(target, "w:gz") as packed:
        for path in files:
            name = f"{path.parent.name}/{path.name}"
            room -= len(zlib.compress(path.read_bytes()))
            if room < 0:
                left_out.append(name)
            else:
                packed.add(path, name)
    return left_out


def write(options, versions, records, folder):
    options.into.mkdir(parents=True, exist_ok=True)
    (options.into / "report.md").write_text(page(options, versions, records))
    left_out = archive(options.into / "runs.tar.gz", folder)
    (options.into / "report.json").write_text(json.dumps(
        {"versions": versions, "imitated": options.imitate, "parts": records,
         "not_in_the_archive": left_out}, indent=1))
    print(f"{summary(records)}; the report is {options.into / 'report.md'}")
