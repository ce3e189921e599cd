"""Stories about building the suite's programs: sources, tools, what is built and what is not."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from conftest import HANGS, eventually

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("cmake", "ninja", "c++", "g++", "cc", "gcc", "as", "ld", "ar", "ranlib", "uname", "sh", "bash", "env")
PROGRAM = '#include <cstdio>\nint main() { std::puts("{\\"name\\": 1}"); }\n'
CMAKE = """cmake_minimum_required(VERSION 3.22)
project(sources LANGUAGES CXX)
message(STATUS "No libjpeg-turbo (apt-get install libturbojpeg0-dev): without make-retinas, retina-prepare and ic-dr")
add_executable(mnist-mlp good.cc)
add_executable(mnist-cnn bad.cc)
add_executable(make-digits good.cc)
"""


@pytest.fixture
def installed(story, monkeypatch):
    """Is a lapcast without sources above it or programs beside it, as from a wheel."""
    binary = story.folder / "venv/bin/lapcast"
    binary.parent.mkdir(parents=True)
    shutil.copy(os.environ["LAPCAST"], binary)
    monkeypatch.setenv("LAPCAST", str(binary))


@pytest.fixture
def sources(story, installed):
    """Is a folder that looks like the sources of lapcast, with small programs."""
    if not all(shutil.which(tool) for tool in ("cmake", "ninja", "g++")):
        pytest.skip("cmake, ninja and g++ are not all here")
    folder = story.folder / "sources"
    programs = folder / "suite/programs"
    for path in (programs, folder / "include/lapcast"):
        path.mkdir(parents=True)
    (folder / "include/lapcast/lap.h").write_text("")
    (programs / "CMakeLists.txt").write_text(CMAKE)
    (programs / "good.cc").write_text(PROGRAM)
    (programs / "bad.cc").write_text("int main() { return undeclared; }\n")
    story.environment |= {"LAPCAST_TORCH": "/the/torch", "XDG_CACHE_HOME": str(story.folder / "cache")}
    return folder


def file_of(tool):
    """Returns the file of a program of the system; a shim of pyenv needs more than itself."""
    return shutil.which(tool, path="/usr/bin:/bin") or shutil.which(tool)


def tools(story, *left_out):
    """Returns a PATH with the tools of a build but those."""
    folder = story.folder / "bin"
    folder.mkdir()
    for tool in TOOLS:
        if tool not in left_out and file_of(tool):
            (folder / tool).symlink_to(file_of(tool))
    return {"PATH": str(folder)}


def built(ended):
    return {row["workload"]: row for row in ended.rows("built")}


def test_without_sources_it_says_where_they_come_from(story, installed):
    story.lapcast("suite", "build", "mnist-mlp").refused(2, "in a clone of lapcast or in its unpacked source")
    story.lapcast("suite", "build", "--source", ".").refused(2, "--source: . has no suite/programs")
    story.lapcast("suite", "build", "mnist").refused(2, "there are mnist-mlp, mnist-cnn3")
    story.lapcast("suite", "run", "mnist-mlp").refused(4, "`lapcast suite build mnist-mlp`, in a clone")


def test_what_is_missing_is_said_with_its_package(story, sources):
    build = ["suite", "build", "mnist-mlp", "--source", sources]
    path = tools(story, "cmake", "ninja", "c++", "g++")
    story.lapcast(*build, env=path).refused(
        6, "needs cmake and ninja and a C++ compiler, not found on PATH: apt-get install cmake ninja-build g++")
    story.environment.pop("LAPCAST_TORCH")
    (Path(path["PATH"]) / "python3").write_text("#!/bin/sh\nexit 1\n")
    (Path(path["PATH"]) / "python3").chmod(0o755)
    for tool in ("cmake", "ninja", "g++"):
        (Path(path["PATH"]) / tool).symlink_to(file_of(tool))
    story.lapcast(*build, env=path).refused(6, "pip install torch")


def test_what_can_be_built_is_and_the_rest_is_named(story, sources):
    ended = story.lapcast("suite", "build", "mnist-mlp", "mnist-cnn", "ic-dr", "--source", sources, "--json").ok(1)
    rows = built(ended)
    assert rows["mnist-mlp"]["built"] and os.access(rows["mnist-mlp"]["program"], os.X_OK)
    assert "bad.cc" in rows["mnist-cnn"]["reason"] and "undeclared" in rows["mnist-cnn"]["reason"]
    assert "apt-get install libturbojpeg0-dev" in rows["ic-dr"]["reason"]
    assert not rows["mnist-cnn"]["built"] and rows["ic-dr"]["program"] is None
    assert "building mnist-mlp, mnist-cnn, ic-dr with" in ended.err and "steps, about" in ended.err
    # It lies where the suite looks, and is not made again.
    found = {row["name"]: row for row in story.lapcast("suite", "--json").ok().rows("workloads")}
    assert found["mnist-mlp"]["program"] == rows["mnist-mlp"]["program"] and not found["mnist-cnn"]["built"]
    when = os.stat(rows["mnist-mlp"]["program"]).st_mtime_ns
    again = story.lapcast("suite", "build", "mnist-mlp", cwd=sources / "suite").ok()
    assert "all of it is built already" in again.err and "next: lapcast suite run mnist-mlp" in again.out
    assert os.stat(rows["mnist-mlp"]["program"]).st_mtime_ns == when
    # Another one that lies before it is told.
    shutil.copy(rows["mnist-mlp"]["program"], Path(os.environ["LAPCAST"]).parent)
    assert "which it finds before" in story.lapcast("suite", "build", "mnist-mlp", "--source", sources).ok().out
    # Nothing at all built is a failure; a cured program is built.
    story.lapcast("suite", "build", "mnist-cnn", "--source", sources).ok(4)
    shutil.copy(sources / "suite/programs/good.cc", sources / "suite/programs/bad.cc")
    assert built(story.lapcast("suite", "build", "mnist-cnn", "--source", sources, "--json").ok())["mnist-cnn"]["built"]


def test_other_sources_take_the_place_of_the_first(story, sources):
    story.lapcast("suite", "build", "mnist-mlp", "--source", sources).ok()
    other = sources.rename(story.folder / "moved")
    story.lapcast("suite", "build", "mnist-mlp", "--source", other).ok()
    (other / "suite/programs/CMakeLists.txt").write_text("nonsense(\n")
    ended = story.lapcast("suite", "build", "mnist-mlp", "--source", other)
    ended.refused(4, "cmake failed: CMake Error at CMakeLists.txt")
    assert "build.log" in ended.err


def test_a_folder_of_other_files_is_not_built_into(story, sources):
    (story.work / "mine").mkdir()
    (story.work / "mine/thesis.tex").write_text("x")
    story.environment["LAPCAST_SUITE_DIR"] = str(story.work / "mine")
    story.lapcast("suite", "build", "mnist-mlp", "--source", sources).refused(2, "is not a build folder of CMake")
    story.environment["LAPCAST_SUITE_DIR"] = str(story.work / "new")
    rows = built(story.lapcast("suite", "build", "mnist-mlp", "--source", sources, "--json").ok())
    assert rows["mnist-mlp"]["program"] == str(story.work / "new/mnist-mlp")


def test_an_interrupt_ends_the_build_and_it_goes_on(story, sources):
    programs = sources / "suite/programs"
    (programs / "wait.sh").write_text(f"touch {story.work}/begun\ntest -e {story.work}/go || sleep 600\ntouch waited\n")
    (programs / "CMakeLists.txt").write_text(CMAKE + """
