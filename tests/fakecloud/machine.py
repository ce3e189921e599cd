"""Makes machines of namespaces: each has its own network, processes, host name, sshd, host key and home
folder, and sees the files of the machine on which the tests run."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

BOOT = Path(__file__).resolve().parent / "machine.sh"


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def spawn(words, log, **environment):
    """Starts a process in namespaces of its own. It ends, with all that it started, when the calling
    thread does."""
    words = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--pid", "--mount", "--uts", "--fork",
             "--kill-child=KILL", *words]
    with open(log, "a") as out:
        process = subprocess.Popen(words, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=out, start_new_session=True)
    own = os.readlink("/proc/self/ns/net")
    while process.poll() is None and os.readlink(f"/proc/{process.pid}/ns/net") == own:
        time.sleep(0.002)
    return process


class Network:
    """Is the free network 10.214.N.0/24. Addresses without a machine swallow packets, as behind a
    firewall, and no packet leaves this machine."""

    def __init__(self, log):
        used = run("ip", "-4", "addr") + run("ip", "-4", "route")
        self.prefix = next(f"10.214.{i}" for i in range(256) if f"10.214.{i}." not in used)
        self.gateway = f"{self.prefix}.1"
        self.nobody = spawn(["sleep", "infinity"], log)
        self.connect(self.nobody, "x", f"{self.prefix}.0/24", "up", "arp", "off")
        run("ip", "addr", "add", f"{self.gateway}/32", "dev", device("x"))

    def free_address(self, taken):
        return next(a for i in range(2, 255) if (a := f"{self.prefix}.{i}") not in taken)

    def connect(self, process, name, addresses, *link):
        near = device(name)
        run("ip", "link", "add", near, "type", "veth", "peer", "name", "eth0", "netns", str(process.pid))
        run("ip", "link", "set", near, *(link or ("up",)))
        run("ip", "route", "add", addresses, "dev", near)

    @staticmethod
    def disconnect(name):
        subprocess.run(["ip", "link", "del", device(name)], stderr=subprocess.DEVNULL)


def device(name):
    return f"fc{os.getpid()}.{name}"[:15]


def changed_copy(source, target, pattern, text):
    target.write_text(re.sub(f"(?m){pattern}", lambda _: text, Path(source).read_text()))


def boot(here, network, *, name, address, offer, ssh_key, user_data, instance, wrong_hardware=False,
         without_ssh=False):
    """Starts a machine in the new folder `here`; returns its process."""
    for folder in ("ssh", "home/.ssh", "bin"):
        (here / folder).mkdir(parents=True)
    for command in ("shutdown", "poweroff", "halt", "systemctl", "service"):
        (here / "bin" / command).symlink_to(BOOT)
    (here / "home").chmod(0o700)
    (here / "home/.ssh/authorized_keys").write_text(ssh_key + "\n")
    (here / "home/instance.json").write_text(json.dumps(instance))
    (here / "user-data").write_text(user_data)
    changed_copy("/etc/passwd", here / "passwd", "^root:.*$", f"root:x:0:0:root:{here}/home:/bin/bash")
    if offer.get("model") or wrong_hardware:
        changed_copy("/proc/cpuinfo", here / "cpuinfo", "(?<=^model name\t: ).*$",
                     "Something Older" if wrong_hardware else offer["model"])
    if offer.get("memory_gib"):
        changed_copy("/proc/meminfo", here / "meminfo", "^MemTotal:.*$",
                     f"MemTotal: {int(offer['memory_gib'] * 2**20)} kB")
    (here / "ssh/sshd_config").write_text(
        f"ListenAddress {address}\nHostKey /etc/ssh/ssh_host_ed25519_key\nStrictModes no\nUsePAM no\n"
        "UseDNS no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\nPidFile none\n"
        "MaxStartups 100\nSubsystem sftp internal-sftp\n"
        f"SetEnv PATH={here}/bin:{os.environ['PATH']} HERE={here}\n")
    cpus = sorted(os.sched_getaffinity(0))
    first = int(name[2:]) % len(cpus)
    cpus = (cpus[first:] + cpus[:first])[:1 if wrong_hardware else offer.get("cpus", 1)]
    sshd = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")
    process = spawn(["taskset", "-c", ",".join(map(str, cpus)), "sh", str(BOOT)], here / "boot.log",
                    HERE=str(here), NAME=name, ADDRESS=address, GATEWAY=network.gateway,
                    SSHD="" if without_ssh else sshd)
    network.connect(process, name[2:], f"{address}/32")
    return process


def stop_programs(process):
    """Lets all programs of a machine stand still; its network goes on answering."""
    (first,) = run("pgrep", "-P", str(process.pid)).split()
    run("pkill", "-STOP", "--ns", first, "--nslist", "pid", ".")
