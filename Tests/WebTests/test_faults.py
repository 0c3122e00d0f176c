"""What goes wrong around a page: networks, servers, storage, sessions, clocks."""

import contextlib
import datetime
import http.server
import os
import re
import shutil
import signal
import threading
from pathlib import Path

import pytest
from checks import ROOT, Server
from person import Account, Person
from playwright.sync_api import expect


def keeps_its_files(person):
    """Waits until the page can be opened by what its worker keeps."""
    person.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    person.until(lambda: person.page.evaluate(
        """async () => {
            const version = document.querySelector('meta[name="parley-version"]').content;
            const loaded = performance.getEntriesByType('resource').map(({name}) => name).filter((name) => name.includes(`/app/${version}/`));
            const kept = await Promise.all(['/', ...loaded].map((name) => caches.match(name)));
            return kept.every((answer) => answer !== undefined);
        }"""))


@contextlib.contextmanager
def proxy_without_server(port):
    """What a proxy answers on a port while there is no server behind it."""

    class Away(http.server.BaseHTTPRequestHandler):
        def answer(self):
            self.send_response(502)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "11")
            self.end_headers()
            with contextlib.suppress(BrokenPipeError):
                self.wfile.write(b"Bad Gateway")

        do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = answer

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Away) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        yield
        proxy.shutdown()


