"""Limits of power as settings: each is set, measured with, and set back."""

from session import Skipped


def limits(session):
    """Returns limit, lowest and highest limit of each GPU, in watts."""
    told = session.run("nvidia-smi", "--query-gpu=power.limit,power.min_limit,power.max_limit",
                       "--format=csv,noheader,nounits")
    try:
        return [[float(text) for text in line.split(",")] for line in told.out.splitlines()]
    except ValueError:
        raise Skipped(f"nvidia-smi tells no limit: {told.out.strip()[:200]}") from None


def set_back(session, usual):
    """Sets the limits that are not the usual ones; returns whether there was one."""
    changed = [(gpu, before[0]) for gpu, (before, now) in enumerate(zip(usual, limits(session)))
               if before[0] != now[0]]
    for gpu, watts in changed:
        session.run("nvidia-smi", "-i", gpu, "-pl", f"{watts:.7g}")
    return bool(changed)


def run(session):
    session.needs_driver()
    if not (session.imitated or session.changes_settings):
        raise Skipped("it changes the card's limit of power: --change-settings allows that")
    session.needs("nvidia-smi")
    usual = limits(session)
    allowed = session.run("nvidia-smi", "-i", "0", "-pl", f"{usual[0][0]:.7g}")
    if allowed.code != 0:
        raise Skipped(f"no right to set a limit: {(allowed.out + allowed.err).strip()[:200]}")
    try:
        probe(session, *usual[0][1:])
    finally:
        session.check(not set_back(session, usual), "lapcast has set the limits back")


def probe(session, lowest, highest):
    wanted = [round(lowest + (highest - lowest) * share) for share in (0.5, 0.9)]
    program = session.queued("--lap-ms", 20, "--epochs", 50) if session.imitated \
        else session.program("load", "--seconds", 60)
    probed = session.probe("--power-limits", ",".join(map(str, wanted)), "--max-laps",
                           session.seconds(12, 60), program=program)
    session.check(probed.code == 0, f"the probes end: exit status {probed.code}")
    found = {row["settings"].get("power") for row in probed.json["probes"]}
    session.check(found == {f"{watts}W" for watts in wanted}, f"one probe for each limit: {sorted(found)}")
    for row in probed.json["probes"]:
        session.figure(f"lap at {row['settings'].get('power')}, ms", round(1e3 * (row["lap_s"] or 0), 3))
