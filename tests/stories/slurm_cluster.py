"""Provides a Slurm cluster for tests: slurmctld, munged and one slurmd per node, all on this
machine, in their own folder and on their own ports. A node is a machine type: CPUs, a CPU quota, an
instruction set.

Several clusters can run at once. A cluster stops its own processes, and no others."""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel", "scontrol")
CPU_GROUPS = Path("/sys/fs/cgroup/cpu")
PR_SET_PDEATHSIG = 1


@dataclass
class Node:
    name: str
    cpus: int = 1              # as Slurm sees it; the machine may have others
    cpu_set: tuple = ()        # CPUs of this machine that it runs on; empty = all
    quota: float = 0           # CPU time per wall time; 0 = no limit
    features: str = ""
    gres: str = ""             # "gpu:a100:4"
    memory: int = 2000         # MiB
    environment: dict = field(default_factory=dict)  # of every job on it
    cloud: bool = False        # powered down until a job needs it; the file `broken` lets it never register


@dataclass
class Partition:
    name: str
    nodes: str = "ALL"
    tier: int = 10             # jobs of a higher tier requeue those of a lower one
    options: str = ""          # more of slurm.conf
    max_time: int = 60         # minutes


CONF = """\
ClusterName={name}
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# cred_expire also is how long a requeued job waits before it may start again.
AuthInfo=socket={root}/munge.sock,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog={root}/task-prolog
MpiDefault=none
SwitchType=switch/none
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd.%n.pid
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool.%n
SlurmctldDebug=info
SlurmdDebug=info
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout={node_timeout}
InactiveLimit=0
MessageTimeout=10
KillWait=2
MinJobAge=60
CompleteWait=0
# A node that comes back has lost jobs that are older than this.
BatchStartTimeout=1
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
PriorityType=priority/basic
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={root}/finished-jobs
JobAcctGatherType=jobacct_gather/none
GresTypes=gpu
{extra}
"""


def why_not(own_network=False):
    """Returns why no cluster can run on this machine, or "" when it can. own_network: this process
    is in a network namespace that the tests made, so an interface may be added to it."""
    if os.geteuid() != 0:
        return "starting a Slurm cluster needs root"
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    missing = [program for program in PROGRAMS if not shutil.which(program, path=path)]
    if missing:
        return "not installed: " + ", ".join(missing)
    try:
        socket.gethostbyname(socket.gethostname().split(".")[0])
    except OSError:
        return "the name of this machine has no address, which Slurm needs"
    return _why_no_network(own_network)


def _addresses():
    links = json.loads(subprocess.run(["ip", "-j", "-4", "address"], check=True,
                                      stdout=subprocess.PIPE).stdout)
    return {link.get("ifname"): "UP" in link.get("flags", []) for link in links
            if link.get("addr_info")}


def _why_no_network(own_network):
    """Explains a missing network: Slurm needs an interface beside loopback with an IPv4 address."""
    if any(name != "lo" for name in _addresses()):
        return ""
    if not own_network:
        return "no network interface beside loopback has an IPv4 address, which Slurm needs"
    made = [["link", "set", "lo", "up"],
            ["link", "add", "cluster0", "type", "veth", "peer", "name", "cluster1"],
            ["address", "add", "198.51.100.1/30", "dev", "cluster0"],
            ["link", "set", "cluster0", "up"], ["link", "set", "cluster1", "up"]]
    for arguments in made:
        ended = subprocess.run(["ip", *arguments], stderr=subprocess.PIPE, text=True)
        if ended.returncode != 0:
            return f"no network interface can be made for Slurm: {ended.stderr.strip()}"
    return ""


def _free_ports(count):
    """Returns ports that are free now. Slurm listens on all addresses."""
    with contextlib.ExitStack() as held:
        ports = []
        for _ in range(count):
            listening = held.enter_context(socket.socket())
            listening.bind(("", 0))
            ports.append(listening.getsockname()[1])
    return ports


