"""What schemathesis cannot make by itself: accounts, people to talk to, and cursors that the server gave."""

import contextlib
import itertools
import json
import os
import re
import threading
import time
import unicodedata
import urllib.error
import urllib.request
import uuid

import schemathesis
from schemathesis import GenerationMode

SERVER = os.environ["PARLEY_CHECKED_SERVER"]
# What ends sessions or accounts, or makes others refuse them: each gets an account of its own.
ENDING = {"logout", "endSession", "endSessions", "eraseMe", "changePassword"}
# The id in the specification's examples stands for a thing that is there.
EXAMPLE = "0195f3ab-c0de-7abc-8def-0123456789ab"

EMOJI = ["👍", "❤️", "👩‍🚀", "🇫🇷", "1️⃣"]

# What the specification's patterns take, of texts that may yet show nothing.
TAKEN = {"text": re.compile(r"[^\0]{1,10000}"), "groupName": re.compile(r"[^\0-\x1f\x7f-\x9f\u2028\u2029]{1,100}")}
# Letters and symbols without ink: fillers of Hangul, Braille without a dot, a null notehead, blank hieroglyphs.
INKLESS = set("\u115f\u1160\u3164\uffa0\u2800\U0001d159\U00013441\U00013442")

numbers = itertools.count()


def ask(method, path, body=None, token=None):
    request = urllib.request.Request(SERVER + path, method=method)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer), answer.headers


def register():
    account = {"email": f"check-{os.getpid()}-{next(numbers)}@example.org", "password": "correct horse"}
    return ask("POST", "/v1/auth/register", account)[0]


class Scene:
    """An account that asks, others beside it, a group with a message, and cursors; made once, by whoever needs it first."""

    lock = threading.Lock()
    made = None

    @classmethod
    def get(cls):
        with cls.lock:
            if cls.made is None:
                cls.made = cls()
            return cls.made

    def __init__(self):
        session = register()
        self.token = session["accessToken"]
        self.own = session["user"]["id"]
        self.people = [register()["user"]["id"] for _ in range(20)]
        self.group = "0195f3ab-0000-7000-8000-00000000%04x" % (os.getpid() % 65536)
        body = {"groupName": "Check", "participantIds": self.people[:3], "joinPolicy": "open"}
        ask("PUT", f"/v1/conversations/{self.group}", body, self.token)
        message, headers = ask("POST", f"/v1/conversations/{self.group}/messages", {"text": "Hello"}, self.token)
        self.message = message["id"]
        self.position = headers["Parley-Position"]
        self.cursor = ask("GET", "/v1/sync", token=self.token)[0]["cursor"]

    def say(self):
        """A new message, for a request that deletes it."""
        return ask("POST", f"/v1/conversations/{self.group}/messages", {"text": "Hello again"}, self.token)[0]["id"]


# The bytes of an upload that goes on.
schemathesis.serializer.alias("application/partial-upload", "application/octet-stream")


@schemathesis.auth(refresh_interval=None)
class Accounts:
    def get(self, case, context):
        if case.operation.definition.raw.get("operationId") in ENDING:
            return register()["accessToken"]
        return Scene.get().token

    def set(self, case, token, context):
        case.headers["Authorization"] = f"Bearer {token}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Where valid data is meant, what only the server can have made is put in its place."""
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    scene = Scene.get()
    fill_path(case, scene)
    fill_query(case, scene)
    if case.headers and "Parley-Wait-For" in case.headers:
        case.headers["Parley-Wait-For"] = scene.position
    if isinstance(case.body, dict):
        fill_body(case, scene)


