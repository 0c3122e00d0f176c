"""What no server of this version says, or says by mistake: proxies, newer servers, older databases."""

import json
import math

import pytest
from playwright.sync_api import expect
from test_conversation_files import attach

# Notes how long the page wants to wait, each time.
WAITS = """() => {
    const wait = window.setTimeout;
    window.waits = [];
    window.setTimeout = (act, time, ...rest) => {
        window.waits.push(time);
        return wait(act, time, ...rest);
    };
}"""


def waits(person):
    return [time for time in person.page.evaluate("window.waits") if time is not None]


def refuse(person, pattern, status, headers):
    """Every such request is refused. Returns what fills with their addresses."""
    refused = []

    def answer(route):
        refused.append(route.request.url)
        body = {"type": "about:blank", "title": "No", "status": status, "code": "unavailable"}
        return route.fulfill(status=status, headers=headers, content_type="application/problem+json", body=json.dumps(body))

    person.page.route(pattern, answer)
    return refused


def is_asked_for_patience(people, said):
    """Somebody whose message is refused for now, and what fills with the addresses of its tries."""
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    tries = refuse(ada, "**/messages/*", 503, {"Retry-After": said})
    ada.page.evaluate(WAITS)
    ada.say("Patience")
    return ada, tries


@pytest.mark.parametrize("said", ["99999999999", "1e300", "31536000"])
def test_a_server_that_asks_for_years_of_patience_is_asked_again_in_minutes(people, said):
    ada, tries = is_asked_for_patience(people, said)
    # A wait that is longer than browsers can count would be over at once.
    ada.until(lambda: any(60_000 < time <= 600_000 for time in waits(ada)), seconds=10, what=lambda: f"{len(tries)} tries")
    assert len(tries) == 1


@pytest.mark.parametrize("said", ["0", "-5", "0.0001"])
def test_a_server_that_always_asks_for_no_patience_is_asked_less_and_less_often(people, said):
    ada, tries = is_asked_for_patience(people, said)
    ada.until(lambda: len(tries) == 5)
    # Those with a part of chance are no whole numbers.
    assert max(time for time in waits(ada) if time % 1 > 0 and time < 30_000) > 1_000


def connects_anew(person):
    person.page.evaluate("dispatchEvent(new Event('offline'))")


def test_a_server_that_takes_no_cursor_is_asked_less_and_less_often(people):
    ada, bob = people("Ada", away=["Bob"])
    tries = refuse(ada, "**/v1/stream", 422, {})
    ada.page.evaluate(WAITS)
    connects_anew(ada)
    ada.until(lambda: len(tries) == 5)
    assert max(time for time in waits(ada) if time % 1 > 0 and time < 30_000) > 1_000
    ada.page.unroute("**/v1/stream")
    ada.page.evaluate("dispatchEvent(new Event('online'))")
    bob.write_to(ada, "You are back")
    ada.open_conversation("Bob").sees("You are back")


