"""Every command that forecasts a run shows the same number for it."""

FLEET = "".join(f'[[machine]]\nname = "{name}"\nprice = "{price}"\n[machine.environment]\n'
                f'FAKE_SPEED = {speed}\n' for name, price, speed in (("slow", "3.6", 1), ("fast", "18", 4)))


def trained_before(story):
    """The program, of which the store has a finished run that taught what a validation costs and
    how far off a forecast from a few laps is."""
    program = story.trainer("--epochs", 3, "--laps", 40, "--lap-ms", 10, "--init-ms", 300, "--batch", 8,
                            "--train", 320, "--validation", 64, "--validation-ms", 150,
                            "--warm-up-laps", 30, "--warm-up-ms", 15)
    story.lapcast("watch", "--", *program).ok()
    return program


def by_machine(ended, table="candidates", column="time_s"):
    return {row["machine_type"]: row[column] for row in ended.rows(table)}


def swept(story):
    """The rows of a sweep that is finished, and the forecasts that `rank` shows of it."""
    sweep = ["sweep", story.fleet(FLEET).name, "--max-laps", "15", "--json", "--",
             *trained_before(story)]
    story.lapcast(*sweep).ok()
    rows = story.lapcast(*sweep).ok().rows("probes")  # nothing is measured again
    ranked = by_machine(story.lapcast("rank", "--json").ok())
    assert set(ranked) == {"slow", "fast"}

    # A number from the laps alone would be another one.
    alone = by_machine(story.lapcast("rank", "--alone", "--json").ok())
    assert all(ranked[name] != alone[name] for name in ranked)
    return rows, ranked


def test_rank_show_forecast_and_sweep_say_the_same_of_a_run(story):
    rows, ranked = swept(story)
    assert {row["machine_type"]: row["time_s"] for row in rows} == ranked
    for row in rows:
        shown = story.lapcast("show", row["run"], "--json").ok()
        assert shown.json["forecast"]["time_s"] == ranked[row["machine_type"]]
        [forecast] = story.lapcast("forecast", row["run"], "--json").ok().rows("forecasts")
        assert forecast["forecast_s"] == ranked[row["machine_type"]]


def test_verify_holds_what_rank_showed_against_the_real_time(story):
    _, ranked = swept(story)
    verified = story.lapcast("verify", "--all", "--json").ok()
    assert by_machine(verified, "verified", "forecast_s") == ranked

    # The runs to the end teach nothing about the forecasts that they are held against.
    verified = story.lapcast("verify", "--all", "--json").ok()
    assert by_machine(verified, "verified", "forecast_s") == ranked
    assert by_machine(story.lapcast("rank", "--json").ok()) != ranked


def test_a_secret_among_the_arguments_changes_no_forecast(story):
    program = [*trained_before(story), "--say", "--password=hunter2"]
    story.lapcast("watch", "--", *program).ok()
    story.probe("--max-laps", "15", program=program).ok()
    shown = story.lapcast("show", "last", "--json").ok()
    row, = story.lapcast("forecast", "last", "--json").ok().rows("forecasts")
    assert "hunter2" not in shown.out
    assert shown.json["forecast"]["time_s"] == row["forecast_s"]


def test_a_watched_run_and_its_probe_are_forecast_alike(story):
    story.probe("--max-laps", "15", program=trained_before(story)).ok()
    for run in story.runs():
        shown = story.lapcast("show", run["run"], "--json").ok()
        row, = story.lapcast("forecast", run["run"], "--json").ok().rows("forecasts")
        assert shown.json["forecast"]["time_s"] == row["forecast_s"]
