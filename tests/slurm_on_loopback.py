"""A real Slurm on the loopback interface, for the length of one test.

What a batch system does to a program (queue it, start it elsewhere with another
environment, kill it) is only seen with a batch system. This starts one: munged, slurmctld and
slurmd as plain child processes, without systemd and without a word in /etc, with everything
they write below one folder and on ports of their own, so that several can run side by side.

It has to run as root, since slurmd starts the jobs of others and SlurmUser is root here.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

PARTITION = "loopback"

COMMANDS = (
    "slurmctld",
    "slurmd",
    "munged",
    "mungekey",
    "sbatch",
    "squeue",
    "scancel",
    "sinfo",
)

# Where Debian puts the daemons; the PATH of an unprivileged login leaves it out.
_PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])

_SECONDS_TO_START = 20.0
_SECONDS_TO_STOP = 15.0
_SECONDS_TO_ANSWER = 10.0

# What the node claims to have: room for two jobs of 2 GB and two cores each. Slurm would drain a
# node that has less than its configuration says, so config_overrides makes it believe the claim.
_CPUS = 4
_MEGABYTES = 8192

# The name of a Unix socket has at most so many bytes. The longest here is a job step's.
_SOCKET_NAME = 107

_CONFIGURATION = """\
ClusterName=loopback
SlurmctldHost={node}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
# Without these, the daemons would listen on every interface.
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={munge_socket}
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
# No cgroups, no mail, no database: none of them can be counted on.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
MpiDefault=none
SwitchType=switch/none
# A test waits for every one of these, and by default they are meant for thousands of jobs.
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
KillWait=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={node} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={megabytes} State=UNKNOWN
PartitionName={partition} Nodes={node} Default=YES MaxTime=INFINITE State=UP
"""


class SlurmError(RuntimeError):
    """A daemon did not come up, or a command of Slurm failed."""


def missing_commands() -> list[str]:
    """The commands this needs and the machine lacks, for the reason of a skip."""
    return [command for command in COMMANDS if shutil.which(command, path=_PATH) is None]


@dataclass(frozen=True)
class Slurm:
    """A running Slurm with one node and one partition."""

    configuration: Path

    @property
    def environment(self) -> dict[str, str]:
        """What a command needs in its environment to speak to this Slurm and to no other."""
        return {"SLURM_CONF": str(self.configuration)}

    def jobs(self) -> list[tuple[str, str]]:
        """Every job's id and state.

        Without accounting, squeue is all there is to ask. Slurm still names a job for five
        minutes after its end, which is why the states are also COMPLETED, FAILED and CANCELLED.
        """
        lines = self._ask("squeue", "--noheader", "--states=all", "--sort=i", "--format=%i %T")
        return [(job, state) for job, state in (line.split() for line in lines.splitlines())]

    def cancel(self, job_id: str) -> None:
        """Cancel a job; it gets SIGTERM, and SIGKILL some seconds later if that was not enough."""
        self._ask("scancel", job_id)

    def _ask(self, command: str, *arguments: str) -> str:
        asked = f"{command} {' '.join(arguments)}"
        try:
            done = subprocess.run(
                [_path_of(command), *arguments],
                env=os.environ | self.environment,
                capture_output=True,
                text=True,
                timeout=_SECONDS_TO_ANSWER,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise SlurmError(f"{asked}: no answer after {_SECONDS_TO_ANSWER:.0f} s") from late
        if done.returncode != 0:
            raise SlurmError(f"{asked}: {done.stderr.strip()}")
        return done.stdout

    def _is_idle(self) -> bool:
        try:
            return self._ask("sinfo", "--noheader", "--format=%T").strip() == "idle"
        except SlurmError:
            return False

    def _has_no_jobs(self) -> bool:
        return not self._ask("squeue", "--noheader", "--format=%i").strip()

    def _stop_jobs(self) -> None:
        """Cancel every job and wait for its end, as long as the controller answers.

        If it does not, the processes are still found and killed after the daemons are gone.
        """
        try:
            self._ask("scancel", "--user=root")
            _wait(self._has_no_jobs, _SECONDS_TO_STOP)
        except SlurmError:
            pass


@dataclass(frozen=True)
class _Daemon:
    name: str
    process: subprocess.Popen[bytes]

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextmanager
def slurm_on_loopback(folder: Path) -> Iterator[Slurm]:
    """Start a Slurm whose every file is below this folder; stop all of it at the end."""
    if missing := missing_commands():
        raise SlurmError(f"not installed: {', '.join(missing)}")
    if os.geteuid() != 0:
        raise SlurmError("slurmd and its jobs need root")
    folder = folder.resolve()
    node = socket.gethostname().split(".")[0]
    longest = f"{folder}/spool/{node}_1000.4294967291"
    if len(os.fsencode(longest)) > _SOCKET_NAME:
        raise SlurmError(f"too long for the name of a Unix socket: {longest}")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("munge", "state", "spool"):
        (folder / name).mkdir(mode=0o755)
    munge = folder / "munge"
    munge_socket = munge / "socket"
    controller_port, node_port = _free_ports(2)
    configuration = folder / "slurm.conf"
    configuration.write_text(
        _CONFIGURATION.format(
            folder=folder,
            node=node,
            controller_port=controller_port,
            node_port=node_port,
            munge_socket=munge_socket,
            cpus=_CPUS,
            megabytes=_MEGABYTES,
            partition=PARTITION,
        )
    )
    slurm = Slurm(configuration)
    subprocess.run(
        [_path_of("mungekey"), "--create", f"--keyfile={munge / 'key'}"],
        check=True,
        capture_output=True,
    )
    with ExitStack() as stack:
        # The last to run: whatever outlived its daemon, a job's processes above all.
        stack.callback(_kill_leftovers, slurm)
        # --force: the parents of a test's folder are closed to other users, which munged takes
        # for a mistake, as it takes being root for one. Here root is the only user.
        munged = _start(
            stack,
            slurm,
            "munged",
            "--foreground",
            "--force",
            f"--key-file={munge / 'key'}",
            f"--socket={munge_socket}",
            f"--pid-file={munge / 'pid'}",
            f"--seed-file={munge / 'seed'}",
        )
        _wait_for(folder, "munged's socket", munge_socket.is_socket, munged)
        # -D: stay in the foreground, a child to wait for. -c: there is no state to recover.
        controller = _start(stack, slurm, "slurmctld", "-D", "-c", "-f", str(configuration))
        daemon = _start(stack, slurm, "slurmd", "-D", "-f", str(configuration))
        _wait_for(folder, "an idle node", slurm._is_idle, munged, controller, daemon)
        stack.callback(slurm._stop_jobs)
        yield slurm


def _path_of(command: str) -> str:
    return shutil.which(command, path=_PATH) or command


def _free_ports(count: int) -> list[int]:
    """Ports nobody listens on; all are held until the last is found, so no two are the same."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _start(stack: ExitStack, slurm: Slurm, command: str, *arguments: str) -> _Daemon:
    """Start a daemon that the stack stops.

    It gets a session of its own: an interrupt from the keyboard is for the test, which then
    stops the daemons in their order.
    """
    with (slurm.configuration.parent / f"{command}.out").open("wb") as output:
        process = subprocess.Popen(
            [_path_of(command), *arguments],
            env=os.environ | slurm.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    daemon = _Daemon(command, process)
    stack.callback(daemon.stop)
    return daemon


def _wait(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition came true in that time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def _wait_for(folder: Path, what: str, condition: Callable[[], bool], *daemons: _Daemon) -> None:
    """Wait for a stage of the start; fail with what the daemons said."""

    def is_settled() -> bool:
        return condition() or any(daemon.has_ended() for daemon in daemons)

    in_time = _wait(is_settled, _SECONDS_TO_START)
    dead = [
        f"{daemon.name} ended with {daemon.process.returncode}"
        for daemon in daemons
        if daemon.has_ended()
    ]
    if in_time and not dead:
        return
    reason = ", ".join(dead) or f"not there after {_SECONDS_TO_START:.0f} s"
    raise SlurmError(f"waiting for {what}: {reason}\n{_tails(folder)}")


def _tails(folder: Path, lines: int = 15) -> str:
    """The ends of what the daemons said, which in the foreground includes all they log."""
    tails = []
    for log in sorted(folder.glob("*.out")):
        text = log.read_text(errors="replace").splitlines()[-lines:]
        tails.append("\n".join([f"--- {log}", *text]))
    return "\n".join(tails)


def _kill_leftovers(slurm: Slurm) -> None:
    """Kill every process that was started with this Slurm's environment.

    slurmstepd and the jobs below it belong to no daemon's process group and survive slurmd by
    design. The name of the configuration in their environment is what they have in common.
    """
    mark = os.fsencode(f"SLURM_CONF={slurm.configuration}")

    def found_none() -> bool:
        found = [process for process in _processes() if mark in _environment_of(process)]
        for process in found:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return not found

    _wait(found_none, _SECONDS_TO_STOP)


def _processes() -> list[int]:
    return [
        int(entry)
        for entry in os.listdir("/proc")
        if entry.isdecimal() and int(entry) != os.getpid()
    ]


def _environment_of(process: int) -> list[bytes]:
    try:
        return Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
