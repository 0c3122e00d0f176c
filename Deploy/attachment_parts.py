"""People who send files, for what checks attachments, and what was found."""

import json
import urllib.error
import urllib.request
import uuid

findings = []


def check(is_so, what):
    print(f"  {'so' if is_so else 'NOT SO'}: {what}")
    if not is_so:
        findings.append(what)


class Person:
    def __init__(self, server, name):
        self.server = server
        self.email = f"{uuid.uuid4()}@example.org"
        body = {"email": self.email, "password": "correct horse", "displayName": name}
        session = self.ask("POST", "/v1/auth/register", json.dumps(body).encode(), kind="application/json")[1]
        self.id, self.token = session["user"]["id"], session["accessToken"]

    @classmethod
    def signed_in(cls, server, known):
        """Somebody who has an account there, as the server is one that was restored."""
        person = cls.__new__(cls)
        person.server, person.email = server, known.email
        body = json.dumps({"email": known.email, "password": "correct horse"}).encode()
        session = person.ask("POST", "/v1/auth/login", body, "application/json")[1]
        person.id, person.token = session["user"]["id"], session["accessToken"]
        return person

    def ask(self, method, path, body=None, kind=None, headers={}):
        request = urllib.request.Request(self.server.url + path, data=body, method=method, headers=dict(headers))
        if kind:
            request.add_header("Content-Type", kind)
        if hasattr(self, "token") and "k=" not in path:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                content, status = answer.read(), answer.status
                is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        except urllib.error.HTTPError as error:
            return error.code, None
        return status, json.loads(content) if is_json else content

    def upload(self, content, query, kind="application/octet-stream"):
        return self.ask("PUT", f"/v1/attachments/{uuid.uuid4()}?{query}", content, kind)


def conversation(ada, bob, file):
    status, talk = ada.ask("PUT", f"/v1/conversations/direct/{bob.id}", b"{}", "application/json")
    path = f"/v1/conversations/{talk['id']}/messages/{uuid.uuid4()}"
    body = json.dumps({"text": "", "attachmentIds": [file["id"]]}).encode()
    check(ada.ask("PUT", path, body, "application/json")[0] == 201, "a file is sent")
    return path
