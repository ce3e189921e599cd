"""Stories about the parts that the program is made of: the core passes without the suite, and a new
command touches its own folder and the list of commands."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_FILES = 6  # outside its own folder, that a new command touches
OBJECT = re.compile(r" -o (\S+\.o) ")


def test_the_core_works_without_the_suite(story, monkeypatch):
    monkeypatch.setenv("LAPCAST", os.environ["LAPCAST_CORE"])
    story.probe("--max-laps", 30, "--price", 3.6).ok()
    assert story.lapcast("rank", "--by", "cost", "--json").ok().rows("candidates")
    page = story.lapcast().ok().out
    assert "  Remote    offload" in page and "suite" not in page
    assert "--papers" not in story.lapcast("help", "report").ok().out
    story.lapcast("suite").refused(2, "there is no command or option 'suite'")


def template_of_a_command():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return re.search(r"^## Add a command$.*?^```cpp\n(.*?)^```", text, re.M | re.S)[1]


def files_of_the_instructions():
    """Returns the files outside the folder of a new command that CONTRIBUTING names for it."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    steps = re.search(r"^## Add a command$.*?^```\n(.*)", text, re.M | re.S)[1]
    steps = steps[steps.index("\n2. "):].split("\n\n")[0]  # without what only some need
    paths = re.findall(r"`((?:src|tests|docs)/[\w./]+)`|`(CHANGELOG.md)`", steps)
    return {next(filter(None, path)) for path in paths}


def commands_of(build):
    """Returns the commands that make lapcast, by what they make."""
    done = subprocess.run(["ninja", "-C", build, "-t", "commands", "lapcast"], capture_output=True,
                          text=True, check=True)
    made = {}
    for line in done.stdout.splitlines():
        words = shlex.split(line)
        made[words[words.index("-o") + 1] if "-o" in words else line] = line
    return made


def test_the_cmake_of_the_distribution_configures(tmp_path):
    cmake = "/usr/bin/cmake"  # another one, newer and more lenient, may stand first on PATH
    if not os.access(cmake, os.X_OK):
        pytest.skip(f"there is no {cmake}")
    done = subprocess.run([cmake, "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DLAPCAST_TESTS=ON",
                           "-DLAPCAST_BENCH=ON", "-DLAPCAST_GROUPS=ON"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_new_command_is_a_folder_and_a_line_of_the_list(tmp_path):
    release = os.environ.get("LAPCAST_BUILD", "")
    if not os.path.exists(f"{release}/suite/liblapcast_suite.a") or not shutil.which("ninja"):
        pytest.skip("needs the build of ./check: LAPCAST_BUILD")
    assert len(files_of_the_instructions()) <= MOST_FILES - 1  # and the page of its subject
    tree, build = tmp_path / "tree", tmp_path / "build"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns("build", ".git", "programs"))

    def configure():
        subprocess.run(["cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DLAPCAST_GROUPS=ON"],
                       capture_output=True, check=True)
        return commands_of(build)

    before = configure()
    main = tree / "src/main.cc"
    (tree / "src/commands/greet").mkdir()
    (tree / "src/commands/greet/greet_command.cc").write_text(template_of_a_command())
    main.write_text(main.read_text().replace("extern const NamedCommand ",
                                             "extern const NamedCommand kGreetCommand, ", 1)
                    .replace('{"Measure", {', '{"Measure", {kGreetCommand, ', 1))
    after = configure()
    changed = {name for name, line in after.items() if before.get(name) != line}
    objects = {name for name in changed if name.endswith(".o")}
    # A new object, the archive that it goes into, and lapcast itself.
    assert len(objects) == 1 and "greet" in objects.pop(), changed
    assert len(changed) <= 3, changed

    greet = next(name for name in after if name.endswith(".o") and "greet" in name)
    listed = next(name for name in after if name.endswith("main.cc.o"))
    prefix = next(name for name in after if name.endswith("lapcast_cli.dir/cmake_pch.hxx.gch"))
    for name in (prefix, greet, listed):  # ninja would make the libraries first, which did not change
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(after[name], shell=True, cwd=build, capture_output=True, check=True)
    for archive in ("model", "formats", "system", "cli"):
        shutil.copy(f"{release}/liblapcast_{archive}.a", build)
    (build / "suite").mkdir(exist_ok=True)
    shutil.copy(f"{release}/suite/liblapcast_suite.a", build / "suite")
    subprocess.run(["ar", "r", "liblapcast_cli.a", greet], cwd=build, capture_output=True,
                   check=True)
    link = next(line for line in after.values() if f" {listed} " in line and " -o lapcast " in line)
    subprocess.run(link.split(" && cd ")[0], shell=True, cwd=build, capture_output=True, check=True)
    said = subprocess.run([build / "lapcast", "greet", "--name", "you"], capture_output=True,
                          text=True, check=True)
    assert said.stdout == "hello you\n"
