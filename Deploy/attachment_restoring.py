"""A backup in the order that Attachments.md has, the database first and then the files, and a server from it."""

import os
import shutil
import subprocess
import time

from attachment_parts import Person, check, conversation
from checks import ROOT, Server, postgres_program

PROGRAM = os.environ.get("PARLEY_PROGRAM", f"{ROOT}/.build/debug/parley")


def back_up_database(server, target):
    with open(f"{server.directory}/data/postgres/postmaster.pid") as file:
        socket = file.read().splitlines()[4]
    command = [postgres_program("pg_basebackup"), "-h", socket, "-U", "postgres", "-D", target, "--checkpoint=fast"]
    return subprocess.run(command, capture_output=True, text=True)


def put_back(backup, data, owner):
    """As Operating.md has it; the files after the database."""
    os.makedirs(data, mode=0o700)
    subprocess.run(["cp", "-a", f"{backup}/postgres", f"{data}/postgres"], check=True)
    subprocess.run(["install", "-m", "600", f"{backup}/master.key", f"{data}/master.key"], check=True)
    with open(f"{data}/postgres/postgresql.auto.conf", "a") as file:
        file.write("restore_command = 'false'\n")
    open(f"{data}/postgres/recovery.signal", "w").close()
    os.chmod(f"{data}/postgres", 0o700)
    if os.getuid() == 0:
        subprocess.run(["chown", "-R", str(owner), f"{data}/postgres"], check=True)
    subprocess.run(["cp", "-a", f"{backup}/attachments", f"{data}/attachments"], check=True)


def blobs(server):
    return sum(len(files) for _, _, files in os.walk(f"{server.directory}/data/attachments/files"))


def restore():
    with Server() as server:
        ada, bob = Person(server, "Ada"), Person(server, "Bob")
        _, kept = ada.upload(b"kept" * 50_000, "kind=file")
        _, gone = ada.upload(b"gone" * 50_000, "kind=file")
        conversation(ada, bob, kept)
        message = conversation(ada, bob, gone)
        backup = f"{server.directory}/backup"
        os.mkdir(backup)
        made = back_up_database(server, f"{backup}/postgres")
        check(made.returncode == 0, f"the database is backed up beside the running server {made.stderr.strip()}")
        _, late = ada.upload(b"late" * 50_000, "kind=file")
        conversation(ada, bob, late)
        check(ada.ask("DELETE", message)[0] == 204, "a message is deleted meanwhile, and another comes")
        end = time.time() + 60
        while time.time() < end and blobs(server) > 2:
            time.sleep(0.2)
        shutil.copytree(f"{server.directory}/data/attachments", f"{backup}/attachments")
        shutil.copy(f"{server.directory}/data/master.key", backup)
        data = f"{server.directory}/restored"
        put_back(backup, data, os.stat(f"{server.directory}/data/postgres").st_uid)
        verified = subprocess.run([PROGRAM, "verify", "--attachments", "--data-dir", data], capture_output=True, text=True)
        failed = [line for line in verified.stdout.splitlines() if line.startswith("FAILS")]
        check(verified.returncode == 1 and len(failed) == 2, f"verify names two files of the restored {verified.stderr[-400:]}")
        check(any(f"{gone['id']} is missing" in line for line in failed), "the one that was deleted meanwhile is missing")
        check(any("nobody's" in line for line in failed), "the one that came meanwhile is nobody's")
        read_restored(ada, data, kept)


def read_restored(ada, data, kept):
    with Server("--data-dir", data) as server:
        again = Person.signed_in(server, ada)
        read = again.ask("GET", f"/v1/attachments/{kept['id']}/content")
        check(read == (200, b"kept" * 50_000), "what was there at the backup is read from the restored server")