def fill_path(case, scene):
    known = {"conversationId": scene.group, "messageId": scene.message, "userId": scene.people[0]}
    operation = case.operation.definition.raw.get("operationId")
    for name, value in known.items():
        isNew = (operation, name) in {("createGroup", "conversationId"), ("putMessage", "messageId"), ("putScheduled", "messageId")}
        if not isNew and (case.path_parameters or {}).get(name) == EXAMPLE:
            case.path_parameters[name] = value
    path = case.path_parameters or {}
    if operation == "deleteMessage" and path.get("messageId") == scene.message:
        with contextlib.suppress(urllib.error.HTTPError):
            path["messageId"] = scene.say()
    # What an emoji is says Unicode, in tables that no pattern holds.
    if "emoji" in path:
        path["emoji"] = EMOJI[len(path["emoji"]) % len(EMOJI)]
    # Nobody whom anything else is asked of.
    if operation in {"putBlock", "deleteBlock"} and path.get("userId") in {scene.own, *scene.people}:
        path["userId"] = scene.people[-1]
    # With oneself there is no conversation, and ids of version 8 are the server's: stateful tests find both.
    if operation == "startDirect" and path.get("userId") == scene.own:
        path["userId"] = scene.people[0]
    if operation == "createGroup" and path.get("conversationId", "")[14:15] == "8":
        path["conversationId"] = str(uuid.uuid4())


def fill_query(case, scene):
    query = case.query or {}
    # No list is so long here that it has a second page.
    for name in ["cursor", "before", "after"]:
        query.pop(name, None)
    if case.operation.definition.raw.get("operationId") == "listMessages":
        query.pop("around", None)
    if "since" in query:
        query["since"] = scene.cursor


def leave_files_out(case):
    """What is a file of one's own only the server knows."""
    for name in ["groupIcon", "photoURL"]:
        if case.body.get(name) is not None:
            case.body[name] = None
    messages = case.body.get("messages")
    messages = messages if isinstance(messages, list) else []
    for message in [case.body, *messages]:
        # Without a text there are files.
        if (message.pop("attachmentIds", None) or message in messages) and not (message.get("text") or "").strip():
            message["text"] = "Look"


def shows(text):
    """Whether anything is to be seen of a text, at least by what Python knows of Unicode."""
    unseen = {"Cc", "Cf", "Cn", "Me", "Mn", "Zl", "Zp", "Zs"}
    return any(unicodedata.category(sign) not in unseen and sign not in INKLESS for sign in text)


def let_texts_show(case):
    """Whether a text shows no pattern says; what a pattern refuses stays as it is."""
    messages = case.body.get("messages")
    for item in [case.body, *(messages if isinstance(messages, list) else [])]:
        for name, pattern in TAKEN.items():
            text = item.get(name) if isinstance(item, dict) else None
            if isinstance(text, str) and text == text.strip() and pattern.fullmatch(text) and not shows(text):
                item[name] = "Look"


def fill_body(case, scene):
    operation = case.operation.definition.raw.get("operationId")
    leave_files_out(case)
    let_texts_show(case)
    if operation == "createGroup" and isinstance(case.body.get("participantIds"), list):
        count = min(max(2, len(case.body["participantIds"])), len(scene.people))
        case.body["participantIds"] = scene.people[:count]
    if operation in {"putMessage", "postMessage"} and case.body.get("replyToId"):
        # Else it quotes a message of another conversation.
        is_here = (case.path_parameters or {}).get("conversationId") == scene.group
        case.body["replyToId"] = scene.message if is_here else None
    if operation == "putScheduled":
        case.body["conversationId"] = scene.group
        case.body["sendAt"] = "%s-06-01T10:00:00.000Z" % (time.gmtime().tm_year + (time.gmtime().tm_mon > 5))
        if case.body.get("replyToId"):
            case.body["replyToId"] = scene.message
    if operation == "postMessage" and isinstance(case.body.get("messages"), list):
        # An id is new, and of the message alone.
        for message in case.body["messages"]:
            message["id"] = str(uuid.uuid4())
            message["replyToId"] = None
    if operation == "createReport":
        for name, value in {"userId": scene.people[0], "conversationId": scene.group, "messageId": scene.message}.items():
            if name in case.body:
                case.body[name] = value
    if operation == "register" and "email" in case.body:
        case.body["email"] = f"check-{os.getpid()}-{next(numbers)}@example.org"
