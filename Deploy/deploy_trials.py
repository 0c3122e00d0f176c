"""Runs the server as the files in this folder have it run: in what the container file's last stage holds, and under systemd's
restrictions, alone and as several behind Caddy. The PostgreSQL in between is real, and its accounts are those of the compose file."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import tempfile
import uuid

from checks import ROOT, free_port
from deploy_running import Database, Failed, Process, ask, demand, directory, running, show, talk, stated_commit, wait_for


def libraries(program):
    """The files that the loader takes for a program; their packages are those that the container file installs."""
    text = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    demand("not found" not in text, f"every library is there: {text}")
    return re.findall(r"(?:=> )?(/\S+) \(0x", text)


def make_root(root, program):
    """What the last stage holds, as far as a server could notice: the program, its libraries, certificates, no shell."""
    for path in ["usr/local/bin", "proc", "dev", "tmp", "etc/ssl/certs", "var/lib/parley/attachments"]:
        os.makedirs(f"{root}/{path}")
    for name, copied in [("parley", program), ("parley-image", f"{os.path.dirname(program)}/parley-image")]:
        shutil.copy(copied, f"{root}/usr/local/bin/{name}")
        for library in libraries(copied):
            os.makedirs(os.path.dirname(root + library), exist_ok=True)
            shutil.copy(os.path.realpath(library), root + library)
    for path in ["/etc/ssl/certs/ca-certificates.crt", "/etc/nsswitch.conf", "/etc/hosts"]:
        if os.path.exists(path):
            shutil.copy(path, root + path)


def stage_environment():
    with open(f"{ROOT}/Deploy/container/Containerfile") as file:
        last = file.read().split("\nFROM ")[-1]
    return dict(re.findall(r"(PARLEY_\w+)=(\S+)", last)), re.search(r"^USER (\d+):(\d+)$", last, re.M).groups()


def contained(root, *arguments):
    """A command in a root that nobody can write to, as the image's account, without any right of root's."""
    user, group = stage_environment()[1]
    script = 'mount --bind "$0" "$0"; mount -t proc proc "$0/proc"; touch "$0"/dev/{null,urandom,random,zero};'
    script += 'mount -t tmpfs -o mode=0700,uid=$1,gid=$2 tmpfs "$0/var/lib/parley/attachments";'
    script += 'for node in null urandom random zero; do mount --bind /dev/$node "$0/dev/$node"; done; mount -o remount,bind,ro "$0";'
    script += 'exec setpriv --no-new-privs --inh-caps=-all chroot --groups= --userspec="$1:$2" "$0" /usr/local/bin/parley "${@:3}"'
    return ["unshare", "--mount", "--propagation", "private", "bash", "-euc", script, root, user, group, *arguments]


def try_container(program):
    root = directory()
    try:
        make_root(root, program)
        with Database() as database:
            settings = {"PATH": "/usr/local/bin:/usr/bin:/bin"} | stage_environment()[0]
            port, operation = free_port(), free_port()
            settings |= {"PARLEY_PORT": str(port), "PARLEY_OPS_PORT": str(operation)}
            path = {"PATH": os.environ["PATH"]}
            # With a push service its metrics are told, too, which alerts ask for.
            keys = subprocess.run(contained(root, "push", "keys"), env=settings | path, capture_output=True, text=True)
            demand(keys.returncode == 0, f"`parley push keys` makes a key: {keys.stderr}")
            settings |= dict([keys.stdout.split()[0].split("=", 1)]) | {"PARLEY_PUSH_VAPID_SUBJECT": "mailto:admin@example.org"}
            early = subprocess.run(contained(root, "health"), env=settings | path, capture_output=True, text=True)
            demand(early.returncode == 1, f"the health check fails before the start: {early.stdout}{early.stderr}")
            with running(contained(root, "migrate"), settings | path | database.settings(mayMigrate=True)) as migrate:
                demand(migrate.ended() == 0, "`parley migrate` ends with 0")
            with running(contained(root, "serve"), settings | path | database.settings()) as server:
                wait_for(lambda: ask(operation, "/readyz"))
                health = subprocess.run(contained(root, "health"), env=settings | path, capture_output=True, text=True)
                demand(health.returncode == 0, f"the health check passes: {health.stdout}{health.stderr}")
                show(port, talk(port)[0])
                metrics = ask(operation, "/metrics")
                for command, rights in [(["status"], False), (["rebuild", "--all"], True)]:
                    with running(contained(root, *command), settings | path | database.settings(mayMigrate=rights)) as beside:
                        demand(beside.ended() == 0, f"`parley {' '.join(command)}` works beside it")
                demand(server.end() == 0, "the server ends in order")
                demand(all(line.startswith("{") for line in server.output.splitlines()), "it logs JSON")
            return metrics
    finally:
        shutil.rmtree(root, ignore_errors=True)


# MARK: systemd


def as_unit(unit, program, instance="", **settings):
    launcher = ["/usr/bin/python3", f"{ROOT}/Deploy/deploy_unit.py", f"{ROOT}/Deploy/systemd/{unit}", instance, "postgres", program]
    launcher += [f"{name}={value}" for name, value in settings.items()]
    return ["unshare", "--mount", "--ipc", "--propagation", "private", *launcher]


def try_alone(program):
    """parley.service with its private PostgreSQL."""
    port, operation = free_port(), free_port()
    with running(as_unit("parley.service", program, PARLEY_PORT=port, PARLEY_OPS_PORT=operation)) as server:
        wait_for(lambda: ask(operation, "/readyz"))
        token = talk(port)[0]
        show(port, token)
        metrics = ask(operation, "/metrics")
        commit = stated_commit(program)
        info = ask(port, "/v1/server", token=token)
        demand(info.get("commit") == commit, f"/v1/server tells the commit {commit}: {info.get('commit')}")
        demand(f'commit="{commit or "unknown"}"}} 1\n' in metrics, f"the metrics tell the commit {commit}")
        inside = ["nsenter", "--mount", f"--target={server.child.pid}"]
        sockets = subprocess.run([*inside, "sh", "-c", "ls /run/parley/*/.s.PGSQL.5432"], capture_output=True, text=True)
        demand(sockets.returncode == 0, f"the private PostgreSQL's socket is below /run/parley: {sockets.stderr}")
        operator = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        status = subprocess.run([*inside, *operator, program, "status", "--data-dir", "/var/lib/parley"], capture_output=True, text=True)
        demand(status.returncode == 0, f"`parley status` works beside it: {status.stdout}{status.stderr}")
        demand(server.end() == 0, "the server ends in order")
    return metrics


def four_digits():
    """A port that has room for the one of metrics beside it."""
    for port in range(7801, 9999):
        with socket.socket() as one, socket.socket() as other, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            other.bind(("127.0.0.1", 10_000 + port))
            return port
    raise Failed("no port is free")


def try_several(program):
    """Two of parley@.service and parley-project.service, behind Caddy where there is one; one is killed."""
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(Database())
        ready = Process([program, "migrate"], os.environ | database.settings(mayMigrate=True))
        demand(ready.ended() == 0, f"`parley migrate` ends with 0: {ready.output[-300:]}")
        settings = database.settings() | {"PARLEY_TRUSTED_PROXIES": "127.0.0.1"}
        ports, servers = [], []
        for _ in range(2):
            ports.append(four_digits())
            servers.append(stack.enter_context(running(as_unit("parley@.service", program, str(ports[-1]), **settings))))
            wait_for(lambda: ask(ports[-1], "/readyz"))
        operation = free_port()
        project = as_unit("parley-project.service", program, **settings | {"PARLEY_OPS_PORT": operation})
        projector = stack.enter_context(running(project))
        wait_for(lambda: shares([operation, *(10_000 + port for port in ports)]) == [5, 5, 6] or None)
        front = stack.enter_context(behind_caddy(ports)) if shutil.which("caddy") else ports[1]
        token, group = wait_for(lambda: talk(front))
        servers[0].child.kill()
        for number in range(20):
            message = f"/v1/conversations/{group}/messages/{uuid.uuid4()}"
            wait_for(lambda: ask(front, message, "PUT", {"text": f"Still here {number}"}, token), seconds=40)
        wait_for(lambda: shares([operation, 10_000 + ports[1]]) == [8, 8] or None)
        demand(projector.end() == 0 and servers[1].end() == 0, "both end in order")


def shares(ports):
    """How many partitions each process projects."""
    found = [re.search(r"^parley_projection_leases (\d+)$", ask(port, "/metrics"), re.M) for port in ports]
    return sorted(int(share[1]) if share else 0 for share in found)


@contextlib.contextmanager
def behind_caddy(ports):
    front = free_port()
    with open(f"{ROOT}/Deploy/proxies/several.Caddyfile") as file:
        text = file.read()
    text = text.replace("chat.example.org {", f"http://127.0.0.1:{front} {{").replace("127.0.0.1:8081 127.0.0.1:8082", " ".join(
        f"127.0.0.1:{port}" for port in ports))
    with tempfile.TemporaryDirectory(prefix="parley-deploy-") as home:
        with open(f"{home}/Caddyfile", "w") as file:
            file.write("{\n    admin off\n    auto_https off\n}\n" + text)
        command = ["caddy", "run", "--config", f"{home}/Caddyfile", "--adapter", "caddyfile"]
        with running(command, {"PATH": os.environ["PATH"], "HOME": home}):
            wait_for(lambda: ask(front, "/healthz"))
            yield front
