"""The tabs of one browser: one stream for all of them, and another tab takes over."""

import pytest
from playwright.sync_api import expect


class Tab:
    """Another page of the same person."""

    def __init__(self, person, path):
        self.page = person.context.new_page()
        self.streams = []
        self.page.on("request", lambda request: self.streams.append(request) if "/v1/stream" in request.url else None)
        self.page.goto(path)

    def message(self, text):
        return self.page.get_by_role("list", name="Messages").get_by_role("listitem").filter(has_text=text)

    def sees(self, text):
        expect(self.message(text).first).to_be_visible(timeout=30_000)


def test_seven_tabs_have_one_stream_and_all_see_what_happens(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    address = ada.page.url
    tabs = [Tab(ada, address) for _ in range(6)]
    for tab in tabs:
        tab.sees("hello")
    bob.open_conversation("Ada").say("to all seven")
    ada.sees("to all seven")
    for tab in tabs:
        tab.sees("to all seven")
    assert all(tab.streams == [] for tab in tabs)


def test_another_tab_takes_over_when_the_leading_one_goes(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    second, third = Tab(ada, ada.page.url), Tab(ada, ada.page.url)
    second.sees("hello")
    third.sees("hello")
    ada.page.close()
    bob.open_conversation("Ada").say("who leads now?")
    second.sees("who leads now?")
    third.sees("who leads now?")
    assert len(second.streams) + len(third.streams) == 1
    ada.page = second.page


# A browser that is busy gives a tab its own lock late.
LATE_LOCK = """{
    const request = LockManager.prototype.request;
    LockManager.prototype.request = async function (name, ...rest) {
        if (name.startsWith('parley-tab-')) await new Promise((resolve) => setTimeout(resolve, 2_000));
        return request.call(this, name, ...rest);
    };
}"""


def test_what_a_tab_wanted_to_know_is_not_asked_for_once_it_is_closed(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    path = ada.page.url
    ada.page.goto("/profile")
    ada.is_live()
    asked = []
    ada.page.on("request", lambda request: asked.append(request.post_data_json["userIds"]) if "presence/subscriptions" in request.url else None)
    other = ada.context.new_page()
    other.add_init_script(LATE_LOCK)
    other.goto(path)
    ada.until(lambda: asked and len(asked[-1]) > 0, what=lambda: asked)
    other.wait_for_timeout(2_500)
    assert len(asked[-1]) > 0
    other.close()
    ada.until(lambda: asked[-1] == [], what=lambda: asked)


def test_what_is_sent_in_a_tab_that_does_not_lead_goes_out_and_shows_in_the_others(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    second = Tab(ada, ada.page.url)
    second.sees("hello")
    second.page.get_by_role("textbox", name="Message").fill("from the second")
    second.page.get_by_role("textbox", name="Message").press("Enter")
    second.sees("from the second")
    ada.sees("from the second")
    bob.open_conversation("Ada").sees("from the second")
    ada.sees_state("from the second", "Read")
    expect(second.message("from the second").first.get_by_role("img", name="Read")).to_be_attached()


def test_signing_out_in_one_tab_signs_out_in_all(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("secret").sees_state("secret", "Sent")
    second = Tab(ada, ada.page.url)
    second.sees("secret")
    ada.leave()
    expect(second.page.get_by_role("button", name="Sign in")).to_be_visible()
    expect(second.page.get_by_text("secret")).to_have_count(0)
    # Nothing of it is left in the browser.
    kept = ada.page.evaluate("""async () => {
        const db = await new Promise((done) => { const open = indexedDB.open('parley'); open.onsuccess = () => done(open.result); });
        let count = 0;
        for (const name of db.objectStoreNames) {
            count += await new Promise((done) => { const ask = db.transaction(name).objectStore(name).count(); ask.onsuccess = () => done(ask.result); });
        }
        db.close();
        return count;
    }""")
    assert kept == 0


# Another page of the same address, which holds what the client wants to write to until it is closed.
HOLD_THE_DATABASE = """(stores) => new Promise((held) => {
    const opening = indexedDB.open('parley');
    opening.onsuccess = () => {
        const names = stores ?? ['outbox', 'drafts'];
        const rows = opening.result.transaction(names, 'readwrite').objectStore(names[0]);
        const goOn = () => { rows.count().onsuccess = goOn; held(); };
        goOn();
    };
})"""

# What is noted of what is unsent.
NOTED = "Object.keys(localStorage).filter((key) => key.startsWith('parley.unsent.'))"


def test_what_is_on_the_screen_is_kept_also_where_the_tab_is_closed_before_the_database_has_it(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path, address = ada.conversation_path(), ada.page.url
    holder = ada.context.new_page()
    holder.goto("/healthz")
    holder.evaluate(HOLD_THE_DATABASE)
    ada.page.route("**/messages/*", lambda route: route.abort())
    ada.say("pressed and gone").sees("pressed and gone")
    ada.page.close()
    holder.close()
    ada.page = ada.context.new_page()
    ada.page.goto(address)
    ada.sees("pressed and gone").sees_state("pressed and gone", "Sent")
    texts = [item.get("text") for item in bob.fetch("GET", f"{path}/messages")["body"]["items"]]
    assert texts.count("pressed and gone") == 1
    # It is noted no longer.
    ada.until(lambda: ada.page.evaluate(NOTED) == [])


def test_what_the_leading_tab_has_told_and_not_kept_is_kept_by_the_next_one(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("withdrawn").say("stays").sees_state("stays", "Sent").keeps("timelines", "stays")
    leading, second = ada.page, Tab(ada, ada.page.url)
    second.sees("stays")
    holder = ada.context.new_page()
    holder.goto("/healthz")
    holder.evaluate(HOLD_THE_DATABASE, ["account", "timelines"])
    assert ada.fetch("DELETE", f"{ada.conversation_path()}/messages/{ada.said('withdrawn')['id']}")["status"] == 204
    expect(second.message("withdrawn")).to_have_count(0)
    leading.close()
    holder.close()
    ada.page = second.page
    ada.until(lambda: second.streams)
    ada.is_live().say("after").sees_state("after", "Sent").keeps("timelines", "after")
    ada.page.route("**/v1/**", lambda route: route.abort())
    ada.page.reload()
    ada.sees("stays").sees("after")
    expect(ada.message("withdrawn")).to_have_count(0)


def test_what_is_written_without_a_network_goes_to_the_database(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    ada.page.route("**/messages/*", lambda route: route.abort())
    ada.say("for later").sees("for later")
    ada.until(lambda: ada.page.evaluate(NOTED) == [])
    # It is tried again and again, and noted no more.
    for _ in range(30):
        ada.page.wait_for_timeout(100)
        assert ada.page.evaluate(NOTED) == []
    ada.page.unroute("**/messages/*")
    ada.page.reload()
    ada.sees("for later").sees_state("for later", "Sent")


def test_the_leading_tab_sends_what_another_has_noted_before_it_was_killed(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    second = Tab(ada, ada.page.url)
    second.sees("hello")
    # Noted, and gone before it has told anybody.
    second.page.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
    second.page.get_by_role("textbox", name="Message").fill("last words")
    second.page.get_by_role("textbox", name="Message").press("Enter")
    second.sees("last words")
    second.page.close()
    ada.sees("last words").sees_state("last words", "Sent")
    bob.open_conversation("Ada").sees("last words")


def test_what_was_on_its_way_when_somebody_signed_out_is_never_sent_by_the_next_person(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path, held = ada.conversation_path(), []
    ada.page.route("**/messages/*", lambda route: held.append(route) if route.request.method == "PUT" else route.continue_())
    ada.page.route("**/auth/logout", lambda route: route.abort())
    ada.say("only Ada says this").sees("only Ada says this")
    ada.until(lambda: held)
    ada.leave()
    for route in held:
        route.abort()
    ada.page.unroute("**/messages/*")
    with ada.page.expect_response("**/auth/logout"):
        ada.page.unroute("**/auth/logout")
    ada.textbox("Email").fill(bob.email)
    ada.password.fill("correct horse")
    ada.button("Sign in").click()
    ada.is_live()
    # What is written now goes out, and nothing before it.
    ada.open_conversation("Ada").say("Bob speaks").sees_state("Bob speaks", "Sent")
    items = bob.fetch("GET", f"{path}/messages")["body"]["items"]
    assert "only Ada says this" not in [item.get("text") for item in items]
    assert ada.page.evaluate(NOTED) == []


def test_a_tab_that_tries_again_while_another_signs_out_leaves_nothing_behind(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    ada.context.route("**/messages/*", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    ada.context.route("**/auth/logout", lambda route: route.abort())
    ada.say("secret").sees("secret")
    ada.page = ada.context.new_page()
    ada.page.goto("/")
    ada.is_live()
    ada.link("Profile").click()
    ada.button("Sign out").click()
    holder = ada.context.new_page()
    holder.goto("/healthz")
    holder.evaluate(HOLD_THE_DATABASE)
    ada.page.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    # Long enough for the leading tab to try again.
    ada.page.wait_for_timeout(4_000)
    holder.close()
    expect(ada.button("Sign in")).to_be_visible()
    ada.until(lambda: ada.page.evaluate(NOTED) == [])


def test_what_was_sent_by_a_tab_that_was_killed_is_no_draft_any_more(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    address = ada.page.url
    ada.textbox("Message").fill("pressed and gone")
    ada.keeps("drafts", "pressed and gone")
    holder = ada.context.new_page()
    holder.goto("/healthz")
    holder.evaluate(HOLD_THE_DATABASE)
    ada.page.route("**/messages/*", lambda route: route.abort())
    ada.textbox("Message").press("Enter")
    ada.sees("pressed and gone")
    ada.page.close()
    holder.close()
    ada.page = ada.context.new_page()
    ada.page.goto(address)
    ada.sees("pressed and gone").sees_state("pressed and gone", "Sent")
    expect(ada.textbox("Message")).to_have_value("")


def test_a_change_of_what_is_unsent_goes_out_also_where_the_leading_tab_goes(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    leading, second = ada.page, Tab(ada, ada.page.url)
    second.sees("hello")
    ada.context.route("**/messages/*", lambda route: route.abort() if route.request.method in ("PUT", "PATCH") else route.continue_())
    ada.say_unsent("tpyo").sees("tpyo")
    ada.chooses("tpyo", "Edit")
    ada.textbox("Message").fill("typo mended")
    ada.textbox("Message").press("Enter")
    ada.sees("typo mended")
    second.sees("typo mended")
    leading.close()
    ada.page = second.page
    ada.context.unroute("**/messages/*")
    bob.open_conversation("Ada").sees("typo mended")


def test_who_is_blocked_in_one_tab_cannot_be_written_to_in_another(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    second = Tab(ada, ada.page.url)
    second.sees("hello")
    text = second.page.get_by_role("textbox", name="Message", exact=True)
    expect(text).to_be_visible()
    other = bob.fetch("GET", "/v1/me")["body"]["id"]
    assert ada.fetch("PUT", f"/v1/blocks/{other}")["status"] in (200, 201, 204)
    expect(text).to_be_hidden()
    expect(ada.textbox("Message")).to_be_hidden()


def test_what_the_leading_tab_is_sending_can_be_withdrawn_in_another(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path, held = ada.conversation_path(), []
    leading, second = ada.page, Tab(ada, ada.page.url)
    second.sees("hello")
    leading.route("**/messages/*", lambda route: held.append(route) if route.request.method == "PUT" else route.continue_())
    ada.say("withdrawn")
    second.sees("withdrawn")
    ada.until(lambda: held)
    ada.page = second.page
    ada.chooses("withdrawn", "Delete")
    expect(second.message("withdrawn")).to_have_count(0)
    ada.page = leading
    for route in held:
        route.continue_()
    leading.unroute("**/messages/*")
    ada.say("after").sees_state("after", "Sent")
    ada.until(lambda: "withdrawn" not in [item.get("text") for item in bob.fetch("GET", f"{path}/messages")["body"]["items"]])
    expect(ada.message("withdrawn")).to_have_count(0)
    expect(second.message("withdrawn")).to_have_count(0)


def test_an_answer_that_comes_late_leaves_the_count_of_what_has_come_since(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path, held, second = ada.conversation_path(), [], Tab(ada, ada.page.url)
    second.sees("hello")
    ada.link("Chats").click()
    second.page.route("**/v1/receipts", lambda route: held.append((route, route.fetch())))
    bob.write(path, "read at once")
    second.sees("read at once")
    ada.until(lambda: held)
    ada.page = second.page
    ada.link("Chats").click()
    expect(ada.textbox("Message")).to_be_hidden()
    bob.write(path, "not read")
    count = ada.conversation("Bob").get_by_text("1 unread message")
    expect(count).to_be_attached()
    for route, answer in held:
        with ada.page.expect_response("**/v1/receipts"):
            route.fulfill(response=answer)
    ada.page.wait_for_timeout(500)
    expect(count).to_be_attached()


# Another page of the same address, which hears what the tabs tell each other, and can say it once more.
LISTEN = """(name) => {
    window.channel = new BroadcastChannel('parley');
    channel.onmessage = ({data}) => { if (data.events?.some(({event}) => event === name)) window.late = data; };
}"""


def test_what_the_tab_that_led_before_tells_late_is_kept_all_the_same(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("withdrawn").say("stays").sees_state("stays", "Sent").keeps("timelines", "stays")
    path, leading, second, asked = ada.conversation_path(), ada.page, Tab(ada, ada.page.url), []
    second.sees("stays")
    holder, listener = ada.context.new_page(), ada.context.new_page()
    for page in (holder, listener):
        page.goto("/healthz")
    listener.evaluate(LISTEN, "message.deleted")
    holder.evaluate(HOLD_THE_DATABASE, ["account", "timelines"])
    assert ada.fetch("DELETE", f"{path}/messages/{ada.said('withdrawn')['id']}")["status"] == 204
    expect(second.message("withdrawn")).to_have_count(0)
    listener.wait_for_function("window.late")
    second.page.route("**/v1/stream", lambda route: asked.append(route))
    leading.close()
    holder.close()
    ada.page = second.page
    ada.until(lambda: asked)
    ada.page.evaluate("() => { new BroadcastChannel('parley').onmessage = () => (window.isTold = true); }")
    listener.evaluate("channel.postMessage(window.late)")
    ada.page.wait_for_function("window.isTold")
    # The stream does not come about at once.
    for route in asked:
        route.abort()
    ada.page.unroute("**/v1/stream")
    bob.write(path, "after")
    ada.sees("after").keeps("timelines", "after")
    ada.page.route("**/v1/**", lambda route: route.abort())
    ada.page.reload()
    ada.sees("stays").sees("after")
    expect(ada.message("withdrawn")).to_have_count(0)


# What a tab tells the others waits on its way for as long as it says so.
SLOW_CHANNEL = """() => {
    const tell = BroadcastChannel.prototype.postMessage;
    const waiting = [];
    BroadcastChannel.prototype.postMessage = function (message) { waiting.push([this, message]); };
    window.letTell = () => {
        BroadcastChannel.prototype.postMessage = tell;
        for (const [channel, message] of waiting) tell.call(channel, message);
    };
}"""


def two_unsent_messages(ada):
    """The first is on its way from the leading tab, and the second waits for it; what the other tab tells comes late. Returns
    the requests that wait, and that tab."""
    held, second = [], Tab(ada, ada.page.url)
    second.sees("hello")
    ada.page.route("**/messages/*", lambda route: held.append(route) if route.request.method == "PUT" else route.continue_())
    ada.say("first").sees("first")
    ada.until(lambda: held)
    ada.say("tpyo")
    second.sees("tpyo")
    second.page.evaluate(SLOW_CHANNEL)
    return held, second


def texts_of(person, path):
    return [item.get("text") for item in person.fetch("GET", f"{path}/messages")["body"]["items"]]


def edit_in(person, page, text, changed):
    leading, person.page = person.page, page
    person.chooses(text, "Edit")
    person.textbox("Message").fill(changed)
    person.textbox("Message").press("Enter")
    person.sees(changed)
    person.page = leading


@pytest.mark.parametrize("is_answered", [False, True])
def test_a_change_goes_out_also_where_the_message_has_just_gone_from_another_tab(people, is_answered):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path = ada.conversation_path()
    held, second = two_unsent_messages(ada)
    edit_in(ada, second.page, "tpyo", "typo mended")
    held[0].continue_()
    ada.until(lambda: len(held) == 2)
    if is_answered:
        held[1].continue_()
        ada.sees_state("tpyo", "Sent")
    second.page.evaluate("letTell()")
    if not is_answered:
        ada.sees("typo mended")
        held[1].continue_()
    ada.sees("typo mended").sees_state("typo mended", "Sent")
    second.sees("typo mended")
    ada.until(lambda: texts_of(bob, path) == ["hello", "first", "typo mended"], what=lambda: texts_of(bob, path))


@pytest.mark.parametrize("is_answered", [False, True])
def test_what_was_withdrawn_is_so_also_where_it_has_just_gone_from_another_tab(people, is_answered):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path = ada.conversation_path()
    held, second = two_unsent_messages(ada)
    leading, ada.page = ada.page, second.page
    ada.chooses("tpyo", "Delete")
    expect(second.message("tpyo")).to_have_count(0)
    ada.page = leading
    held[0].continue_()
    ada.until(lambda: len(held) == 2)
    if is_answered:
        held[1].continue_()
        ada.sees_state("tpyo", "Sent")
    second.page.evaluate("letTell()")
    if not is_answered:
        expect(ada.message("tpyo")).to_have_count(0)
        held[1].continue_()
    ada.page.unroute("**/messages/*")
    ada.say("after").sees_state("after", "Sent")
    ada.until(lambda: texts_of(bob, path) == ["hello", "first", None, "after"], what=lambda: texts_of(bob, path))
    expect(ada.message("tpyo")).to_have_count(0)
    expect(second.message("tpyo")).to_have_count(0)


def test_what_was_withdrawn_on_its_way_and_refused_holds_up_nothing(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    held = []
    ada.page.route("**/messages/*", lambda route: held.append(route) if route.request.method == "PUT" else route.continue_())
    ada.say("refused").sees("refused")
    ada.until(lambda: held)
    ada.chooses("refused", "Delete")
    expect(ada.message("refused")).to_have_count(0)
    held[0].fulfill(status=403, content_type="application/problem+json", body='{"code": "forbidden"}')
    ada.page.unroute("**/messages/*")
    ada.say("after").sees_state("after", "Sent")
    expect(ada.message("refused")).to_have_count(0)


def test_the_rest_of_the_list_comes_to_all_tabs(stranger, people):
    bob, eve = people(away=["Bob", "Eve"])
    ada = stranger("Ada").join()
    ids = [person.fetch("GET", "/v1/me")["body"]["id"] for person in (bob, eve)]
    for number in range(56):
        group = {"groupName": f"Engine {number:02}", "participantIds": ids}
        assert ada.fetch("PUT", f"/v1/conversations/{ada.new_id()}", group)["status"] == 201
    fresh, held = stranger("Ada"), []
    fresh.context.add_cookies(ada.context.cookies())
    fresh.page.route("**/v1/conversations?*", lambda route: held.append(route))
    fresh.page.goto("/")
    fresh.is_live()
    fresh.until(lambda: held)
    leading, fresh.page = fresh.page, fresh.context.new_page()
    fresh.page.goto("/")
    fresh.is_live()
    for route in held:
        route.continue_()
    # The list draws what fills the window.
    fresh.textbox("Search").fill("Engine 00")
    expect(fresh.conversation("Engine 00")).to_be_visible(timeout=8_000)


# What the tab begins with it has from the database; it hears the leading one late.
LATE_JOIN = """{
    const tell = BroadcastChannel.prototype.postMessage;
    BroadcastChannel.prototype.postMessage = function (message) {
        if (message.type !== 'join') return tell.call(this, message);
        window.letJoin = () => tell.call(this, message);
    };
}"""


def test_a_tab_that_leads_before_it_was_told_anything_misses_nothing(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent").keeps("timelines", "hello")
    path, second = ada.conversation_path(), ada.context.new_page()
    ada.page.goto("/")
    ada.is_live()
    second.add_init_script(LATE_JOIN)
    second.goto("/")
    second.wait_for_function("() => Boolean(window.letJoin)")
    leading, ada.page = ada.page, second
    leading.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
    bob.write(path, "missed")
    ada.page = leading
    ada.keeps("conversations", "missed")
    leading.close()
    ada.page = second
    ada.is_live()
    expect(ada.conversation("Bob")).to_contain_text("missed", timeout=8_000)


def test_what_was_read_without_a_network_stays_read_where_another_tab_has_seen_less(people):
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "number 0")
    texts = [{"text": f"number {number}"} for number in range(1, 60)]
    assert bob.fetch("POST", f"{path}/messages", {"messages": texts})["status"] == 201
    expect(ada.conversation("Bob").get_by_text("60 unread messages")).to_be_attached()
    # No mark reaches the server.
    ada.context.route("**/v1/receipts", lambda route: route.abort())
    ada.open_conversation("Bob").sees("number 0")
    ada.page.get_by_role("button", name="Go to the newest message").click()
    ada.keeps("receipts", '"readSeq":60')
    second = ada.context.new_page()
    with second.expect_request("**/v1/receipts"):
        second.goto(ada.page.url)
    expect(second.get_by_text("Unread messages", exact=True)).to_be_visible()
    ada.page.close()
    second.close()
    ada.context.unroute("**/v1/receipts")
    ada.page = ada.context.new_page()
    ada.page.goto("/")
    ada.is_live()
    expect(ada.conversation("Bob")).not_to_contain_text("unread")


# What is to be tried again later is not.
WAIT_FOR_EVER = """() => {
    const wait = window.setTimeout;
    window.setTimeout = (act, time, ...rest) => (time >= 200 ? 0 : wait(act, time, ...rest));
}"""


def test_the_leading_tab_tries_anew_when_somebody_looks_at_another_one(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path, second = ada.conversation_path(), Tab(ada, ada.page.url)
    second.sees("hello")
    ada.page.evaluate(WAIT_FOR_EVER)
    ada.page.evaluate("dispatchEvent(new Event('offline'))")
    bob.write(path, "said meanwhile")

    def is_seen():
        second.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        return second.message("said meanwhile").count() == 1

    # Until the leading tab waits, nothing wakes it.
    ada.until(is_seen, seconds=10)
