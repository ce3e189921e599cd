"""Limits of power as settings: each is set, measured with, and set back."""

from session import Skipped


def limits(session):
    told = session.run("nvidia-smi", "--query-gpu=power.limit,power.min_limit,power.max_limit",
                       "--format=csv,noheader,nounits")
    try:
        return [float(text) for text in told.out.splitlines()[0].split(",")]
    except (IndexError, ValueError):
        raise Skipped(f"nvidia-smi tells no limit: {told.out.strip() or told.err.strip()}") from None


def run(session):
    session.needs_driver()
    if not (session.imitated or session.changes_settings):
        raise Skipped("it changes the card's limit of power: --change-settings allows that")
    session.needs("nvidia-smi")
    usual, lowest, highest = limits(session)
    allowed = session.run("nvidia-smi", "-i", "0", "-pl", f"{usual:.7g}")
    if allowed.code != 0:
        raise Skipped(f"no right to set a limit: {(allowed.out + allowed.err).strip()[:200]}")
    wanted = [round(lowest + (highest - lowest) * share) for share in (0.5, 0.9)]
    program = session.queued("--lap-ms", 20, "--epochs", 50) if session.imitated \
        else session.program("load", "--seconds", 60)
    probed = session.probe("--power-limits", ",".join(map(str, wanted)), "--max-laps",
                           session.seconds(12, 60), program=program)
    session.check(probed.code == 0, f"the probes end: exit status {probed.code}")
    found = {row["settings"].get("power") for row in probed.json["probes"]}
    session.check(found == {f"{watts}W" for watts in wanted}, f"one probe for each limit: {sorted(found)}")
    session.check(limits(session)[0] == usual, f"the limit is set back to {usual:.7g} W")
    for row in probed.json["probes"]:
        session.figure(f"lap at {row['settings'].get('power')}, ms", round(1e3 * (row["lap_s"] or 0), 3))
