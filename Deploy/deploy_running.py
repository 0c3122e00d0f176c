"""What the trials share: processes whose output is kept, a PostgreSQL with the accounts of the compose file, and clients."""

import contextlib
import glob
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import uuid

from checks import ROOT, free_port

BINARIES = next((os.path.dirname(path) for path in sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))), None)
MASTER_KEY = "A" * 43 + "="


class Failed(Exception):
    pass


def demand(holds, what):
    if not holds:
        raise Failed(f"not so: {what}")


def wait_for(what, seconds=60):
    """Asks until the answer is something, or nothing for too long."""
    end = time.monotonic() + seconds
    last = "waited in vain"
    while time.monotonic() < end:
        try:
            if (answer := what()) is not None:
                return answer
        except OSError as error:
            last = f"waited in vain: {error}"
        time.sleep(0.1)
    raise Failed(last)


def ask(port, path, method="GET", body=None, token=None):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError as error:
        raise urllib.error.URLError(f"{method} {path}: {error.code} {error.read().decode()}") from None
    return json.loads(text) if text.startswith("{") else text


def directory():
    path = tempfile.mkdtemp(prefix="parley-deploy-", dir="/var/tmp")
    os.chmod(path, 0o755)
    return path


def stated_commit(program):
    """The commit that a program says it was built from, if it says one: the one that `Deploy/test` gave its build."""
    said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    found = re.fullmatch(r"\d+\.\d+\.\d+(?: \(([0-9a-f]{7,64})\))?\n", said)
    demand(found, f"`parley --version` tells a version, and a commit if it was given one: {said}")
    given = os.environ.get("PARLEY_COMMIT")
    demand(not given or found[1] == given, f"`parley --version` tells the commit {given} that the build was given: {said}")
    return found[1]


class Process:
    """A command whose output is kept, and shown where something is not so."""

    def __init__(self, command, environment=None):
        self.log = tempfile.NamedTemporaryFile("w+", prefix="parley-deploy-")
        self.child = subprocess.Popen(command, env=environment, stdout=self.log, stderr=self.log)

    @property
    def output(self):
        with open(self.log.name) as log:
            return log.read()

    def end(self):
        self.child.send_signal(signal.SIGTERM)
        return self.child.wait(timeout=60)

    def ended(self):
        return self.child.wait(timeout=120)


@contextlib.contextmanager
def running(command, environment=None):
    process = Process(command, environment)
    try:
        yield process
    except Exception as error:
        lines = [line for line in process.output.splitlines() if "Migrated" not in line]
        raise Failed(f"{error or type(error).__name__}\n" + "\n".join(lines[-15:])) from None
    finally:
        if process.child.poll() is None:
            process.child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.child.wait(timeout=40)
        if process.child.poll() is None:
            process.child.kill()


class Database:
    """A PostgreSQL whose accounts have been made by Deploy/compose/roles.sh."""

    def __enter__(self):
        self.directory = directory()
        account = pwd.getpwnam("postgres")
        os.chown(self.directory, account.pw_uid, account.pw_gid)
        self.port = free_port()
        cluster = f"{self.directory}/cluster"
        with open(f"{self.directory}/password", "w") as file:
            file.write(str(uuid.uuid4()))
        os.chmod(file.name, 0o644)
        authentication = ["--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={file.name}"]
        self.run("initdb", "-D", cluster, "-U", "postgres", "-N", "-E", "UTF8", "--locale=C", *authentication)
        settings = ["-p", str(self.port), "-k", self.directory, "-h", "127.0.0.1", "-c", "fsync=off"]
        self.server = subprocess.Popen(
            self.command("postgres", "-D", cluster, *settings), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        environment = {"PGHOST": self.directory, "PGPORT": str(self.port)}
        wait_for(lambda: subprocess.run([f"{BINARIES}/pg_isready", "-q"], env=os.environ | environment).returncode == 0 or None)
        environment |= {"POSTGRES_USER": "postgres", "PARLEY_SERVE_PASSWORD": "serve's", "PARLEY_MIGRATE_PASSWORD": "migrate's"}
        environment["PATH"] = f"{BINARIES}:{os.environ['PATH']}"
        made = subprocess.run([f"{ROOT}/Deploy/compose/roles.sh"], env=os.environ | environment, capture_output=True, text=True)
        demand(made.returncode == 0, f"roles.sh makes the accounts: {made.stderr}")
        return self

    def __exit__(self, *_):
        self.server.send_signal(signal.SIGINT)
        self.server.wait(timeout=30)
        shutil.rmtree(self.directory, ignore_errors=True)

    def command(self, program, *arguments):
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", f"{BINARIES}/{program}", *arguments]

    def run(self, program, *arguments):
        done = subprocess.run(self.command(program, *arguments), capture_output=True, text=True)
        demand(done.returncode == 0, f"{program} ends with 0: {done.stderr}")

    def settings(self, mayMigrate=False):
        host = f"127.0.0.1:{self.port}/parley"
        settings = {"DATABASE_URL": f"postgres://parley_serve:serve%27s@{host}", "PARLEY_MASTER_KEY": MASTER_KEY}
        if mayMigrate:
            settings["PARLEY_MIGRATE_URL"] = f"postgres://parley_migrate:migrate%27s@{host}"
        return settings


def show(port, token):
    """A picture, which another program makes anew."""
    path = f"/v1/attachments/{uuid.uuid4()}"
    with open(f"{ROOT}/Tests/AttachmentsTests/Images/turned-6.jpg", "rb") as file:
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}?kind=image", file.read(), method="PUT")
    request.add_header("Authorization", f"Bearer {token}")
    request.add_header("Content-Type", "image/jpeg")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            image = json.loads(answer.read())
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{image['thumbnailURL']}", timeout=60) as answer:
            demand(answer.read(2) == b"\xff\xd8", "a picture is made smaller")
    except urllib.error.HTTPError as error:
        raise Failed(f"{request.method} {path}: {error.code} {error.read().decode()}") from None


def talk(port):
    """Three people and a message, as clients would."""
    people = [
        ask(port, "/v1/auth/register", "POST", {"email": f"{name}-{port}@example.org", "password": "correct horse", "displayName": name})
        for name in ["Ada", "Bob", "Eve"]
    ]
    token = people[0]["accessToken"]
    group = uuid.uuid4()
    start = {"groupName": "Engines", "participantIds": [person["user"]["id"] for person in people[1:]]}
    ask(port, f"/v1/conversations/{group}", "PUT", start, token)
    ask(port, f"/v1/conversations/{group}/messages/{uuid.uuid4()}", "PUT", {"text": "Hello"}, token)
    wait_for(lambda: ask(port, "/v1/conversations?filter=unread", token=people[1]["accessToken"])["items"] or None)
    return token, group
