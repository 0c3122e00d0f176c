"""Opens streams on a server, lets everything happen that there are events for, and holds each event to its schema; and each
line of an export."""

import http.client
import json
import sys
import threading
import time

import jsonschema_rs
import yaml

from checks import ROOT

# Heartbeats as events come after 25 s, and `reset` after the log has begun anew: left to the tests of both.
UNSEEN = {"ping", "reset"}


class Specification:
    def __init__(self):
        with open(f"{ROOT}/Sources/API/Embedded/openapi.yaml") as file:
            self.document = yaml.safe_load(file)
        self.events = self.document["paths"]["/v1/stream"]["get"]["x-events"]

    def complaints(self, schema, value):
        rooted = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": self.document["components"], **schema}
        validator = jsonschema_rs.validator_for(rooted, validate_formats=True)
        return [f"{error.message} at /{'/'.join(map(str, error.instance_path))}" for error in validator.iter_errors(value)]


class Stream(threading.Thread):
    """The events of one stream, as they come."""

    def __init__(self, server, token):
        super().__init__(daemon=True)
        self.events = []
        self.changed = threading.Condition()
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        self.connection.request("GET", "/v1/stream", headers={"Authorization": f"Bearer {token}"})
        self.answer = self.connection.getresponse()
        self.start()

    def run(self):
        event = {}
        try:
            for line in self.answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                    continue
                if "event" in event:
                    with self.changed:
                        self.events.append(event)
                        self.changed.notify_all()
                event = {}
        except (TimeoutError, OSError, http.client.HTTPException, ValueError, AttributeError):
            pass

    def wait(self, name):
        """Waits until an event of this name has come since the last time one was waited for."""
        with self.changed:
            seen = getattr(self, "seen", 0)
            found = self.changed.wait_for(lambda: any(e["event"] == name for e in self.events[seen:]), timeout=30)
            self.seen = len(self.events)
        if not found:
            print(f"check-contract: no {name} came", file=sys.stderr)


def let_everything_happen(server):
    """Returns the events of each stream, and the lines of an export."""
    ada, bob, eve, dan = (server.register(name) for name in ["Ada", "Bob", "Eve", "Dan"])
    tokens = {person["user"]["id"]: person["accessToken"] for person in [ada, bob, eve, dan]}
    a, b, e, d = tokens
    streams = [Stream(server, tokens[person]) for person in [a, b]]
    at_ada, at_bob = streams
    for stream in streams:
        stream.wait("ready")
    group = "0195f3ab-c0de-7abc-8def-00000000beef"
    path = f"/v1/conversations/{group}"
    server.ask("PUT", path, {"groupName": "Friends", "participantIds": [b, e]}, tokens[a])
    at_bob.wait("conversation.created")
    message = server.ask("POST", f"{path}/messages", {"text": "Hello", "mentions": ["@all", b]}, tokens[a])
    at_bob.wait("message.created")
    server.ask("POST", f"{path}/messages", {"text": "Hi", "replyToId": message["id"]}, tokens[e])
    # Behind the message, and up to a quarter of a second later.
    at_ada.wait("unread.updated")
    mine = f"{path}/messages/{message['id']}"
    server.ask("PATCH", mine, {"text": "Hello, all"}, tokens[a])
    at_bob.wait("message.updated")
    server.ask("PUT", f"{mine}/reactions/%F0%9F%91%8D", None, tokens[b])
    at_ada.wait("reaction.updated")
    server.ask("PUT", f"{mine}/pin", None, tokens[a])
    at_bob.wait("message.updated")
    server.ask("DELETE", mine, None, tokens[a])
    at_bob.wait("message.deleted")
    server.ask("POST", "/v1/receipts", {"receipts": [{"conversationId": group, "readSeq": 2}]}, tokens[b])
    at_ada.wait("receipt.updated")
    server.ask("PATCH", f"{path}/me", {"pinned": True, "mutedUntil": "9999-12-31T23:59:59.999Z"}, tokens[b])
    at_bob.wait("member.updated")
    server.ask("POST", f"{path}/typing", {"typing": True}, tokens[b])
    at_ada.wait("typing.updated")
    server.ask("PUT", "/v1/presence/subscriptions", {"userIds": [b]}, tokens[a])
    server.ask("PUT", "/v1/me/presence", {"status": "away"}, tokens[b])
    at_ada.wait("presence.updated")
    server.ask("PUT", f"/v1/blocks/{d}", None, tokens[b])
    at_bob.wait("block.updated")
    server.ask("PATCH", path, {"groupName": "Old friends"}, tokens[a])
    at_bob.wait("conversation.updated")
    server.ask("PATCH", path, {"retentionSeconds": 3600, "slowModeSeconds": 60}, tokens[a])
    at_bob.wait("conversation.updated")
    server.ask("POST", f"{path}/messages", {"text": "Not for long"}, tokens[b])
    at_ada.wait("message.created")
    later = {"conversationId": group, "sendAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600)), "text": "Later"}
    server.ask("PUT", "/v1/scheduled/0195f3ab-c0de-7abc-8def-00000000cafe", later, tokens[a])
    server.ask("PUT", f"{path}/participants/{d}", None, tokens[a])
    at_bob.wait("participant.added")
    server.ask("PUT", f"{path}/participants/{d}", {"role": "admin"}, tokens[a])
    at_bob.wait("participant.updated")
    server.ask("DELETE", f"{path}/participants/{d}", None, tokens[a])
    at_bob.wait("participant.removed")
    server.ask("PATCH", "/v1/me", {"displayName": "Countess"}, tokens[a])
    at_bob.wait("user.updated")
    server.ask("DELETE", "/v1/me", None, tokens[e])
    at_bob.wait("participant.removed")
    server.ask("DELETE", f"{path}/participants/{b}", None, tokens[a])
    at_bob.wait("conversation.removed")
    server.ask("POST", "/v1/auth/logout", None, tokens[b])
    at_bob.wait("goaway")
    export = server.text("POST", "/v1/me/export", None, tokens[a]).decode().splitlines()
    return [stream.events for stream in streams], [json.loads(line) for line in export]


def check(server):
    """Returns how many events were right, and how many were not."""
    specification = Specification()
    wrong = set()
    streams, export = let_everything_happen(server)
    events = [event for stream in streams for event in stream]
    # One that belongs with the event behind it may leave the id to that one.
    followed = {id(event) for stream in streams for event, next in zip(stream, stream[1:]) if "id" in next}
    for event in events:
        name = event["event"]
        described = specification.events.get(name)
        if described is None:
            wrong.add(f"{name}: not in the specification")
            continue
        if described["id"] != ("id" in event) and not (described["id"] and id(event) in followed):
            wrong.add(f"{name}: {'has an' if 'id' in event else 'lacks its'} id")
        for complaint in specification.complaints(described["data"], json.loads(event["data"])):
            wrong.add(f"{name}: {complaint}")
    line = {"$ref": "#/components/schemas/ExportLine"}
    wrong |= {f"export: {complaint}" for value in export for complaint in specification.complaints(line, value)}
    missing = set(specification.events) - {event["event"] for event in events} - UNSEEN
    wrong |= {f"{name}: never came" for name in missing}
    for text in sorted(wrong):
        print(f"check-contract: {text}", file=sys.stderr)
    return len(events) + len(export), len(wrong)
