"""What no server of this version says, or says by mistake: proxies, newer servers, older databases."""

import json

import pytest

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


@pytest.mark.parametrize("said", ["99999999999", "1e300", "31536000"])
def test_a_server_that_asks_for_years_of_patience_is_asked_again_in_minutes(people, said):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    tries = refuse(ada, "**/messages/*", 503, {"Retry-After": said})
    ada.page.evaluate(WAITS)
    ada.say("Patience")
    # A wait that is longer than browsers can count would be over at once.
    ada.until(lambda: any(60_000 < time <= 600_000 for time in waits(ada)), seconds=10, what=lambda: f"{len(tries)} tries")
    assert len(tries) == 1


@pytest.mark.parametrize("said", ["0", "-5", "0.0001"])
def test_a_server_that_always_asks_for_no_patience_is_asked_less_and_less_often(people, said):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    tries = refuse(ada, "**/messages/*", 503, {"Retry-After": said})
    ada.page.evaluate(WAITS)
    ada.say("Patience")
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