def test_a_page_opens_without_a_network_and_shows_what_is_known(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("Kept here")
    ada.sees_state("Kept here", "Sent")
    ada.keeps("timelines", "Kept here")
    keeps_its_files(ada)
    ada.context.set_offline(True)
    ada.page.reload()
    ada.sees("Kept here")
    ada.say_unsent("Written without a network")
    ada.sees_state("Written without a network", "Sending")
    # The tab is closed, and opened again with a network.
    ada.page.close()
    ada.context.set_offline(False)
    ada.page = ada.context.new_page()
    ada.page.goto("/")
    ada.open_conversation("Bob")
    ada.sees_state("Written without a network", "Sent")


def test_a_page_opens_while_a_proxy_says_that_the_server_is_away(browser, own_server):
    ada, bob = Person(browser, own_server, "Ada").join(), Account(own_server, "Bob").join()
    ada.talk_to(bob).say("Kept here")
    ada.sees_state("Kept here", "Sent")
    ada.keeps("timelines", "Kept here")
    keeps_its_files(ada)
    own_server.stop()
    with proxy_without_server(own_server.port):
        ada.page.reload()
        ada.sees("Kept here")
        ada.say_unsent("Written meanwhile")
        ada.sees_state("Written meanwhile", "Sending")
    own_server.resume()
    ada.sees_state("Written meanwhile", "Sent", timeout=60_000)
    assert not ada.complaints
    ada.context.close()


def test_what_was_on_its_way_while_the_worker_began_is_kept_as_well(stranger):
    ada, held = stranger("Ada"), []
    ada.page.route("**/new-group-screen.js", lambda route: held.append(route))
    ada.join()
    ada.until(lambda: held and ada.page.evaluate("navigator.serviceWorker.controller !== null"))
    held[0].continue_()
    ada.until(lambda: ada.page.evaluate(
        "performance.getEntriesByType('resource').some(({ name }) => name.includes('new-group-screen'))"))
    keeps_its_files(ada)


def test_a_page_that_could_not_be_kept_is_kept_when_it_is_opened_again(people):
    [ada] = people("Ada")
    keeps_its_files(ada)
    # As a worker leaves it that began while there was no network, or no room.
    ada.page.evaluate("caches.delete('parley-page')")
    ada.page.reload()
    keeps_its_files(ada)


def test_a_server_that_is_restarted_is_found_again(browser, own_server):
    ada, bob = Person(browser, own_server, "Ada").join(), Person(browser, own_server, "Bob").join()
    ada.talk_to(bob).say("Before the restart")
    ada.sees_state("Before the restart", "Sent")
    own_server.restart()
    ada.say("After the restart")
    ada.sees_state("After the restart", "Sent", timeout=30_000)
    bob.link("Chats").click()
    bob.open_conversation("Ada").sees("After the restart", timeout=30_000)
    assert not ada.complaints and not bob.complaints
    ada.context.close()
    bob.context.close()


def test_a_slow_connection_is_said_to_be_one_until_it_is_quick_again(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    held, is_quick = [], []
    ada.page.route(
        "**/messages/*",
        lambda route: route.continue_() if is_quick or route.request.method != "PUT" else held.append(route))
    ada.say("a long way")
    notice = ada.page.get_by_role("status").filter(has_text="Slow connection")
    expect(notice).to_be_visible()
    # It is slow, and not lost: what others say comes, and what waits is on its way.
    bob.talk_to(ada).say("Are you there?")
    ada.sees("Are you there?").sees_state("a long way", "Sending")
    expect(notice).to_be_visible()
    is_quick.append(True)
    for route in held:
        route.continue_()
    ada.sees_state("a long way", "Sent").say("a short way").sees_state("a short way", "Sent")
    expect(notice).to_be_hidden()


def test_a_server_that_was_gone_for_an_hour_is_found_again_and_is_told_all_in_order(browser, own_server):
    ada, bob = Person(browser, own_server, "Ada"), Person(browser, own_server, "Bob").join()
    ada.page.clock.install()
    ada.join()
    ada.talk_to(bob).say("Before")
    ada.sees_state("Before", "Sent")
    own_server.stop()
    texts = ["Before"]
    # Some at once, and some after an hour in which the page has asked again and again.
    for part in ("soon", "late"):
        for number in range(3):
            texts.append(f"{part} {number}")
            ada.say(texts[-1]).sees_state(texts[-1], "Sending")
        expect(ada.page.get_by_text("You are offline")).to_be_visible()
        ada.page.clock.fast_forward("01:00:00")
    own_server.resume()
    # Whatever it waits for is over; what it asks then is asked of the server.
    ada.page.clock.fast_forward("00:31")
    ada.sees_state("late 2", "Sent", timeout=60_000)
    expect(ada.page.get_by_text("You are offline")).to_be_hidden(timeout=60_000)
    ada.is_live()
    ada.sees_all(*texts)
    bob.page.goto("/")
    bob.open_conversation("Ada").sees_all(*texts)
    ada.sees_state("late 2", "Read")
    assert not ada.complaints and not bob.complaints
    ada.context.close()
    bob.context.close()


def test_who_has_missed_thousands_begins_anew_and_sees_the_newest(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("Before")
    ada.sees_state("Before", "Sent")
    ada.keeps("timelines", "Before")
    group = ada.page.url.rpartition("/")[2]
    ada.page.goto("about:blank")
    for start in range(0, 2_500, 100):
        texts = [{"text": f"missed {number}"} for number in range(start, start + 100)]
        assert bob.fetch("POST", f"/v1/conversations/{group}/messages", {"messages": texts})["status"] in (200, 201)
    asked = []
    ada.page.on("request", lambda request: asked.append(request.url) if "/v1/sync" in request.url else None)
    ada.page.goto("/")
    expect(ada.conversations).to_contain_text("missed 2499")
    ada.is_live()
    assert len(asked) == 1
    expect(ada.conversations).to_contain_text("999+")
    bob.fetch("POST", f"/v1/conversations/{group}/messages", {"text": "And now"})
    expect(ada.conversations).to_contain_text("And now")
    # It opens at what is unread first, with what is known from before above it.
    ada.open_conversation("Bob").sees("Before").sees("missed 0")


def test_where_storage_is_forbidden_everything_works_for_the_page(stranger, people):
    [bob] = people(away=["Bob"])
    ada = stranger("Ada")
    ada.context.add_init_script("""
        for (const name of ["indexedDB", "localStorage", "sessionStorage", "caches"])
          Object.defineProperty(window, name, {get() { throw new DOMException("forbidden", "SecurityError"); }});
    """)
    ada.join()
    ada.talk_to(bob).say("Without storage")
    ada.sees_state("Without storage", "Sent")
    ada.link("Profile").click()
    ada.page.get_by_label("Theme").select_option("dark")
    expect(ada.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_database_that_does_not_answer_holds_up_a_first_visit_for_a_moment_only(stranger, people):
    [bob] = people(away=["Bob"])
    ada = stranger("Ada")
    # Opened, and neither granted nor refused, as while another program has the disk.
    ada.context.add_init_script("""
        IDBFactory.prototype.open = () => ({});
    """)
    ada.join()
    ada.talk_to(bob).say("Without a database")
    ada.sees_state("Without a database", "Sent")


def test_a_database_that_another_tab_holds_keeps_nobody_from_signing_in(people):
    (ada,) = people("Ada")
    other = ada.context.new_page()
    other.goto("/v1/server")
    # A transaction lives while it is asked for something.
    other.evaluate("""() => new Promise((held, refused) => {
        const opening = indexedDB.open('parley');
        opening.onerror = refused;
        opening.onsuccess = () => {
            if (!opening.result.objectStoreNames.contains('account')) return refused(new Error('nothing is kept'));
            const account = opening.result.transaction('account', 'readwrite').objectStore('account');
            const ask = () => { account.get('account').onsuccess = ask; held(); };
            ask();
        };
    })""")
    ada.context.clear_cookies()
    ada.sign_in().is_live()


# The copy of the list's beginning, in local storage.
COPY = "localStorage.getItem('parley.firstScreen')"


def test_the_list_shows_before_the_database_has_answered(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("From before")
    ada.sees_state("From before", "Sent")
    ada.until(lambda: "From before" in (ada.page.evaluate(COPY) or ""))
    # Neither the database nor the server answers.
    ada.context.add_init_script("IDBFactory.prototype.open = () => ({})")
    ada.context.route("**/v1/**", lambda route: None)
    ada.page.goto("/")
    expect(ada.conversations.get_by_role("listitem", name="Bob")).to_contain_text("From before", timeout=2_500)


def test_a_copy_of_somebody_else_s_list_gives_way_to_the_own_one(people):
    ada, cleo, bob = people("Ada", "Cleo", away=["Bob"])
    ada.talk_to(bob).say("Of Ada")
    ada.sees_state("Of Ada", "Sent")
    ada.until(lambda: "Of Ada" in (ada.page.evaluate(COPY) or ""))
    copy = ada.page.evaluate(COPY)
    cleo.talk_to(bob).say("Of Cleo")
    cleo.sees_state("Of Cleo", "Sent")
    cleo.link("Chats").click()
    # Nothing is kept any more once the page goes, so that it stays as it is put here.
    cleo.until(lambda: "Of Cleo" in (cleo.page.evaluate(COPY) or ""))
    cleo.page.evaluate("copy => localStorage.setItem('parley.firstScreen', copy)", copy)
    cleo.page.goto("/")
    expect(cleo.conversations).to_contain_text("Of Cleo")
    expect(cleo.conversations).not_to_contain_text("Of Ada")
    cleo.until(lambda: "Of Ada" not in (cleo.page.evaluate(COPY) or ""))


def test_a_copy_that_makes_no_sense_keeps_no_page_from_opening(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("Of sense")
    ada.sees_state("Of sense", "Sent")
    for copy in ("{", "null", "{}", '{"conversations": [], "users": [], "blocks": []}', '{"conversations": 1, "users": 2, "blocks": 3}'):
        ada.until(lambda: "Of sense" in (ada.page.evaluate(COPY) or ""))
        ada.page.evaluate("copy => localStorage.setItem('parley.firstScreen', copy)", copy)
        ada.page.goto("/")
        expect(ada.conversations).to_contain_text("Of sense")


def test_a_draft_that_is_begun_before_the_database_has_answered_is_kept(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("From before")
    ada.sees_state("From before", "Sent")
    ada.textbox("Message").fill("an older draft")
    ada.link("Chats").click()
    ada.until(lambda: "From before" in (ada.page.evaluate(COPY) or ""))
    # The database opens when it is let.
    ada.context.add_init_script("""
        const open = IDBFactory.prototype.open;
        IDBFactory.prototype.open = function (...given) {
            const asked = {};
            window.letOpen = () => {
                const opening = open.apply(this, given);
                opening.onsuccess = () => asked.onsuccess(Object.assign(asked, { result: opening.result }));
            };
            return asked;
        };
    """)
    ada.page.goto("/")
    ada.open_conversation("Bob")
    ada.textbox("Message").fill("a draft of this moment")
    ada.page.wait_for_timeout(400)
    ada.page.evaluate("letOpen()")
    ada.is_live()
    expect(ada.textbox("Message")).to_have_value("a draft of this moment")
    ada.link("Chats").click()
    expect(ada.conversations.get_by_role("listitem", name="Bob")).to_contain_text("a draft of this moment")


def test_a_first_list_that_comes_late_is_awaited_in_sight(stranger, people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("Before the first visit")
    ada.sees_state("Before the first visit", "Sent")
    fresh = stranger("Phone")
    fresh.context.add_cookies(ada.context.cookies())
    held = []
    fresh.page.route("**/v1/sync*", lambda route: held.append(route))
    fresh.page.goto("/")
    expect(fresh.page.get_by_role("status", name="Connecting")).to_be_visible()
    fresh.until(lambda: held)
    held[0].continue_()
    expect(fresh.conversations.get_by_role("listitem", name="Bob")).to_be_visible()
    fresh.is_live()


def test_a_tab_that_is_killed_while_it_sends_loses_and_doubles_nothing(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("First")
    ada.sees_state("First", "Sent")
    ada.page.route("**/messages/*", lambda route: None)
    ada.say_unsent("Cut off")
    ada.sees_state("Cut off", "Sending")
    ada.page.close()
    ada.page = ada.context.new_page()
    ada.page.goto("/")
    ada.open_conversation("Bob")
    ada.sees_state("Cut off", "Sent")
    bob.open_conversation("Ada").sees_all("First", "Cut off")


class Profile:
    """A browser of its own, with a folder: it can be killed as a whole, and opened again."""

    def __init__(self, playwright, folder):
        self.playwright = playwright
        self.folder = str(folder)

    def new_context(self, **options):
        program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        return self.playwright.chromium.launch_persistent_context(self.folder, executable_path=program, **options)

    def kill(self):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if self.folder.encode() in (process / "cmdline").read_bytes():
                    os.kill(int(process.name), signal.SIGKILL)
            except (FileNotFoundError, ProcessLookupError):
                continue


# No timer of a second, or near it, ever ends.
WITHOUT_LONG_TIMERS = """{
    const { setTimeout } = window;
    window.setTimeout = (call, ms = 0, ...rest) => setTimeout(call, ms >= 200 && window.isSuspended ? 1e9 : ms, ...rest);
}"""


def test_a_browser_that_is_killed_without_a_network_loses_nothing(playwright, server, people, tmp_path):
    bob, = people("Bob")
    profile = Profile(playwright, tmp_path)
    ada = Person(profile, server, "Ada")
    ada.context.add_init_script(WITHOUT_LONG_TIMERS)
    ada.join()
    ada.talk_to(bob).say("First")
    ada.sees_state("First", "Sent")
    # Chromium writes cookies to the disk within half a minute.
    cookies = ada.context.cookies()
    ada.context.set_offline(True)
    expect(ada.page.get_by_role("status").filter(has_text="You are offline.")).to_be_visible()
    # Timers that run already have ended then.
    ada.page.wait_for_timeout(1_500)
    ada.page.evaluate("window.isSuspended = true")
    ada.say_unsent("Cut off")
    ada.sees_state("Cut off", "Sending")
    ada.keeps("outbox", "Cut off")
    profile.kill()
    again = Person(profile, server, "Ada")
    again.context.add_cookies(cookies)
    again.page.goto("/")
    again.open_conversation("Bob").sees_state("Cut off", "Sent")
    bob.open_conversation("Ada").sees_all("First", "Cut off")
    again.context.close()
    assert ada.complaints + again.complaints == []


def test_a_session_that_ends_while_somebody_types_keeps_the_draft(people, stranger):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.textbox("Message").press_sequentially("A long thought that is not fini", delay=5)
    ada.keeps("drafts", "A long thought that is not fini")
    phone = stranger("Ada")
    phone.email = ada.email
    phone.sign_in()
    expect(phone.link("Chats")).to_be_visible()
    assert phone.fetch("DELETE", "/v1/sessions")["status"] == 204
    expect(ada.page.get_by_text("You have been signed out.")).to_be_visible()
    ada.sign_in()
    expect(ada.link("Chats")).to_be_visible()
    ada.link("Chats").click()
    ada.open_conversation("Bob")
    expect(ada.textbox("Message")).to_have_value("A long thought that is not fini")


# A clock that is wrong by some days.
WRONG_CLOCK = """{
    const Present = Date;
    const wrong = %d * 86_400_000;
    globalThis.Date = class extends Present {
        constructor(...parts) { parts.length > 0 ? super(...parts) : super(Present.now() + wrong); }
        static now() { return Present.now() + wrong; }
    };
}"""


@pytest.mark.parametrize("days", [-1, 1])
def test_a_clock_that_is_wrong_by_a_day_changes_nothing(stranger, people, days):
    (bob,) = people("Bob")
    ada = stranger("Ada")
    ada.context.add_init_script(WRONG_CLOCK % days)
    ada.join()
    ada.talk_to(bob).say("What time is it?")
    ada.sees_state("What time is it?", "Sent")
    bob.open_conversation("Ada").sees("What time is it?").say("Later than you think")
    ada.sees("Later than you think")
    ada.sees_all("What time is it?", "Later than you think")
    expect(ada.messages.locator(".day")).to_have_text(["Today"])
    # Also before the server has said anything.
    ada.keeps("timelines", "Later than you think")
    ada.page.reload()
    ada.sees_all("What time is it?", "Later than you think")
    expect(ada.messages.locator(".day")).to_have_text(["Today"])
    ada.open_info()
    # The end of a draft goes the same way.
    with ada.page.expect_response(lambda answer: "mutedUntil" in (answer.request.post_data or "")) as answer:
        ada.page.get_by_label("Mute").select_option(label="For an hour")
    until = datetime.datetime.fromisoformat(answer.value.json()["mutedUntil"].replace("Z", "+00:00"))
    left = until - datetime.datetime.now(datetime.timezone.utc)
    assert datetime.timedelta(minutes=50) < left < datetime.timedelta(minutes=70), left
    ada.link("People").click()
    bob.say("You do not hear this")
    ada.link("Chats").click()
    expect(ada.conversation("Bob")).to_contain_text("You do not hear this")
    expect(ada.conversation("Bob").get_by_label("Muted")).to_be_attached()
    expect(ada.page.locator(".banner")).to_have_count(0)


def test_a_cursor_that_the_server_does_not_know_begins_anew_and_loses_nothing(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("Before")
    ada.sees_state("Before", "Sent")
    refused = []

    def refuse(route):
        if refused or "last-event-id" not in route.request.headers:
            return route.continue_()
        refused.append(route.request.url)
        problem = {"type": "about:blank", "title": "Unknown cursor", "status": 422, "code": "validationFailed", "retryable": False}
        return route.fulfill(status=422, json=problem, content_type="application/problem+json")

    ada.page.route("**/v1/stream", refuse)
    ada.page.reload()
    ada.is_live()
    assert refused
    bob.open_conversation("Ada").sees("Before").say("After")
    ada.sees_all("Before", "After")


def test_where_storage_is_full_everything_works_for_the_page(stranger, people):
    [bob] = people(away=["Bob"])
    ada = stranger("Ada")
    ada.context.add_init_script(
        "IDBObjectStore.prototype.put = () => { throw new DOMException('There is no room', 'QuotaExceededError'); };")
    ada.join()
    ada.talk_to(bob).say("There is no room")
    ada.sees_state("There is no room", "Sent")
    ada.page.reload()
    ada.sees("There is no room")


def test_who_signs_out_without_a_network_is_signed_out_when_it_is_back(people):
    [ada] = people("Ada")
    ada.page.route("**/v1/auth/logout", lambda route: route.abort())
    ada.leave()
    # The browser has the session still, and the page does not let anybody in by it.
    assert ada.fetch("GET", "/v1/me")["status"] == 200
    ada.page.reload()
    expect(ada.button("Sign in")).to_be_visible()
    ada.page.unroute("**/v1/auth/logout")
    ada.until(lambda: ada.fetch("GET", "/v1/me")["status"] == 401)
    ada.sign_in()
    expect(ada.link("Chats")).to_be_visible()


def version(person):
    return person.page.locator('meta[name="parley-version"]').get_attribute("content")


def test_a_newer_page_is_loaded_when_nothing_would_be_lost(browser, tmp_path):
    folder = shutil.copytree(f"{ROOT}/Sources/Web/Client", tmp_path / "client")
    with Server("--limits", "off", "--web-dir", str(folder)) as server:
        ada, bob = Person(browser, server, "Ada").join(), Person(browser, server, "Bob").join()
        ada.talk_to(bob).say("Begun")
        bob.open_conversation("Ada").textbox("Message").fill("Half a sentence")
        ada.page.goto("/profile")
        ada.button("Change name").first.click()
        expect(ada.page.get_by_role("dialog")).to_be_visible()
        old = version(ada)
        with open(os.path.join(folder, "app.js"), "a") as file:
            file.write("// Newer.\n")
        server.restart()
        expect(ada.page.get_by_text("There is a newer version of this page")).to_be_visible(timeout=30_000)
        # Bob's draft is kept, so that his page is loaded.
        bob.until(lambda: version(bob) != old, seconds=30)
        expect(bob.textbox("Message")).to_have_value("Half a sentence")
        # What Ada has in her dialog would be lost.
        assert version(ada) == old
        ada.page.keyboard.press("Escape")
        ada.until(lambda: version(ada) != old, seconds=30)
        expect(ada.page.get_by_text("There is a newer version of this page")).to_be_hidden()
        assert ada.page.url.endswith("/profile")
        assert not ada.complaints and not bob.complaints


def test_nobody_is_online_as_far_as_one_who_is_offline_can_say(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("are you there").sees_state("are you there", "Delivered")
    online = ada.page.locator("parley-conversation-header").get_by_text("Online", exact=True)
    expect(online).to_be_visible()
    ada.context.set_offline(True)
    ada.page.evaluate("dispatchEvent(new Event('offline'))")
    expect(ada.page.get_by_text("You are offline")).to_be_visible()
    expect(online).to_be_hidden()
    ada.context.set_offline(False)
    expect(online).to_be_visible(timeout=60_000)


def test_a_page_opens_without_a_network_also_where_a_newer_worker_has_come_since(browser, tmp_path):
    folder = shutil.copytree(f"{ROOT}/Sources/Web/Client", tmp_path / "client")
    with Server("--limits", "off", "--web-dir", str(folder)) as server:
        ada, bob = Person(browser, server, "Ada").join(), Account(server, "Bob").join()
        bob.write_to(ada, "Kept here")
        ada.open_conversation("Bob").sees("Kept here")
        ada.keeps("timelines", "Kept here")
        keeps_its_files(ada)
        # As a notification has the browser look for it, while no page is open.
        ada.page.goto("/healthz")
        with open(os.path.join(folder, "app.js"), "a") as file:
            file.write("// Newer.\n")
        server.restart()
        ada.context.service_workers[0].evaluate("registration.update().then(() => true)")
        ada.until(lambda: ada.page.evaluate("""async () => {
            const {installing, waiting, active} = await navigator.serviceWorker.getRegistration('/');
            return !installing && !waiting && active.state === 'activated';
        }"""))
        ada.context.set_offline(True)
        ada.page.goto("/")
        ada.open_conversation("Bob").sees("Kept here")
        ada.context.set_offline(False)
        ada.is_live()
        ada.until(lambda: ada.page.evaluate("caches.keys().then((all) => all.length)") == 2)
        keeps_its_files(ada)
        ada.context.set_offline(True)
        ada.page.reload()
        ada.open_conversation("Bob").sees("Kept here")
        assert not ada.complaints, ada.complaints
        ada.context.close()
