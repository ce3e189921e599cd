"""A whole training, offloaded to this machine: detached, watched, and brought back."""


def run(session):
    (session.work / "fleet.toml").write_text(
        '[prices]\nas_of = "2026-11-01"\nsource = "a check"\n[[machine]]\nname = "box"\nprice = "3.5"\n')
    program = session.program("conv", *(["--size", 16, "--width", 4, "--workers", 0, "--samples", 640,
                                         "--epochs", 2] if session.imitated
                                        else ["--epochs", session.seconds(3, 12)]))
    sent = session.lapcast("offload", "--to", "box", "fleet.toml", "--json", "--", *program)
    if not session.check(sent.code == 0, f"the training is sent: exit status {sent.code}"):
        return
    run_id = sent.json["offloaded"]["id"]
    attached = session.lapcast("attach", run_id)
    session.check(attached.code == 0, f"attach waits for its end: exit status {attached.code}")
    fetched = session.lapcast("fetch", run_id, "--into", "results")
    session.check(fetched.code == 0, f"fetch brings it: exit status {fetched.code}")
    truth = session.lapcast("show", run_id, "--output").out
    laps = session.export(run_id).laps()
    session.check(f'"steps": {laps},' in truth, f"its {laps} laps are the steps that it made")
    session.figure("seconds from sending to results", round(sent.seconds + attached.seconds + fetched.seconds, 1))
