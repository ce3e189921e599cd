"""Tests what is installed: by `cmake --install`, in an archive, in a Debian package, in a wheel;
and what a configuration says where packages are missing.

LAPCAST_WHEEL=FILE names a wheel to test (`pip wheel --no-deps .`); building one takes four minutes
of CPU time."""

import base64
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import types
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ["LAPCAST"]).resolve().parent
LICENCES = ["libboost-dev", "libc6-dev", "libcli11-dev", "libcsv-dev", "libeigen3-dev",
            "libexpected-dev", "libfmt-dev", "libgcc-N-dev", "libre2-dev", "libsqlite3-dev",
            "libsqlitecpp-dev", "libstdc++-N-dev", "libtomlplusplus-dev", "nlohmann-json3-dev",
            "zlib1g-dev"]
NEEDED = [name for name in LICENCES if not re.search(r"gcc|stdc|libc6", name)]
ADAPTERS = [path.name for path in (ROOT / "rent").iterdir() if path.is_file()]
INSTALLED = ["bin/lapcast", "include/lapcast/lap.h", *(f"libexec/lapcast/{name}" for name in ADAPTERS), "share/bash-completion/completions/lapcast",
             "share/doc/lapcast/copyright", "share/fish/vendor_completions.d/lapcast.fish",
             "share/lapcast/catalog/papers.csv", "share/lapcast/python/lapcast/py.typed",
             "share/man/man1/lapcast.1", "share/zsh/site-functions/_lapcast"]


def cmake():
    """Returns the path of the CMake that made the build."""
    cache = (BUILD / "CMakeCache.txt").read_text()
    return re.search(r"^CMAKE_COMMAND:INTERNAL=(.*)$", cache, re.MULTILINE)[1]


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=120, **options)


def is_static(program):
    return b"/ld-" not in program[:4096]  # as in /lib64/ld-linux-x86-64.so.2


def check_licences(texts):
    """Checks that there is a text for each linked library, and that it is one; `texts`: by name."""
    found = {re.sub(r"-\d+-", "-N-", name): text for name, text in texts.items()}
    # Newer versions of RE2 are linked with Abseil.
    assert sorted(found.keys() - {"libabsl-dev", "plotly"}) == sorted(LICENCES)
    assert all(re.search(b"(?i)licen[cs]e|permission", text) for text in found.values())


def check_installed(prefix):
    """Checks a folder such as /usr into which lapcast was installed."""
    assert [name for name in INSTALLED if not (prefix / name).exists()] == []
    assert is_static((prefix / "bin/lapcast").read_bytes())
    for name in ADAPTERS:
        assert os.access(prefix / "libexec/lapcast" / name, os.X_OK) == (name != "adapter.py")
    described = run(prefix / "libexec/lapcast/lapcast-rent-vast", "describe", input="{}").stdout
    assert '"contract": 1' in described
    catalog = run(prefix / "bin/lapcast", "catalog", "--gpu", "a100", "--top", "1", "--plain")
    assert catalog.returncode == 0 and catalog.stderr == "", catalog
    licences = (prefix / "share/doc/lapcast/licenses").iterdir()
    check_licences({path.name: path.read_bytes() for path in licences})
    version = run(prefix / "bin/lapcast", "--version").stdout
    assert version == run(os.environ["LAPCAST"], "--version").stdout


def test_an_installation_is_whole(tmp_path):
    # The programs of the suite are another component.
    done = run(cmake(), "--install", BUILD, "--prefix", tmp_path, "--component", "Unspecified")
    assert done.returncode == 0, done.stderr
    check_installed(tmp_path)
    assert [path.name for path in (tmp_path / "bin").iterdir()] == ["lapcast"]


