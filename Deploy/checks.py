"""What the checks in this folder share: a throwaway server of the debug build, and ports for its neighbours."""

import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def free_port():
    """A port that nobody has, and below those that connections are given: it is bound later, and none may have come by then."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        end = max(int(file.read().split()[0]), 12_000)
    while True:
        port = 10_000 + secrets.randbelow(end - 10_000)
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


def wait_for_port(port, process, what):
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"{what} ended: {process.returncode}")
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit(f"{what} does not listen")


def postgres_program(name):
    found = shutil.which(name)
    versions = sorted(os.listdir("/usr/lib/postgresql")) if os.path.isdir("/usr/lib/postgresql") else []
    return found or f"/usr/lib/postgresql/{versions[-1]}/bin/{name}"


class Server:
    """A server with a private PostgreSQL, in a directory that is gone afterwards."""

    def __init__(self, *options):
        self.directory = tempfile.mkdtemp(prefix="parley-check-")
        os.chmod(self.directory, 0o755)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log_path = f"{self.directory}/log"
        arguments = ["serve", "--port", str(self.port), "--data-dir", f"{self.directory}/data", "--scrypt-cost", "4"]
        program = os.environ.get("PARLEY_PROGRAM", f"{ROOT}/.build/debug/parley")
        self.command = [program, *arguments, *options]
        self.start()

    def start(self):
        with open(self.log_path, "ab") as log:
            self.logged = log.tell()
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)

    def __enter__(self):
        self.wait_until_it_listens()
        return self

    def wait_until_it_listens(self):
        """By what it says itself: the port of a server that was killed takes connections for some milliseconds more, now and then."""
        for _ in range(600):
            if self.process.poll() is not None:
                sys.exit(f"parley ended: {self.process.returncode}")
            with open(self.log_path, "rb") as log:
                log.seek(self.logged)
                if b"Listening" in log.read():
                    return
            time.sleep(0.1)
        sys.exit("parley does not listen")

    def stop(self):
        """Ends the server in order."""
        self.process.terminate()
        self.process.wait()

    def kill(self):
        """Ends the server at once, wherever it is."""
        self.process.kill()
        self.process.wait()

    def resume(self):
        """Starts it on the same data and port."""
        self.start()
        self.wait_until_it_listens()

    def restart(self):
        self.stop()
        self.resume()

    def __exit__(self, kind, *_):
        if kind is not None:
            self.print_logs()
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def print_logs(self):
        """What a check that failed leaves of a server whose directory is gone."""
        ended = self.process.poll()
        print(f"The server {'runs' if ended is None else f'ended with {ended}'}. Its log, and its PostgreSQL's:", file=sys.stderr)
        for path in (self.log_path, f"{self.directory}/data/postgres.log"):
            with contextlib.suppress(OSError), open(path, errors="replace") as log:
                print(log.read()[-6000:], file=sys.stderr)

    @property
    def log(self):
        with open(self.log_path) as log:
            return log.read()

    def ask(self, method, path, body=None, token=None, headers=None):
        """An answer that is no error, decoded."""
        text = self.text(method, path, body, token, headers)
        return json.loads(text) if text else None

    def text(self, method, path, body=None, token=None, headers=None):
        request = urllib.request.Request(self.url + path, method=method, headers=dict(headers or {}))
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def register(self, name):
        account = {"email": f"{name.lower()}@example.org", "password": "correct horse", "displayName": name}
        return self.ask("POST", "/v1/auth/register", account)
