"""People whose devices get notifications, for what checks them, and what was found."""

import uuid

findings = []


def check(is_so, what):
    print(f"  {'so' if is_so else 'NOT SO'}: {what}", flush=True)
    if not is_so:
        findings.append(what)


class Person:
    """Somebody with one session for each device."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.sessions = [server.register(name)]
        self.id = self.sessions[0]["user"]["id"]

    @property
    def token(self):
        return self.sessions[0]["accessToken"]

    def sign_in(self):
        account = {"email": f"{self.name.lower()}@example.org", "password": "correct horse"}
        self.sessions.append(self.server.ask("POST", "/v1/auth/login", account))
        return self.sessions[-1]["accessToken"]

    def device(self, **address):
        token, device = self.sign_in(), str(uuid.uuid4())
        self.server.ask("PUT", f"/v1/devices/{device}", address, token)
        return device

    @property
    def devices(self):
        return {item["id"] for item in self.server.ask("GET", "/v1/devices", token=self.token)["items"]}

    def talk(self, other):
        return self.server.ask("PUT", f"/v1/conversations/direct/{other.id}", {}, self.token)["id"]

    def say(self, conversation, text):
        path = f"/v1/conversations/{conversation}/messages/{uuid.uuid4()}"
        return self.server.ask("PUT", path, {"text": text}, self.token)

    def read(self, conversation, seq):
        mark = {"conversationId": conversation, "readSeq": seq}
        self.server.ask("POST", "/v1/receipts", {"receipts": [mark]}, self.token)


def says(text):
    """Of a notification of any service, whether it says that."""
    def is_it(thing):
        message = thing["message"]
        return text in (message.get("body"), message.get("aps", {}).get("alert", {}).get("body"))
    return is_it


def of(device, is_it=lambda _: True):
    return lambda thing: thing["device"] == device and is_it(thing)