add_custom_command(OUTPUT waited COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/wait.sh)
add_custom_target(wait DEPENDS waited)
add_dependencies(mnist-mlp wait)
""")
    process = story.start("suite", "build", "mnist-mlp", "--source", sources)
    eventually(lambda: (story.work / "begun").exists())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and out == b"" and b"the same command goes on" in err
    (story.work / "go").touch()
    story.lapcast("suite", "build", "mnist-mlp", "--source", sources).ok()


def test_the_queens_are_built_from_the_real_sources_and_run(story, installed):
    """They need no PyTorch: a real build of some seconds."""
    if not all(shutil.which(tool) for tool in ("cmake", "ninja", "g++")):
        pytest.skip("cmake, ninja and g++ are not all here")
    path = tools(story)
    (Path(path["PATH"]) / "python3").symlink_to("/bin/false")
    path |= {"XDG_CACHE_HOME": str(story.folder / "cache")}
    sources = story.folder / "clone"  # without build/venv, which may have a PyTorch
    (sources / "suite").mkdir(parents=True)
    (sources / "suite/programs").symlink_to(ROOT / "suite/programs")
    (sources / "include").symlink_to(ROOT / "include")
    story.lapcast("suite", "build", "nqueens", cwd=sources, env=path, timeout=600).ok()
    ended = story.lapcast("suite", "run", "nqueens", "--n", 6, "--repeats", 1, "--device", "cpu", "--json",
                          env=path).ok()
    assert all(row["solutions"] == 4 for row in ended.rows("boards"))
