"""Runs the first commands of docs/install.md in an empty Debian: a root that debootstrap makes, with
nothing but what the page says is needed. It gets the settings of this machine for apt, pip and the
network, and a copy of the files of this clone."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = ["/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/apt/apt.conf.d", "/etc/apt/keyrings",
            "/etc/pip.conf", "/etc/resolv.conf", "/etc/hosts", "/usr/local/share/ca-certificates",
            "/etc/ssl/certs/ca-certificates.crt"]
PASSED_ON = re.compile(r"PIP_\w+|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|(\w+_)?proxy", re.IGNORECASE)
# Runs a command in a root, with /proc and /dev, which go with their namespace.
ENTER = ('mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && '
         'exec chroot "$0" env -i "$@"')


# The stories have a network of their own; the process that started them has that of this machine.
OUTSIDE = ["nsenter", f"--net=/proc/{os.getppid()}/ns/net"]


def commands():
    """Returns the lines of the block of commands in the section "First commands"."""
    section = (ROOT / "docs/install.md").read_text().split("## First commands\n")[1]
    block = re.search(r"^```sh\n(.*?)^```", section, re.M | re.S)[1]
    return [re.sub(r"\s+#.*", "", line) for line in block.splitlines()]


def why_not():
    if not os.environ.get("LAPCAST_LONG_TESTS"):
        return "builds lapcast in an empty Debian; ./check --full"
    if os.geteuid() != 0:
        return "making a root needs root"
    missing = [name for name in ("debootstrap", "chroot", "unshare", "nsenter", "git") if not shutil.which(name)]
    return f"{', '.join(missing)} not installed (Debian: debootstrap, git)" if missing else ""


class EmptyRoot:
    def __init__(self, folder):
        self.folder = folder
        release = re.search(r"^VERSION_CODENAME=(.*)$", Path("/etc/os-release").read_text(), re.M)[1]
        made = subprocess.run([*OUTSIDE, "debootstrap", "--variant=minbase", release, folder],
                              capture_output=True, text=True)
        if made.returncode != 0:
            pytest.skip(f"debootstrap made no root: {(made.stdout + made.stderr).splitlines()[-1]}")
        (folder / "etc/apt/sources.list").unlink(missing_ok=True)
        for name in SETTINGS:
            target = folder / name[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            if Path(name).is_dir():
                shutil.copytree(name, target, dirs_exist_ok=True)
            elif Path(name).exists():
                shutil.copy(name, target)
        files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True)
        for name in filter(None, files.stdout.split("\0")):
            target = folder / "root/lapcast" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target, follow_symlinks=False)

    def run(self, command):
        environment = [f"{name}={value}" for name, value in os.environ.items() if PASSED_ON.fullmatch(name)]
        environment += ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive"]
        return subprocess.run(
            [*OUTSIDE, "unshare", "--mount", "--pid", "--fork", "sh", "-c", ENTER, self.folder, *environment, "sh", "-c",
             f"cd /root/lapcast && {command}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_the_first_commands_install_lapcast_in_an_empty_debian(tmp_path):
    root = EmptyRoot(tmp_path / "root")
    lists = root.run("apt-get update")
    if lists.returncode != 0:
        pytest.skip(f"no mirror: {lists.stdout}")
    for command in commands():
        command = re.sub("apt-get install", "apt-get install -y", command)
        done = root.run(command)
        if " install ." in command and done.returncode != 0:
            # The page says that the build ends with the line that installs what it lacks.
            [line] = re.findall(r"^ *(apt-get install .*)$", done.stdout, re.M)
            packages = shlex.join(line.split()[2:])
            lacking = root.run(f"apt-get install -y --no-install-recommends {packages}")
            assert lacking.returncode == 0, lacking.stdout
            done = root.run(command)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
    version = root.run(commands()[-2]).stdout
    assert version.startswith("lapcast "), version
