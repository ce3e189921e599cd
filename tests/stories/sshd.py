"""Provides machines that are reached by ssh: one sshd per machine on the loopback of this one, with
temporary keys and its own home folder, login and PATH. The user's ssh config is neither read nor
written, and only processes that this module started are stopped."""

import contextlib
import fcntl
import os
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

SSHD = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
NEEDED = {"ssh": shutil.which("ssh"), "ssh-keygen": shutil.which("ssh-keygen"), "sshd": SSHD,
          "rsync": shutil.which("rsync")}


def why_not_here():
    """Returns what these stories lack on this machine, or ""."""
    missing = [name for name, path in NEEDED.items() if path is None]
    if missing:
        return f"{', '.join(missing)} not installed (Debian: openssh-server, rsync)"
    if os.geteuid() == 0:
        # the folder to which sshd drops its rights
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    return ""


def raise_loopback():
    """Raises the loopback device, which is down in a new network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(any_socket, 0x8913, request))[1]  # SIOCGIFFLAGS
        if not flags & 1:  # IFF_UP
            fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", flags | 1))


def fleet_entry(host, more="", name=None, price="1"):
    """Returns the entry of a fleet file for a machine that ssh reaches as HOST."""
    return f'[[machine]]\nname = "{name or host}"\nhost = "{host}"\nprice = "{price}"\n{more}\n'


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def descendants(pid):
    """Yields (pid, name) of the descendants of a living process, from /proc."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            head, tail = (entry / "stat").read_text().rsplit(")", 1)
        except OSError:
            continue
        parents.setdefault(int(tail.split()[1]), []).append((int(entry.name), head.split("(", 1)[1]))
    found, waiting = [], [pid]
    while waiting:
        for child in parents.get(waiting.pop(), []):
            found.append(child)
            waiting.append(child[0])
    return found


