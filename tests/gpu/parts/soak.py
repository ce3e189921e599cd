"""`lapcast soak --device cuda`: the card is held, and its heartbeats are read."""

from session import Skipped


def run(session):
    every, held = ("200ms", "2s") if session.imitated else ("1s", f"{session.seconds(6, 30)}s")
    beats = session.folder / "kept" / "heartbeats"
    done = session.lapcast("soak", "--device", "cuda", "--every", every, "--for", held, "--heartbeats", beats)
    if session.imitated and "no CUDA driver" in done.err:
        raise Skipped("no C compiler for an imitation of the CUDA driver")
    session.check(done.code == 0, f"soak ends: exit status {done.code} {done.err.strip()[-200:]}")
    lines = beats.read_text().splitlines() if beats.exists() else []
    work = [int(line.split()[-1]) for line in lines if line.startswith("beat ")]
    session.check(len(work) >= 3 and work == sorted(work) and work[-1] > 0,
                  f"{len(work)} heartbeats, whose work grows")
    report = session.lapcast("soak", "report", beats, "--json").json["availability"]
    session.check(report and report[0]["sessions"] == 1 and report[0]["cut"] == 0,
                  "the report has one session that was not cut")
