"""Kills a server in each state that an event for a webhook may be in: it comes, and twice only where the answer was not noted."""

import http.client
import http.server
import json
import os
import subprocess
import threading
import time
import uuid

from checks import ROOT, Server, free_port, wait_for_port
from kills import Database

IS_CLAIMED = "NEW.claim IS NOT NULL AND NEW.claim IS DISTINCT FROM OLD.claim"
IS_MOVED = "NEW.next_version > OLD.next_version"


class Receiver:
    """The servers of webhooks, one for each path, that answer 204 unless a script says another status, or None for no answer."""

    def __init__(self):
        self.arrived, self.accepted, self.scripts = {}, {}, {}
        self.changed, self.never = threading.Condition(), threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                event = self.headers["webhook-id"], self.rfile.read(int(self.headers["content-length"]))
                status = receiver.answer(self.path, event)
                if status is None:
                    receiver.never.wait()
                self.send_response(status or 503)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path, event):
        with self.changed:
            arrived = self.arrived.setdefault(path, [])
            arrived.append(event)
            status = self.scripts.get(path, lambda _: 204)(len(arrived))
            if status == 204:
                self.accepted.setdefault(path, []).append(event)
            self.changed.notify_all()
            return status

    def wait(self, path, count):
        """Until so many have come."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.arrived.get(path, [])) >= count, 60), (path, count)

    def close(self):
        self.never.set()
        self.server.shutdown()


class Scene:
    """A webhook that is sent the messages of one conversation."""

    def __init__(self, world, name):
        self.world, self.database, self.receiver, self.path = world, world.database, world.receiver, f"/{name}"
        friend = world.server.register(name)
        self.talk = world.ask("PUT", f"/v1/conversations/direct/{friend['user']['id']}", {})["id"]
        webhook = {"url": world.receiver.url + self.path, "events": ["message.created"], "conversations": [self.talk]}
        self.id = world.operate("POST", "/admin/v1/webhooks", webhook)["id"]
        self.texts = []

    def say(self, count=1):
        for _ in range(count):
            self.texts.append(f"Number {len(self.texts)}")
            path = f"/v1/conversations/{self.talk}/messages/{uuid.uuid4()}"
            self.world.ask("PUT", path, {"text": self.texts[-1]})

    def enable(self, is_enabled):
        self.world.operate("PATCH", f"/admin/v1/webhooks/{self.id}", {"enabled": is_enabled})

    def row(self, condition):
        return f"EXISTS (SELECT FROM parley.webhook_places p WHERE p.webhook_id = '{self.id}' AND {condition})"

    def answers(self, script):
        self.receiver.scripts[self.path] = script

    def wait_until_delivered(self, count):
        self.receiver.wait(self.path, count)
        self.database.wait(self.row("due_at IS NULL"))

    def kill(self, condition):
        # From then on everything is accepted.
        self.receiver.scripts.pop(self.path, None)
        assert self.database.kill(condition), f"it is not killed in the state {self.path}"
        wait_for_port(self.world.operations, self.world.server.process, "parley")


def committed(scene):
    with scene.database.gate("parley.webhook_places", "INSERT"):
        scene.say()
        scene.database.wait_at_gate()
        scene.kill(f"NOT {scene.row('true')}")
    return [0]


def queued(scene):
    with scene.database.gate("parley.webhook_places", "UPDATE", IS_CLAIMED):
        scene.say()
        scene.database.wait_at_gate()
        scene.kill(scene.row("claim IS NULL AND due_at <= now()"))
    return [0]


def claimed(scene):
    scene.database.wait_until_seen()
    scene.enable(False)
    scene.say()
    scene.database.wait(scene.row("claim IS NULL AND due_at IS NOT NULL"))
    # Whoever has claimed it asks who wrote it next.
    with scene.database.holding("LOCK TABLE read_live.users IN ACCESS EXCLUSIVE MODE"):
        scene.enable(True)
        scene.database.wait(scene.row("claim IS NOT NULL"))
        scene.kill(scene.row("claim IS NOT NULL"))
    assert len(scene.receiver.arrived.get(scene.path, [])) < 2, "it was sent before"
    return [0]


def sent(scene):
    scene.database.wait_until_seen()
    scene.answers(lambda _: None)
    scene.say()
    scene.receiver.wait(scene.path, 1)
    scene.kill(scene.row("claim IS NOT NULL"))
    return [0]


def accepted(scene):
    scene.database.wait_until_seen()
    with scene.database.gate("parley.webhook_places", "UPDATE", IS_MOVED):
        scene.say()
        scene.receiver.wait(scene.path, 1)
        scene.database.wait_at_gate()
        scene.kill(scene.row("claim IS NOT NULL AND next_version <= head_version"))
    return [0, 0]


def noted(scene):
    scene.say()
    scene.wait_until_delivered(1)
    scene.kill(scene.row("claim IS NULL AND due_at IS NULL"))
    return [0]


def refused(scene):
    scene.answers(lambda _: 500)
    scene.say()
    scene.database.wait(scene.row("attempts = 1 AND claim IS NULL AND due_at > now() + interval '1 s'"))
    scene.kill(scene.row("attempts = 1 AND claim IS NULL AND due_at > now()"))
    return [0]


def replayed(scene):
    scene.database.wait_until_seen()
    scene.say(4)
    scene.wait_until_delivered(4)
    first = json.loads(scene.receiver.accepted[scene.path][0][1])
    # The third hears nothing.
    scene.answers(lambda count: None if count == 7 else 204)
    place = {"partition": first["partition"], "position": first["position"]}
    scene.world.operate("POST", f"/admin/v1/webhooks/{scene.id}/replay", place)
    scene.receiver.wait(scene.path, 7)
    scene.kill(scene.row("claim IS NOT NULL"))
    return [0, 1, 2, 3, 0, 1, 2, 3]


def disabled(scene):
    scene.enable(False)
    scene.say(2)
    scene.database.wait(scene.row("head_version = next_version + 1"))
    scene.kill(scene.row("claim IS NULL AND head_version = next_version + 1"))
    scene.database.wait_until_caught_up("webhooks")
    assert scene.path not in scene.receiver.arrived, "a webhook is told that is disabled"
    scene.enable(True)
    return [0, 1]


STATES = [committed, queued, claimed, sent, accepted, noted, refused, replayed, disabled]


class World:
    """A server, somebody who writes, and an operator."""

    def __init__(self, server, receiver, operations):
        self.server, self.receiver, self.operations, self.database = server, receiver, operations, Database(server)
        self.token = server.register("Ada")["accessToken"]
        program = os.environ.get("PARLEY_PROGRAM", f"{ROOT}/.build/debug/parley")
        command = [program, "operator", "create", "kills", "--scope", "act", "--data-dir", f"{server.directory}/data"]
        self.key = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]

    def ask(self, method, path, body):
        return self.server.ask(method, path, body, self.token)

    def operate(self, method, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.operations, timeout=60)
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.key}"}
        connection.request(method, path, json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status < 300, (method, path, answer.status, text)
        return json.loads(text)


def run():
    receiver, operations = Receiver(), free_port()
    options = ["--ops-port", str(operations), "--limits", "off", "--outbound-allowed-hosts", "127.0.0.1"]
    try:
        with Server(*options) as server:
            wait_for_port(operations, server.process, "parley")
            world = World(server, receiver, operations)
            scenes = [(state, Scene(world, state.__name__)) for state in STATES]
            for state, scene in scenes:
                began = time.monotonic()
                expected = state(scene)
                world.database.wait_until_caught_up("webhooks")
                world.database.wait(f"NOT {scene.row('due_at IS NOT NULL')}")
                events = receiver.accepted.get(scene.path, [])
                texts = [json.loads(body)["data"]["message"]["text"] for _, body in events]
                assert texts == [scene.texts[number] for number in expected], (scene.path, texts)
                assert len(set(events)) == len(scene.texts), f"the same has several ids or bodies: {scene.path}"
                print(f"  killed when {state.__name__}: nothing is lost, {time.monotonic() - began:.0f} s", flush=True)
    finally:
        receiver.close()