class Link:
    """Gives a machine its own network and host name behind a link of that rate ("50mbit"). It needs
    root."""

    count = 0

    def __init__(self, name, rate):
        Link.count += 1
        self.space = f"lc-{os.getpid()}-{Link.count}"
        self.near, third = f"lc{os.getpid()}n{Link.count}"[:15], Link.count
        self.address, self.gateway = f"10.213.{third}.2", f"10.213.{third}.1"
        self.enter = ["ip", "netns", "exec", self.space, "unshare", "--uts", "sh", "-c",
                      'hostname "$1" && shift && exec "$@"', "sh", name]
        ip = "ip"
        steps = [[ip, "netns", "add", self.space],
                 [ip, "link", "add", self.near, "type", "veth", "peer", "name", "eth0", "netns",
                  self.space],
                 [ip, "addr", "add", f"{self.gateway}/24", "dev", self.near],
                 [ip, "link", "set", self.near, "up"],
                 [ip, "-n", self.space, "addr", "add", f"{self.address}/24", "dev", "eth0"],
                 [ip, "-n", self.space, "link", "set", "lo", "up"],
                 [ip, "-n", self.space, "link", "set", "eth0", "up"],
                 ["tc", "qdisc", "add", "dev", self.near, "root", "tbf", "rate", rate, "burst",
                  "64kb", "latency", "50ms"]]
        try:
            for step in steps:
                subprocess.run(step, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.remove()
            pytest.skip("no network of its own with a shaped link can be made here (root, iproute2)")

    def remove(self):
        subprocess.run(["ip", "netns", "del", self.space], stderr=subprocess.DEVNULL)


class Machine:
    """Runs one sshd. `login` is what its user's shell does before it runs a command; `rate` puts
    the machine behind its own link."""

    def __init__(self, network, name, shell="/bin/sh", login="", path=None, rate=None, options=()):
        self.network, self.name = network, name
        self.link = Link(name, rate) if rate else None
        self.address = self.link.address if self.link else "127.0.0.1"
        self.folder = network.folder / name
        self.home = self.folder / "home"
        self.home.mkdir(parents=True)
        self.port = free_port()
        self.process = None
        self.new_host_key()
        entry = self.folder / "login.sh"
        entry.write_text(f"#!/bin/sh\nexport HOME={shlex.quote(str(self.home))}\ncd\n"
                         f"export PATH={shlex.quote(str(path or os.environ['PATH']))}\n{login}\n"
                         f'exec {shell} -c "$SSH_ORIGINAL_COMMAND"\n')
        entry.chmod(0o755)
        (self.folder / "sshd.conf").write_text("\n".join([
            f"Port {self.port}", f"ListenAddress {self.address}", f"HostKey {self.folder}/host_key",
            f"PidFile {self.folder}/pid", f"AuthorizedKeysFile {network.folder}/id.pub",
            "StrictModes no", "UsePAM no", "PasswordAuthentication no", "UseDNS no",
            "KbdInteractiveAuthentication no", "PermitRootLogin prohibit-password",
            # With this, bash does not read the .bashrc of the user who runs the tests.
            "SetEnv SHLVL=1", f"ForceCommand {entry}", *options]) + "\n")

    def new_host_key(self):
        key = self.folder / "host_key"
        key.unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)

    def known_key(self):
        kind, key = (self.folder / "host_key.pub").read_text().split()[:2]
        return f"[{self.address}]:{self.port} {kind} {key}\n"

    def start(self):
        log = open(self.folder / "log", "a")
        enter = self.link.enter if self.link else []
        self.process = subprocess.Popen([*enter, SSHD, "-D", "-e", "-f", self.folder / "sshd.conf"],
                                        stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                        start_new_session=True)
        log.close()
        until = time.monotonic() + 600
        while time.monotonic() < until:
            with socket.socket() as trial:
                if trial.connect_ex((self.address, self.port)) == 0:
                    return self
            time.sleep(0.01)
        raise AssertionError((self.folder / "log").read_text())

    def break_links(self):
        """Kills the connections but not the server, as a network failure does."""
        for pid, name in descendants(self.process.pid):
            if name.startswith("sshd"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def kill(self):
        """Kills the server and its connections; detached processes continue."""
        if self.process is None:
            return
        self.break_links()
        self.process.kill()
        self.process.wait()
        self.process = None

    def cache(self):
        return self.home / ".cache" / "lapcast"

    def runs(self):
        return sorted((self.cache() / "runs").glob("*"))

    def sent(self):
        """Returns the folder to which the program was sent."""
        folders = [path for path in (self.cache() / "work").glob("*") if path.is_dir()]
        assert len(folders) == 1, folders
        return folders[0]


class Network:
    """Manages machines and the ssh config that reaches them: $LAPCAST_SSH_CONFIG."""

    def __init__(self, folder):
        self.folder = folder
        self.folder.mkdir()
        self.machines = []
        self.sockets = tempfile.mkdtemp(prefix="lc-", dir="/tmp")  # short, and mode 0700
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "id"],
                       check=True)
        self.config = folder / "ssh_config"
        self.known_hosts = folder / "known_hosts"
        self.config.write_text("")
        self.known_hosts.write_text("")
        self.environment = {"LAPCAST_SSH_CONFIG": str(self.config),
                            "XDG_RUNTIME_DIR": self.sockets}

    def machine(self, name, known=True, **how):
        machine = Machine(self, name, **how)
        self.machines.append(machine)
        with self.config.open("a") as config:
            config.write(f"Host {name}\n HostName {machine.address}\n Port {machine.port}\n"
                         f" IdentityFile {self.folder}/id\n IdentitiesOnly yes\n"
                         f" UserKnownHostsFile {self.known_hosts}\n"
                         f" GlobalKnownHostsFile /dev/null\n")
        if known:
            with self.known_hosts.open("a") as known_hosts:
                known_hosts.write(machine.known_key())
        return machine.start()

    def stop(self):
        for machine in self.machines:
            machine.kill()
            if machine.link:
                machine.link.remove()
        shutil.rmtree(self.sockets, ignore_errors=True)