def test_a_proxy_that_asks_who_this_is_ends_no_session(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    asked = []

    def answer(route):
        asked.append(route.request.url)
        return route.fulfill(status=401, content_type="text/html", body="<h1>Who are you?</h1>")

    ada.page.route("**/v1/stream", answer)
    connects_anew(ada)
    ada.until(lambda: len(asked) == 2)
    ada.page.unroute("**/v1/stream")
    ada.page.evaluate("dispatchEvent(new Event('online'))")
    bob.write_to(ada, "You are still here")
    ada.sees("You are still here")


@pytest.mark.parametrize("status", [401, 404])
def test_what_something_on_the_way_answers_to_a_message_refuses_none(people, status):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    asked = refuse_by_a_page(ada, "**/messages/*", status, times=2)
    ada.say("Through the gate").sees_state("Through the gate", "Sent")
    assert len(asked) == 2


def test_what_something_on_the_way_answers_to_a_file_ends_no_session(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    asked = refuse_by_a_page(ada, "**/v1/attachments/*", 401, times=3)
    attach(ada, ("drawings.pdf", "application/pdf", b"%PDF-1.4"))
    ada.button("Send").click()
    ada.sees_state("drawings.pdf", "Sent")
    # How much has come is asked before each further try.
    assert [method for method, _ in asked] == ["PUT", "HEAD", "HEAD"]


def refuse_by_a_page(person, pattern, status, times):
    """So many requests have a proxy's page for an answer. Returns what fills with them."""
    asked = []

    def answer(route):
        if len(asked) == times or route.request.method == "GET":
            return route.continue_()
        asked.append((route.request.method, route.request.url))
        return route.fulfill(status=status, content_type="text/html", body="<h1>Not by this way</h1>")

    person.page.route(pattern, answer)
    return asked


# Some lack what this version needs, some have another shape, and some are of another version.
ODD = [
    ("receipt.updated", {"receipts": None}), ("participant.added", {"participant": None}), ("conversation.updated", {}),
    ("conversation.updated", {"conversation": None}), ("message.created", {"message": None}), ("message.updated", {}),
    ("member.updated", {"me": None}), ("user.updated", {}), ("user.updated", None), ("block.updated", None),
    ("presence.updated", []), ("typing.updated", {"userId": "x", "typing": True}), ("unread.updated", {}),
    ("reaction.updated", {"messageId": "x", "reactions": None}), ("conversation.removed", None), ("hello", None),
    ("__proto__", {}), ("constructor", {}), ("story.created", {"story": {"parts": [None]}}),
]


def block(event, data):
    return f"event: {event}\ndata: {data if isinstance(data, str) else json.dumps(data)}\n\n"


def test_an_event_that_a_page_does_not_understand_holds_up_no_other(people):
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "Before")
    ada.open_conversation("Bob").sees("Before")
    id, whom = path.split("/")[-1], bob.fetch("GET", "/v1/me")["body"]["id"]
    odd = [(event, {"conversationId": id, **data} if isinstance(data, dict) else data) for event, data in ODD]
    told = [("hello", {"resumed": True}), ("message.created", '{"conversationId": "'), *odd,
            ("user.updated", {"user": {"id": whom, "displayName": "Robert", "photoURL": None}}), ("ready", {})]
    body = "".join(block(event, data) for event, data in told)
    ada.page.route("**/v1/stream", lambda route: route.fulfill(content_type="text/event-stream", body=body))
    ada.page.evaluate(WAITS)
    connects_anew(ada)
    expect(ada.conversation("Robert")).to_be_visible()
    # No time that is none ends the connection at once.
    assert not any(math.isnan(time) for time in waits(ada))
    ada.page.unroute("**/v1/stream")
    bob.write(path, "After")
    ada.sees("After").keeps("timelines", "After")


@pytest.mark.parametrize("farewell", [None, {}, {"reason": "maintenance", "reconnectInMs": "soon"}])
def test_a_farewell_without_a_time_is_followed_by_a_pause(people, farewell):
    (ada,) = people("Ada")
    asked = []

    def dismiss(route):
        asked.append(route.request.url)
        return route.fulfill(content_type="text/event-stream", body=block("goaway", farewell))

    ada.page.route("**/v1/stream", dismiss)
    ada.page.evaluate(WAITS)
    connects_anew(ada)
    ada.until(lambda: len(asked) >= 4)
    assert max(time for time in waits(ada) if time % 1 > 0 and time < 30_000) > 500


# Puts records into the page's database, as pairs of a store and a record.
PUT = """async (records) => {
    const database = await new Promise((resolve) => {
        indexedDB.open('parley').onsuccess = ({target}) => resolve(target.result);
    });
    const change = database.transaction([...new Set(records.map(([store]) => store))], 'readwrite');
    for (const [store, record] of records) change.objectStore(store).put(record, ...(store === 'account' ? ['account'] : []));
    await new Promise((resolve) => (change.oncomplete = resolve));
    database.close();
}"""


def knows_somebody(people):
    """Somebody who has kept a conversation, and is not on its page; the other one, the path of what they say, and the first one's id."""
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "Before")
    ada.open_conversation("Bob").sees("Before")
    ada.keeps("timelines", "Before")
    me = ada.fetch("GET", "/v1/me")["body"]["id"]
    ada.page.goto("/healthz")
    return ada, bob, path, me


def goes_on(ada, bob, path, at):
    ada.page.goto(at)
    if at == "/":
        ada.open_conversation("Bob")
    ada.sees("Before")
    bob.write(path, "After")
    ada.sees("After").keeps("timelines", "After")
    ada.say("Mine").sees_state("Mine", "Sent")


@pytest.mark.parametrize("is_list", [True, False])
def test_what_another_version_has_kept_keeps_no_page_from_opening(people, is_list):
    ada, bob, path, _ = knows_somebody(people)
    id, other = path.split("/")[-1], bob.new_id()
    ada.page.evaluate(PUT, [
        ["conversations", {"id": other}], ["conversations", {"id": id, "me": None}], ["drafts", {"conversationId": id}],
        ["drafts", {"conversationId": other, "text": None}],
        ["outbox", {"number": 1, "conversationId": id, "messageId": other}], ["outbox", {"number": 2}], ["receipts", {"conversationId": id}], ["timelines", {"conversationId": other}],
        ["timelines", {"conversationId": id, "messages": [{"id": other}], "segment": {"from": 1, "to": 1}, "generation": 1}],
    ])
    goes_on(ada, bob, path, "/" if is_list else f"/conversations/{id}")
    expect(ada.conversations.get_by_role("listitem")).to_have_count(1)


@pytest.mark.parametrize("account", [
    "nonsense", {"userId": "ME", "me": None}, {"userId": "ME", "me": {"id": "ME"}, "blocks": 7},
])
def test_an_account_that_another_version_has_kept_keeps_no_page_from_opening(people, account):
    ada, bob, path, me = knows_somebody(people)
    ada.page.evaluate(PUT, [["account", json.loads(json.dumps(account).replace("ME", me))]])
    goes_on(ada, bob, path, "/")


def test_a_list_that_another_version_has_copied_keeps_no_page_from_opening(people):
    ada, bob, path, me = knows_somebody(people)
    copy = {"me": {"id": me}, "conversations": [{"id": path.split("/")[-1], "me": None}], "users": [], "blocks": []}
    ada.page.evaluate("(copy) => localStorage.setItem('parley.firstScreen', JSON.stringify(copy))", copy)
    goes_on(ada, bob, path, "/")