def test_the_packages_are_whole(tmp_path):
    cpack = Path(cmake()).with_name("cpack")
    if not cpack.exists() or shutil.which("dpkg-deb") is None:
        pytest.skip("there is no cpack or no dpkg-deb here")
    done = run(cpack, "--config", BUILD / "CPackConfig.cmake", "-B", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    [archive], [package] = tmp_path.glob("*.tar.gz"), tmp_path.glob("*.deb")
    with tarfile.open(archive) as files:
        files.extractall(tmp_path / "archive")
    [unpacked] = (tmp_path / "archive").iterdir()
    check_installed(unpacked)
    assert run("dpkg-deb", "-x", package, tmp_path / "package").returncode == 0
    check_installed(tmp_path / "package/usr")
    fields = run("dpkg-deb", "-f", package).stdout
    assert "Package: lapcast\n" in fields and "Depends:" not in fields


def wheel_backend(monkeypatch, build_wheel):
    """Returns the backend of the wheel, over another scikit-build-core."""
    package, build = types.ModuleType("scikit_build_core"), types.ModuleType("build")
    package.build, build.build_wheel = build, build_wheel
    monkeypatch.setitem(sys.modules, "scikit_build_core", package)
    monkeypatch.setitem(sys.modules, "scikit_build_core.build", build)
    spec = importlib.util.spec_from_file_location("backend", ROOT / "packaging/wheel_backend.py")
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    return backend


@pytest.mark.parametrize("program, tag", [
    (b"\x7fELF static", "manylinux_2_17_x86_64.musllinux_1_1_x86_64"),
    (b"\x7fELF /lib64/ld-linux-x86-64.so.2", "linux_x86_64")])
def test_a_wheel_with_a_static_binary_is_for_every_linux(tmp_path, monkeypatch, program, tag):
    pytest.importorskip("wheel", minversion="0.40", reason="wheel 0.40 or newer is not installed")

    contents = {"lapcast-0.1.0.data/scripts/lapcast": program,
                "lapcast-0.1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: a test\n"
                b"Root-Is-Purelib: false\nTag: py3-none-linux_x86_64\n"}
    record = ""
    for file, text in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).decode().rstrip("=")
        record += f"{file},sha256={digest},{len(text)}\n"

    def build_wheel(folder, *_):
        name = "lapcast-0.1.0-py3-none-linux_x86_64.whl"
        with zipfile.ZipFile(f"{folder}/{name}", "w") as files:
            for file, text in contents.items():
                files.writestr(file, text)
            files.writestr("lapcast-0.1.0.dist-info/RECORD",
                           f"{record}lapcast-0.1.0.dist-info/RECORD,,\n")
        return name

    name = wheel_backend(monkeypatch, build_wheel).build_wheel(str(tmp_path))
    assert name == f"lapcast-0.1.0-py3-none-{tag}.whl"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_wheel_is_whole():
    if "LAPCAST_WHEEL" not in os.environ:
        pytest.skip("LAPCAST_WHEEL names no wheel")
    wheel = Path(os.environ["LAPCAST_WHEEL"])
    assert re.fullmatch(r"lapcast-[\d.]+-py3-none-manylinux_2_17_\w+\.musllinux_1_1_\w+\.whl",
                        wheel.name)
    with zipfile.ZipFile(wheel) as files:
        contents = {name: files.read(name) for name in files.namelist()}
    [program] = [name for name in contents if name.endswith(".data/scripts/lapcast")]
    assert is_static(contents[program])
    package = {path.name for path in (ROOT / "python/lapcast").iterdir() if path.is_file()}
    assert {f"lapcast/{name}" for name in package} <= contents.keys()
    assert {name.rpartition("/")[2] for name in contents if ".data/data/libexec/lapcast/" in name} == set(ADAPTERS)
    texts = {name.rpartition("/")[2]: text for name, text in contents.items()
             if "/licenses/" in name}
    assert texts.pop("LICENSE") == (ROOT / "LICENSE").read_bytes()
    check_licences(texts)


def configured_without(tmp_path, *options, **environment):
    """Returns the line of a configuration that names the packages to be installed."""
    done = run(cmake(), "-G", "Ninja", "-S", ROOT, "-B", tmp_path / "build", *options,
               env=os.environ | environment)
    assert done.returncode != 0
    [line] = [line for line in done.stderr.splitlines() if "apt-get install" in line]
    return line.split()[2:]


def test_missing_packages_are_named_in_one_line(tmp_path):
    modes = [f"-DCMAKE_FIND_ROOT_PATH_MODE_{what}=ONLY"
             for what in ("LIBRARY", "INCLUDE", "PACKAGE")]
    named = configured_without(tmp_path, f"-DCMAKE_FIND_ROOT_PATH={tmp_path}", *modes)
    assert sorted(named) == NEEDED


def test_without_a_compiler_all_packages_are_named(tmp_path):
    # pip names the compilers that its Python was built with, wherever they are.
    named = configured_without(tmp_path, PATH="/nowhere", CC="no-gcc", CXX="no-g++")
    assert sorted(named) == sorted(["g++", *NEEDED])
