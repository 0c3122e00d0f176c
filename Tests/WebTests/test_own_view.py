"""What of a conversation is one's own: counts, settings, marks, drafts; and who is there. The stream and the answers tell of
it, and either may come first."""

import re
from datetime import datetime, timedelta, timezone

from person import Account
from playwright.sync_api import expect
from test_cache import HELLO, ending
from test_lists import chat_menu


def holds_answers(person, pattern, method):
    """The server is asked at once, and what it answers waits. Returns what fills with it."""
    held = []

    def hold(route):
        if route.request.method != method:
            return route.continue_()
        return held.append((route, route.fetch()))

    person.page.route(pattern, hold)
    return held


def takes_in(person, held):
    """The answers that were held come, and the page does with them what it does."""
    for route, answer in held:
        with person.page.expect_event("requestfinished", lambda request: request == route.request):
            route.fulfill(response=answer)
    # Another answer comes after these, and takes a while of its own.
    person.page.evaluate("""async () => {
        await (await fetch('/healthz')).text();
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
    }""")


def test_an_answer_from_before_a_message_leaves_its_count(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path = ada.conversation_path()
    ada.textbox("Message").fill("begun")
    ada.until(lambda: ada.fetch("GET", path)["body"]["me"]["draft"] == "begun")
    ada.link("Chats").click()
    expect(ada.textbox("Message")).to_be_hidden()
    held = holds_answers(ada, f"**{path}", "GET")
    # With a draft, the conversation is asked for when it opens.
    ada.open_conversation("Bob")
    ada.until(lambda: held)
    ada.link("Chats").click()
    expect(ada.textbox("Message")).to_be_hidden()
    # With each receipt the counts are told again.
    ada.page.route("**/v1/receipts", lambda route: None)
    bob.write(path, "not read")
    expect(ada.conversation("Bob").get_by_text("1 unread message")).to_be_attached()
    # By the name the page shows that it has taken the answer in.
    for route, answer in held:
        route.fulfill(json=renamed(answer.json(), "Bob", "Robert"))
    expect(ada.conversation("Robert")).to_be_visible()
    expect(ada.conversation("Robert").get_by_text("1 unread message")).to_be_attached()


def test_a_receipt_that_is_answered_late_brings_no_count_back(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path = ada.conversation_path()
    ada.link("Chats").click()
    expect(ada.textbox("Message")).to_be_hidden()
    held = holds_answers(ada, "**/v1/receipts", "POST")
    bob.write(path, "read on the phone")
    ada.until(lambda: held)
    count = ada.conversation("Bob").get_by_text("1 unread message")
    expect(count).to_be_attached()
    phone = Account(ada.server, "Ada", ada.email).sign_in()
    phone.fetch("POST", "/v1/receipts", {"receipts": [{"conversationId": path.rpartition("/")[2], "readSeq": 2}]})
    expect(count).not_to_be_attached()
    takes_in(ada, held)
    expect(count).not_to_be_attached()


def renamed(conversation, name, other):
    """A conversation with a person of another name in it."""
    for person in [*conversation["participants"], *conversation.get("users", {}).values()]:
        if person["displayName"] == name:
            person["displayName"] = other
    return conversation


def test_a_change_of_settings_that_is_answered_late_leaves_what_another_device_has_changed(people):
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "hello")
    row = ada.conversation("Bob")
    expect(row).to_be_visible()
    held = holds_answers(ada, "**/me", "PATCH")
    chat_menu(ada, "Bob", "Pin to the top")
    ada.until(lambda: held)
    phone = Account(ada.server, ada.name, ada.email).sign_in()
    assert phone.fetch("PATCH", f"{path}/me", {"archived": True})["status"] == 200
    expect(row).to_have_count(0)
    takes_in(ada, held)
    expect(row).to_have_count(0)
    # What was changed here is told by the stream.
    ada.button("Archived").click()
    expect(row.get_by_label("Pinned")).to_be_attached()


def test_what_comes_while_a_conversation_is_cleared_shows_it_again(people):
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "hello")
    row = ada.conversation("Bob")
    expect(row).to_be_visible()
    held = holds_answers(ada, "**/me", "DELETE")
    chat_menu(ada, "Bob", "Remove from the list")
    ada.page.get_by_role("dialog").get_by_role("button", name="Remove from the list").click()
    ada.until(lambda: held)
    bob.write(path, "still here")
    expect(row).to_contain_text("still here")
    takes_in(ada, held)
    expect(row).to_contain_text("still here")


