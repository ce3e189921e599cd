"""Stories about which starts of a program count as warm, whose time is forecast surely."""

import shlex


def script(story, name):
    (story.work / name).write_text("sleep 0.02\n")
    return name


def start_of(story, *program, env=None):
    """Probes a program once and returns whether its start counts as cold or warm."""
    story.probe("--whole", program=program, env=env).ok()
    return story.export()[-1]["start"]


def test_a_start_is_warm_after_one_of_the_same_script(story):
    for name in ("a.sh", "b.sh"):
        script(story, name)
    assert start_of(story, "sh", "a.sh", "--batch=64") == "cold"
    assert start_of(story, "sh", "a.sh", "--batch=128") == "warm"
    assert start_of(story, "sh", "b.sh", "--batch=64") == "cold"  # the same interpreter
    assert start_of(story, "sh", "a.sh", "--batch=64") == "warm"


def test_a_start_is_warm_only_in_the_same_environment(story):
    script(story, "a.sh")
    assert start_of(story, "sh", "a.sh") == "cold"
    assert start_of(story, "sh", "a.sh", env={"VIRTUAL_ENV": "/opt/other"}) == "cold"
    assert start_of(story, "sh", "a.sh", env={"VIRTUAL_ENV": "/opt/other"}) == "warm"
    fleet = story.fleet('[[machine]]\nname = "a"\nenvironment = { MODEL = "small" }\n'
                        '[[machine]]\nname = "b"\nenvironment = { MODEL = "large" }\n')
    story.lapcast("sweep", fleet.name, "--whole", "--rounds", 1, "--confirm", 0, "--", "sh",
                  "a.sh").ok()
    swept = [run for run in story.export() if run["sweep"]]
    assert [run["start"] for run in swept] == ["cold", "cold"]


def test_verify_is_cold_where_the_script_changed_since_its_probe(story):
    train = story.work / "a.sh"
    train.write_text("exec " + shlex.join(map(str, story.trainer("--laps", 20, "--lap-ms", 2))))
    story.lapcast("sweep", "--confirm", 0, "--rounds", 1, "--", "sh", "a.sh").ok()
    story.lapcast("verify", "--all").ok()
    train.write_text(train.read_text() + "  # changed")
    story.lapcast("verify", "--all", "--again").ok()
    assert [run["start"] for run in story.export()] == ["cold", "warm", "cold"]
