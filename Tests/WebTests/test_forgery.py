"""Pages of others that use the session of whoever opens them: nothing is written, whatever they try."""

import json
import re
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from person import PASSWORD
from playwright.sync_api import expect

# Tries a request as a page may make it; resolves when it is over, whatever came of it. What is of no type goes without one.
TRY = """async ([address, method, type, body, mode]) => {
    const content = type === '' ? {body: new Blob([body])} : {body, headers: {'Content-Type': type}};
    try {
        await fetch(address, {method, mode, credentials: 'include', ...content});
    } catch {
        // The browser tells nothing of what it was.
    }
}"""

# Forms need no script's leave, and send JSON where it is cut in two around the sign that they put between.
FORM = """([address, text]) => {
    const form = Object.assign(document.createElement('form'), {method: 'post', enctype: 'text/plain', action: address});
    const [name, value] = text.split('=');
    form.append(Object.assign(document.createElement('input'), {type: 'hidden', name, value}));
    document.body.append(form);
    form.submit();
}"""


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'<!doctype html><html lang="en"><title>Elsewhere</title><h1>You have won</h1></html>'
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def port_elsewhere():
    """Where a page of somebody else's is served: at another port, so that it is another origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running.server_address[1]
        running.shutdown()


@pytest.fixture
def lured(browser, port_elsewhere):
    """Opens such a page in a browser that has somebody's session: `lured(ada, "localhost")`."""
    contexts = []

    def lure(person, host):
        contexts.append(browser.new_context())
        contexts[-1].add_cookies(person.context.cookies())
        page = contexts[-1].new_page()
        page.goto(f"http://{host}:{port_elsewhere}/")
        expect(page.get_by_role("heading", name="You have won")).to_be_visible()
        return page

    yield lure
    for context in contexts:
        context.close()


# By another port it is another origin of the same site, to which browsers send cookies that are `Strict`: there the server alone
# is in the way. Another name is another site.
@pytest.mark.parametrize("host, sends_cookies", [("127.0.0.1", True), ("localhost", False)])
def test_a_page_of_another_origin_writes_nothing(people, lured, host, sends_cookies):
    ada, bob, eve = people("Ada", "Bob", away=["Eve"])
    ada.talk_to(bob).say("Written by Ada").sees_state("Written by Ada", "Sent")
    path = ada.conversation_path()
    page, server = lured(ada, host), ada.server.url
    text = json.dumps({"text": "Forged"})
    login = json.dumps({"email": eve.email, "password": PASSWORD, "session": "cookie"})
    # What browsers send without asking the server first, and what they ask for.
    for address, body in [(f"{path}/messages", text), ("/v1/auth/login", login), ("/v1/auth/logout", "")]:
        for kind in ("", "text/plain"):
            page.evaluate(TRY, [server + address, "POST", kind, body, "no-cors"])
    for method, address, body in [
        ("POST", f"{path}/messages", text), ("PUT", f"{path}/messages/{uuid.uuid4()}", text),
        ("PATCH", "/v1/me", json.dumps({"displayName": "Forged"})), ("DELETE", "/v1/sessions", None),
    ]:
        page.evaluate(TRY, [server + address, method, "application/json", body, "cors"])
    address = f"{server}{path}/messages"
    with page.expect_response(lambda answer: answer.url == address and answer.request.method == "POST") as answer:
        page.evaluate(FORM, [address, '{"text": "Forged", "by": "="}'])
    assert ("parley=" in answer.value.request.all_headers().get("cookie", "")) == sends_cookies
    assert answer.value.status == (403 if sends_cookies else 401)
    page.wait_for_url(address)
    # Ada is who she was, signed in, also in the browser that was lured.
    page.goto(f"{server}/")
    known = page.evaluate("fetch('/v1/me').then((answer) => answer.json())")
    assert (known["email"], known["displayName"]) == (ada.email, "Ada")
    ada.sees_all("Written by Ada")
    bob.open_conversation("Ada").sees_all("Written by Ada")
    assert ada.fetch("GET", f"{path}/messages")["body"]["items"][-1]["text"] == "Written by Ada"


def test_a_page_of_another_origin_shows_the_client_in_no_frame(people, lured):
    (ada,) = people("Ada")
    page = lured(ada, "127.0.0.1")
    refusals = []
    page.on("console", lambda message: refusals.append(message.text))
    page.evaluate("(src) => document.body.append(Object.assign(document.createElement('iframe'), {src}))", f"{ada.server.url}/")
    ada.until(lambda: any(re.search("frame-ancestors|X-Frame-Options", text) for text in refusals))
    assert page.frame_locator("iframe").locator("parley-shell").count() == 0