def test_what_is_marked_as_unread_while_a_receipt_is_answered_stays_so(people):
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "hello")
    expect(ada.conversation("Bob").get_by_text("1 unread message")).to_be_attached()
    held = []

    def hold(route):
        if not any("readSeq" in receipt for receipt in route.request.post_data_json["receipts"]):
            return route.continue_()
        return held.append((route, route.fetch()))

    ada.page.route("**/v1/receipts", hold)
    ada.open_conversation("Bob").sees("hello")
    ada.until(lambda: held)
    ada.link("Chats").click()
    expect(ada.textbox("Message")).to_be_hidden()
    phone = Account(ada.server, ada.name, ada.email).sign_in()
    assert phone.fetch("POST", f"{path}/unread", {"fromSeq": 1})["status"] == 200
    expect(ada.conversation("Bob").get_by_text("1 unread message")).to_be_attached()
    takes_in(ada, held)
    expect(ada.conversation("Bob").get_by_text("1 unread message")).to_be_attached()


def test_a_muting_that_ends_brings_its_count_into_the_title(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.page.clock.install()
    path = bob.write_to(ada, "hello")
    end = datetime.now(timezone.utc) + timedelta(seconds=8)
    assert ada.fetch("PATCH", f"{path}/me", {"mutedUntil": end.strftime("%Y-%m-%dT%H:%M:%SZ")})["status"] == 200
    expect(ada.conversation("Bob").get_by_label("Muted")).to_be_attached()
    expect(ada.page).to_have_title(re.compile(r"^[^(]"))
    ada.until(lambda: datetime.now(timezone.utc) > end)
    # Nobody looks at the clock all the time.
    ada.page.clock.fast_forward("00:30")
    expect(ada.page).to_have_title(re.compile(r"^\(1\) "))
    # Once, and not with each look at the clock.
    ada.page.clock.fast_forward("00:30")
    bob.write(path, "again")
    expect(ada.page).to_have_title(re.compile(r"^\(2\) "))


def test_what_was_written_right_before_the_page_goes_is_there_again(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    # Only this browser has it.
    ada.page.route("**/me", lambda route: route.abort() if route.request.method == "PATCH" else route.continue_())
    for number in range(4):
        ada.page.evaluate("""(text) => {
            const field = document.querySelector('textarea');
            field.value = text;
            field.dispatchEvent(new Event('input', {bubbles: true}));
            location.reload();
        }""", f"written {number}")
        expect(ada.textbox("Message")).to_have_value(f"written {number}", timeout=8_000)


def test_what_was_written_is_kept_when_the_page_is_hidden(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.page.clock.install()
    ada.talk_to(bob)
    # From here on, nothing comes to its time.
    ada.page.clock.pause_at(datetime.now(timezone.utc) + timedelta(minutes=1))
    with ada.page.expect_request(lambda request: request.method == "PATCH" and request.url.endswith("/me"), timeout=8_000):
        ada.page.evaluate("""() => {
            const field = document.querySelector('textarea');
            field.value = 'the last words';
            field.dispatchEvent(new Event('input', {bubbles: true}));
            Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true});
            document.dispatchEvent(new Event('visibilitychange'));
        }""")


def test_what_was_read_right_before_the_page_goes_was_read(people):
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "hello")
    expect(ada.conversation("Bob").get_by_text("1 unread message")).to_be_attached()
    # As soon as it is noted what was read, which goes out a moment later.
    ada.page.evaluate("""() => {
        const { put } = IDBObjectStore.prototype;
        IDBObjectStore.prototype.put = function (...parts) {
            if (this.name === 'receipts') location.href = 'about:blank';
            return put.apply(this, parts);
        };
    }""")
    ada.conversation("Bob").click()
    ada.page.wait_for_url("about:blank")
    message = bob.fetch("GET", f"{path}/messages")["body"]["items"][-1]["id"]
    ada.until(lambda: bob.fetch("GET", f"{path}/messages/{message}")["body"]["status"] == "read")


def test_the_page_of_a_person_follows_who_is_there_and_what_they_are_called(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).open_info()
    portrait = ada.page.locator(".portrait")
    expect(portrait.get_by_text("Online")).to_be_visible()
    assert bob.fetch("PUT", "/v1/me/presence", {"status": "away"})["status"] == 200
    expect(portrait.get_by_text("Away")).to_be_visible()
    for name in ("Robert", "Rupert"):
        assert bob.fetch("PATCH", "/v1/me", {"displayName": name})["status"] == 200
        expect(portrait.get_by_text(name)).to_be_visible()
    assert bob.fetch("PUT", "/v1/me/presence", {"status": "online"})["status"] == 200
    expect(portrait.get_by_text("Online")).to_be_visible()


def test_the_page_of_a_group_has_the_names_of_now(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Engines", bob, eve).open_info()
    expect(ada.page.get_by_role("listitem", name="Bob")).to_be_visible()
    # The first may come with the answer to what is still asked.
    for name in ("Robert", "Rupert"):
        assert bob.fetch("PATCH", "/v1/me", {"displayName": name})["status"] == 200
        expect(ada.page.get_by_role("listitem", name=name)).to_be_visible()


def test_that_somebody_is_away_is_said_again_where_that_failed(people):
    ada, bob = people("Ada", "Bob")
    bob.talk_to(ada)
    about = bob.page.locator(".conversation__words")
    expect(about.get_by_text("Online")).to_be_visible()
    failed = []

    def fail(route):
        if failed:
            return route.continue_()
        failed.append(route)
        return route.abort()

    ada.page.route("**/v1/me/presence", fail)
    ada.page.evaluate("""() => {
        Object.defineProperty(document, 'visibilityState', {value: 'hidden'});
        document.dispatchEvent(new Event('visibilitychange'));
    }""")
    expect(about.get_by_text("Away")).to_be_visible()
    assert failed


def test_who_has_gone_while_the_server_answered_is_not_there(people):
    ada, bob = people("Ada", "Bob")
    held = holds_answers(ada, "**/v1/presence/subscriptions", "PUT")
    ada.talk_to(bob)
    ada.until(lambda: any(item["presence"]["status"] == "online" for _, answer in held for item in answer.json()["items"]))
    about = ada.page.locator(".conversation__words")
    expect(about.get_by_text("Online")).to_be_visible()
    assert bob.fetch("PUT", "/v1/me/presence", {"status": "away"})["status"] == 200
    expect(about.get_by_text("Away")).to_be_visible()
    takes_in(ada, held)
    expect(about.get_by_text("Away")).to_be_visible()


def test_in_an_hour_is_in_an_hour_also_where_the_clock_is_set_back(people):
    ada, bob = people("Ada", away=["Bob"], timezone_id="Europe/Berlin")
    ada.page.clock.install()
    ada.talk_to(bob)
    # The server, which knows that it is another day, is not asked.
    asked = []
    ada.page.route("**/v1/**", lambda route: route.abort())

    def take(route):
        asked.append(route.request.post_data_json)
        route.fulfill(status=201, json={})

    ada.page.route("**/v1/scheduled/*", take)
    ada.textbox("Message").fill("good night")
    # At twenty to three, for the first time in this night.
    ada.page.clock.set_system_time(datetime(2027, 10, 31, 0, 40, tzinfo=timezone.utc))
    ada.button("Schedule").click()
    dialog = ada.page.get_by_role("dialog")
    dialog.get_by_role("button", name="In an hour").click()
    dialog.get_by_role("button", name="Schedule").click()
    expect(dialog).to_have_count(0)
    ada.until(lambda: asked)
    assert asked[0]["sendAt"] == "2027-10-31T01:40:00.000Z"


def test_a_page_of_the_list_from_before_a_message_leaves_that(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ids = [person.fetch("GET", "/v1/me")["body"]["id"] for person in (bob, eve)]
    paths = []
    for number in range(56):
        paths.append(f"/v1/conversations/{bob.new_id()}")
        assert ada.fetch("PUT", paths[-1], {"groupName": f"Engine {number:02}", "participantIds": ids})["status"] == 201
    ada.keeps("conversations", "Engine 55")
    head = bob.fetch("GET", "/v1/sync")["body"]["cursor"]
    ada.page.goto("about:blank")
    streams = []

    def stream(route):
        streams.append(route)
        if len(streams) > 1:
            return route.continue_()
        body = ending((None, "hello", HELLO), (head, "reset", {}))
        return route.fulfill(status=200, content_type="text/event-stream", body=body)

    ada.page.route("**/v1/stream", stream)
    held = holds_answers(ada, "**/v1/conversations?*", "GET")
    ada.page.goto("/")
    ada.until(lambda: held)
    ada.is_live()
    bob.write(paths[0], "to the top")
    expect(ada.conversation("Engine 00")).to_contain_text("to the top")
    for route, answer in held:
        page = answer.json()
        for conversation in page["items"]:
            if conversation["groupName"] == "Engine 01":
                conversation["groupName"] = "Engine of the page"
        route.fulfill(json=page)
    ada.textbox("Search").first.fill("Engine of the page")
    expect(ada.conversation("Engine of the page")).to_be_visible()
    ada.textbox("Search").first.fill("Engine 00")
    expect(ada.conversation("Engine 00")).to_contain_text("to the top")


def test_what_is_sent_after_the_clock_was_set_back_is_no_draft_any_more(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    path = ada.conversation_path()
    ada.textbox("Message").fill("written once")
    ada.until(lambda: ada.fetch("GET", path)["body"]["me"]["draft"] == "written once")
    ada.keeps("conversations", "written once")
    # An answer that was on its way for twenty seconds.
    then = (datetime.now(timezone.utc) - timedelta(seconds=20)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    ada.page.route("**/v1/receipts", lambda route: route.fulfill(json={"items": []}, headers={"Date": then}))
    # No other answer says what time it is.
    ada.page.route("**/messages/*", lambda route: None if route.request.method == "PUT" else route.continue_())
    before = ada.page.evaluate("localStorage['parley.clockAhead']")
    bob.write(path, "hello")
    ada.until(lambda: ada.page.evaluate("localStorage['parley.clockAhead']") != before)
    ada.textbox("Message").press("Enter")
    ada.sees("written once")
    expect(ada.textbox("Message")).to_have_value("")


def test_what_was_read_by_a_tab_that_was_killed_is_not_read_again_once_it_is_marked_as_unread(people):
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "hello")
    ada.open_conversation("Bob").sees("hello")
    ada.link("Chats").click()
    expect(ada.textbox("Message")).to_be_hidden()
    ada.until(lambda: ada.fetch("GET", path)["body"]["me"]["readSeq"] == 1 and ada.kept_keys("receipts") == [])
    # It has not seen the answer, and keeps what it has said.
    ada.page.evaluate("""(conversationId) => new Promise((done) => {
        indexedDB.open('parley').onsuccess = ({ target: { result: database } }) => {
            const transaction = database.transaction('receipts', 'readwrite');
            transaction.objectStore('receipts').put({conversationId, readSeq: 1});
            transaction.oncomplete = () => { database.close(); done(); };
        };
    })""", path.split("/")[-1])
    phone = Account(ada.server, ada.name, ada.email).sign_in()
    assert phone.fetch("POST", f"{path}/unread", {"fromSeq": 1})["status"] == 200
    ada.page.reload()
    ada.until(lambda: ada.kept_keys("receipts") == [])
    assert ada.fetch("GET", path)["body"]["me"]["markedUnread"]
    expect(ada.conversation("Bob").get_by_text("1 unread message")).to_be_attached()
