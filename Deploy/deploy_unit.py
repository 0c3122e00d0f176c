"""Runs the command of a systemd unit under the unit's restrictions, where no systemd runs; then it is that command:

deploy_unit.py UNIT INSTANCE ACCOUNT PROGRAM [NAME=VALUE …]

It does by hand what systemd does for these directives: directories, file systems, devices, /proc, capabilities, system calls,
address families, writable and executable memory, limits. Not done: PrivateUsers, IP filters, cgroups. The namespaces come from
`unshare --mount --ipc`, and nothing outside of them changes. It wants root.
"""

import ctypes
import errno
import os
import pwd
import re
import resource
import subprocess
import sys

NODES = {"null": 3, "zero": 5, "full": 7, "random": 8, "urandom": 9}
DENY, ALLOW = 0x00050000 | errno.EPERM, 0x7FFF0000
EQUAL, MASKED_EQUAL = 4, 7
PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP = 38, 24


def read_unit(path, instance=""):
    """What each directive says, in order: an empty value takes back those before it."""
    directives = {}
    with open(path) as unit:
        for line in unit:
            if "=" in line and not line.startswith(("#", "[")):
                name, value = line.strip().replace("%i", instance).split("=", 1)
                directives[name] = directives.get(name, []) + [value] if value else []
    return directives


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def over(path, options="mode=0755"):
    mount("-t", "tmpfs", "-o", options, "tmpfs", path)


def make_files(unit, account, program):
    """The programs where the unit looks for them, its directories, and nothing else that can be written."""
    over("/usr/local/bin")
    target = unit["ExecStart"][0].split()[0]
    helper = f"{os.path.dirname(target)}/parley-image"
    for source, place in [(program, target), (f"{os.path.dirname(program)}/parley-image", helper)]:
        open(place, "w").close()
        mount("--bind", source, place)
    over("/var/lib")
    over("/run")
    for kind, parent in [("StateDirectory", "/var/lib"), ("RuntimeDirectory", "/run")]:
        for name in unit.get(kind, []):
            os.mkdir(f"{parent}/{name}", int(unit[f"{kind}Mode"][0], 8))
            os.chown(f"{parent}/{name}", account.pw_uid, account.pw_gid)
            os.environ["STATE_DIRECTORY" if kind == "StateDirectory" else "RUNTIME_DIRECTORY"] = f"{parent}/{name}"
            mount("--bind", f"{parent}/{name}", f"{parent}/{name}")
    for path in ["/tmp", "/var/tmp"]:
        over(path, "mode=1777")
    for path in ["/home", "/root"]:
        # What is built below one of them has to be read.
        if not os.path.realpath(program).startswith(f"{path}/"):
            over(path, "mode=0000")
    over("/dev")
    for name, minor in NODES.items():
        os.mknod(f"/dev/{name}", 0o20666, os.makedev(1, minor))
        os.chmod(f"/dev/{name}", 0o666)
    os.mkdir("/dev/shm")
    over("/dev/shm", "mode=1777")
    mount("-t", "proc", "-o", "subset=pid,hidepid=invisible", "proc", "/proc")
    close_files(unit)


def close_files(unit):
    own = ["/tmp", "/var/tmp", "/dev", "/proc"]
    own += [f"/var/lib/{name}" for name in unit.get("StateDirectory", [])]
    own += [f"/run/{name}" for name in unit.get("RuntimeDirectory", [])]
    with open("/proc/self/mounts") as mounts:
        points = {line.split()[1] for line in mounts}
    for point in points:
        if not any(point == path or point.startswith(f"{path}/") for path in own):
            subprocess.run(["mount", "-o", "remount,bind,ro", point], stderr=subprocess.DEVNULL)


def system_calls(name):
    """The names that a set of systemd's stands for."""
    text = subprocess.run(["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True).stdout
    names = [line.strip() for line in text.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return {call for name in names for call in (system_calls(name) if name.startswith("@") else [name])}


def allowed_calls(unit):
    # What systemd itself adds to each list.
    calls = system_calls("@default") | {"execve", "exit", "exit_group", "getrlimit", "rt_sigreturn", "sigreturn"}
    for value in unit["SystemCallFilter"]:
        named = value.lstrip("~").split()
        expanded = {call for name in named for call in (system_calls(name) if name.startswith("@") else [name])}
        calls = calls - expanded if value.startswith("~") else calls | expanded
    return calls


class Argument(ctypes.Structure):
    _fields_ = [("index", ctypes.c_uint), ("how", ctypes.c_int), ("one", ctypes.c_uint64), ("other", ctypes.c_uint64)]


class Filter:
    library = None

    def __init__(self, default):
        if Filter.library is None:
            Filter.library = ctypes.CDLL("libseccomp.so.2")
            Filter.library.seccomp_init.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.library.seccomp_init(ctypes.c_uint32(default)))

    def add(self, action, call, *arguments):
        number = self.library.seccomp_syscall_resolve_name(call.encode())
        if number < 0:
            return
        array = (Argument * len(arguments))(*arguments)
        added = self.library.seccomp_rule_add_array(self.context, ctypes.c_uint32(action), number, len(arguments), array)
        if added != 0:
            sys.exit(f"no rule for {call}: {added}")

    def load(self):
        if self.library.seccomp_load(self.context) != 0:
            sys.exit("the filter of system calls was not taken")


def restrict_calls(calls, families, execution):
    memory = Filter(ALLOW)
    if execution:
        memory.add(DENY, "mmap", Argument(2, MASKED_EQUAL, 6, 6))
        memory.add(DENY, "mprotect", Argument(2, MASKED_EQUAL, 4, 4))
        memory.add(DENY, "pkey_mprotect", Argument(2, MASKED_EQUAL, 4, 4))
        memory.load()
    sockets = Filter(ALLOW)
    for family in set(range(46)) - families:
        sockets.add(DENY, "socket", Argument(0, EQUAL, family, 0))
    sockets.load()
    filter = Filter(DENY)
    for call in calls:
        filter.add(ALLOW, call)
    filter.load()


def main():
    path, instance, account, program, *variables = sys.argv[1:]
    unit = read_unit(path, instance)
    account = pwd.getpwnam(account)
    calls = allowed_calls(unit)
    families = {{"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}[name] for name in unit["RestrictAddressFamilies"][0].split()}
    environment = dict(value.split("=", 1) for value in unit.get("Environment", []) + variables)
    os.environ.clear()
    os.environ.update({"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"} | environment)
    make_files(unit, account, program)
    os.chdir("/")
    os.umask(int(unit["UMask"][0], 8))
    files = int(unit["LimitNOFILE"][0])
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    os.setgroups([account.pw_gid])
    os.setresgid(account.pw_gid, account.pw_gid, account.pw_gid)
    os.setresuid(account.pw_uid, account.pw_uid, account.pw_uid)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    restrict_calls(calls, families, unit["MemoryDenyWriteExecute"] == ["yes"])
    command = re.split(r"\s+", unit["ExecStart"][0])
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