# Powers up the nodes of $1: each gets a slurmd, which must not look at how long this machine has been up (-b). The
# file `resumed` counts them. While the file `broken` exists, nothing starts.
RESUME = """#!/bin/sh
cd {root}
for node in $(SLURM_CONF={root}/slurm.conf {scontrol} show hostnames "$1" 2>/dev/null || echo "$1"); do
  echo "$node" >>resumed
  [ -e broken ] || LAPCAST_TEST_CLUSTER={root} PATH={path} setsid slurmd -b -D -N "$node" -f {root}/slurm.conf >>"$node.log" 2>&1 &
done
"""
CLOUD = """\
ResumeProgram={root}/resume
SuspendProgram={root}/suspend
ResumeFailProgram={root}/suspend
SuspendTime=2
SuspendTimeout=2
ResumeTimeout={resume_timeout}
SlurmctldParameters=idle_on_node_suspend
"""


class SlurmCluster:
    """Runs a cluster as a context manager; `environment` is that of a user's shell on its login
    node."""

    def __init__(self, nodes, partitions=(), extra="", node_timeout=30, resume_timeout=60):
        self.nodes = {node.name: node for node in nodes}
        self.partitions = list(partitions) or [Partition("all")]
        self.extra = extra
        self.resume_timeout = resume_timeout  # seconds until a node that is powered up counts as failed
        self.node_timeout = node_timeout  # seconds until a node that does not answer is down
        # The path is short, because it holds a socket, and private, because it holds munge's key.
        self.root = Path(tempfile.mkdtemp(prefix="lapcast-slurm-"))
        self.ports = dict(zip(["", *self.nodes], _free_ports(1 + len(self.nodes))))
        self.environment = {"SLURM_CONF": str(self.root / "slurm.conf")}
        self.daemons = {}

    def __enter__(self):
        try:
            self._write_files()
            self._start("munged", "--foreground", f"--key-file={self.root}/munge.key",
                        f"--socket={self.root}/munge.sock", f"--pid-file={self.root}/munged.pid",
                        f"--seed-file={self.root}/munge.seed", "--num-threads=2", "--force")
            self._wait(lambda: (self.root / "munge.sock").exists(), "munged")
            self.start_controller("-c")
            for name in self.lasting():
                self.start_node(name)
            self.wait_for_nodes()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def lasting(self):
        """Returns the names of the nodes that are never powered down."""
        return [name for name, node in self.nodes.items() if not node.cloud]

    # ------------------------------------------------------------------ commands

    def command(self, *arguments, check=True):
        """Runs a Slurm command. Returns its output."""
        ended = subprocess.run(list(map(str, arguments)), env=os.environ | self.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert not check or ended.returncode == 0, f"{arguments}: {ended.stderr}"
        return ended.stdout

    def jobs(self, *states):
        """Returns [(id, name, state)] of the queued jobs of all partitions."""
        lines = self.command("squeue", "-a", "-h", "-o", "%i|%j|%T", check=False).splitlines()
        jobs = [tuple(line.split("|")) for line in lines]
        return [job for job in jobs if not states or job[2] in states]

    def wait_for_nodes(self, names=None, state="idle"):
        names = names or self.lasting()

        def there():
            lines = self.command("sinfo", "-a", "-N", "-h", "-o", "%N %t", check=False).splitlines()
            states = dict(line.split() for line in lines)
            return all(states.get(name) == state for name in names)
        self._wait(there, f"nodes {names} to be {state}")

    def tidy_up(self):
        """Cancels all jobs and brings back nodes that Slurm took out of service."""
        self.command("scancel", "--full", "--user=root", check=False)
        for name in self.nodes:
            if name not in self.daemons:
                self.start_node(name)
            self.command("scontrol", "update", f"nodename={name}", "state=resume", check=False)
        self.wait_for_nodes()

    def wait_until_saved(self):
        """Waits until the controller has saved its present state, which it does every five
        seconds."""
        file, now = self.root / "state" / "job_state", time.time()
        self._wait(lambda: file.exists() and file.stat().st_mtime > now, "state of slurmctld")

    # ------------------------------------------------------------------ daemons

    def start_controller(self, *options):
        self._start("slurmctld", "-D", "-f", self.root / "slurm.conf", *options)

    def kill_controller(self):
        self._end("slurmctld", signal.SIGKILL)

    def start_node(self, name):
        node = self.nodes[name]
        (self.root / f"spool.{name}").mkdir(exist_ok=True)
        group = self._quota_group(node)

        def enter():
            if node.cpu_set:
                os.sched_setaffinity(0, node.cpu_set)
            if group:
                (group / "cgroup.procs").write_text(str(os.getpid()))
        self._start("slurmd", "-D", "-N", name, "-f", self.root / "slurm.conf", key=name, enter=enter)

    def kill_node(self, name):
        """Kills a node as a power failure does: its daemon and its jobs end at once, and no process
        is left to tell the controller how they ended."""
        self._end(name, signal.SIGKILL)
        of_jobs = self._processes(b"SLURMD_NODENAME=" + name.encode() + b"\0")
        for pid in [*filter(_is_step_daemon, map(_parent, of_jobs)), *of_jobs]:
            _kill(pid)

    def log(self, daemon="slurmctld"):
        return (self.root / f"{daemon}.log").read_text(errors="replace")

    def stop(self):
        self.command("scancel", "--quiet", "--full", "-u", "root", check=False) if (
            "slurmctld" in self.daemons) else None
        for key in [*self.nodes, "slurmctld", "munged"]:
            self._end(key, signal.SIGTERM)
        # The processes of a job have the cluster's own variable. A killed one may just have forked.
        deadline = time.monotonic() + 5
        while (pids := self._processes()) and time.monotonic() < deadline:
            for pid in pids:
                _kill(pid)
            time.sleep(0.02)
        for node in self.nodes.values():
            group = self._group_of(node)
            with contextlib.suppress(OSError):
                group.rmdir()
        shutil.rmtree(self.root, ignore_errors=True)

    # ------------------------------------------------------------------ details

    def _start(self, program, *arguments, key=None, enter=None):
        key = key or program
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        libc = ctypes.CDLL(None)

        def before():
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            os.setsid()
            if enter:
                enter()
        with open(self.root / f"{key}.log", "ab") as log:
            self.daemons[key] = subprocess.Popen(
                [shutil.which(program, path=path), *map(str, arguments)], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, cwd=self.root, preexec_fn=before,
                env={"PATH": path, "LAPCAST_TEST_CLUSTER": str(self.root)})

    def _end(self, key, how):
        daemon = self.daemons.pop(key, None)
        if daemon is None:
            return
        daemon.send_signal(how)
        try:
            daemon.wait(timeout=60)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()

    def _processes(self, mark=b""):
        """Returns the processes of this cluster's daemons that have `mark` in their environment."""
        own = f"LAPCAST_TEST_CLUSTER={self.root}\0".encode()
        conf = f"SLURM_CONF={self.root}/slurm.conf\0".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            with contextlib.suppress(OSError):
                text = (entry / "environ").read_bytes()
                of_cluster = own in text or (conf in text and (
                    b"SLURMD_NODENAME=" in text or _is_step_daemon(entry.name)))
                if of_cluster and mark in text:
                    found.append(int(entry.name))
        return found

    def _wait(self, condition, what, seconds=600):
        until = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < until, f"no {what} in {seconds} s:\n{self._all_logs()}"
            time.sleep(0.03)

    def _all_logs(self):
        return "\n".join(f"--- {file.name}\n{file.read_text(errors='replace')[-3000:]}"
                         for file in sorted(self.root.glob("*.log")))

    def _group_of(self, node):
        # The name does not begin with lapcast-, because lapcast removes such groups after a kill.
        return CPU_GROUPS / f"test-{self.root.name}-{node.name}"

    def _quota_group(self, node):
        if not node.quota:
            return None
        group = self._group_of(node)
        group.mkdir(exist_ok=True)
        (group / "cpu.cfs_period_us").write_text("10000")
        (group / "cpu.cfs_quota_us").write_text(str(int(10000 * node.quota)))
        return group

    def _write_files(self):
        (self.root / "state").mkdir()
        key = self.root / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        # Slurmd loads a cgroup plugin even when it does not track processes with it. Its own choice
        # of a plugin fails in containers and where version 2 comes without systemd.
        (self.root / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        host = socket.gethostname().split(".")[0]
        lines = [CONF.format(name=self.root.name.replace("_", ""), host=host, port=self.ports[""],
                             root=self.root, extra=self.extra, node_timeout=self.node_timeout)]
        gres = []
        for node in self.nodes.values():
            lines.append(self._node_line(node, host, gres))
        for i, part in enumerate(self.partitions):
            lines.append(f"PartitionName={part.name} Nodes={part.nodes} PriorityTier={part.tier} "
                         f"MaxTime={part.max_time} DefaultTime={min(10, part.max_time)} State=UP Default={'NO' if i else 'YES'} "
                         f"{part.options}")
        (self.root / "slurm.conf").write_text("\n".join(lines) + "\n")
        (self.root / "gres.conf").write_text("".join(gres))
        self._write_task_prolog()
        if len(self.lasting()) < len(self.nodes):
            self._write_power_programs()

    def _write_power_programs(self):
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        with (self.root / "slurm.conf").open("a") as conf:
            conf.write(CLOUD.format(root=self.root, resume_timeout=self.resume_timeout))
        programs = {"resume": RESUME.format(root=self.root, path=path, scontrol=shutil.which("scontrol")),
                    "suspend": f"#!/bin/sh\necho \"$1\" >>{self.root}/suspended\n"}
        for name, text in programs.items():
            (self.root / name).write_text(text)
            (self.root / name).chmod(0o755)

    def resumed(self):
        """Returns the names of the nodes that were powered up, one for each time."""
        file = self.root / "resumed"
        return file.read_text().split() if file.exists() else []

    def _node_line(self, node, host, gres):
        line = (f"NodeName={node.name} NodeHostname={host} NodeAddr=127.0.0.1 "
                f"Port={self.ports[node.name]} CPUs={node.cpus} RealMemory={node.memory}")
        if node.features:
            line += f" Feature={node.features}"
        if node.gres:
            kind, model, count = node.gres.split(":")
            # Slurm needs device files; links to an existing one need no mknod.
            for i in range(int(count)):
                (self.root / f"{node.name}.device{i}").symlink_to("/dev/null")
            gres.append(f"NodeName={node.name} Name={kind} Type={model} "
                        f"File={self.root}/{node.name}.device[0-{int(count) - 1}]\n")
            line += f" Gres={node.gres}"
        (self.root / f"spool.{node.name}").mkdir(exist_ok=True)
        return line + (" State=CLOUD" if node.cloud else " State=UNKNOWN")

    def _write_task_prolog(self):
        """Writes the task prolog, whose output lines "export NAME=VALUE" Slurm adds to every
        task."""
        script = ["#!/bin/sh", 'case "$SLURMD_NODENAME" in']
        for node in self.nodes.values():
            exports = "; ".join(f"echo 'export {key}={value}'"
                                for key, value in node.environment.items())
            script.append(f"{node.name}) {exports or ':'};;")
        prolog = self.root / "task-prolog"
        prolog.write_text("\n".join([*script, "esac", ""]))
        prolog.chmod(0o755)


def _parent(pid):
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return 0


def _is_step_daemon(pid):
    """Returns whether the process is a step daemon, which runs one job and no longer depends on
    slurmd."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().startswith("slurmstepd")
    return False


def _kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
