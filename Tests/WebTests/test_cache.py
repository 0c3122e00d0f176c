"""What this browser keeps of the server's, and what becomes of it."""

import json
import re

from person import KEPT, Account
from playwright.sync_api import expect
from test_conversation_tabs import HOLD_THE_DATABASE, LATE_JOIN

# Histories of a long time, of conversations that nobody has opened for years.
MANY_HISTORIES = """async () => {
    const database = await new Promise((resolve) => {
        const asked = indexedDB.open('parley');
        asked.onsuccess = () => resolve(asked.result);
    });
    const transaction = database.transaction('timelines', 'readwrite');
    for (let number = 0; number < 230; number += 1) {
        transaction.objectStore('timelines').put({conversationId: `old-${number}`, messages: [], segment: null, generation: 1, usedAt: number});
    }
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    database.close();
}"""


def test_histories_are_kept_of_the_200_conversations_that_were_used_last(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    ada.keeps("timelines", "hello")
    ada.page.evaluate(MANY_HISTORIES)
    ada.page.reload()
    ada.sees("hello")
    ada.until(lambda: len(ada.kept_keys("timelines")) <= 200)
    kept = ada.kept_keys("timelines")
    assert len(kept) == 200
    assert "old-229" in kept and "old-30" not in kept
    assert ada.conversation_path().split("/")[-1] in kept


def test_a_page_that_goes_between_a_reset_and_the_snapshot_misses_nothing(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("before").sees_state("before", "Sent")
    path = ada.conversation_path()
    ada.keeps("timelines", "before")
    ada.page.goto("about:blank")
    bob.open_conversation("Ada").say("missed").sees_state("missed", "Sent")
    head = bob.fetch("GET", "/v1/sync")["body"]["cursor"]
    asked = []

    def reset(route):
        blocks = ('event: hello\ndata: {"resumed": false, "heartbeatSeconds": 25, "serverTime": "2026-01-01T00:00:00.000Z"}\n\n'
                  f"id: {head}\nevent: reset\ndata: {{}}\n\n")
        route.fulfill(status=200, content_type="text/event-stream", body=blocks)

    ada.page.route("**/v1/stream", reset)
    ada.page.route("**/v1/sync?*", lambda route: asked.append(route))
    ada.page.goto("/")
    ada.until(lambda: asked)
    # Long enough for what came to be kept; the snapshot never comes.
    ada.page.evaluate("() => new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 500)))")
    ada.page.goto("about:blank")
    ada.page.unroute("**/v1/stream")
    ada.page.unroute("**/v1/sync?*")
    ada.page.goto("/")
    ada.is_live()
    expect(ada.conversation("Bob")).to_contain_text("missed")
    ada.open_conversation("Bob").sees_all("before", "missed")
    assert bob.fetch("GET", path)["status"] == 200


def test_a_history_that_is_ahead_of_the_stream_is_kept_in_its_order(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Engine", bob, eve).say("before").sees_state("before", "Sent")
    path, address = ada.conversation_path(), ada.page.url
    ada.keeps("timelines", "before")
    ada.page.goto("about:blank")
    # On another device of hers, so that nothing of it is unread, and the newest page is what is shown first.
    phone = Account(ada.server, ada.name, ada.email).sign_in()
    for number in range(0, 120, 60):
        texts = [{"text": f"number {number}"} for number in range(number, number + 60)]
        assert phone.fetch("POST", f"{path}/messages", {"messages": texts})["status"] == 201
        assert phone.fetch("PATCH", path, {"groupName": f"Engine {number}"})["status"] == 200
    held = []
    ada.page.route("**/v1/stream", lambda route: held.append(route))
    ada.page.goto(address)
    ada.sees("number 119").keeps("timelines", "number 119")
    ada.until(lambda: held)
    for route in held:
        route.continue_()
    ada.page.unroute("**/v1/stream")
    # What the stream tells now comes before that page.
    ada.is_live().say("after").sees_state("after", "Sent").keeps("timelines", "after").keeps("timelines", "number 119")
    end = ["number 118", "number 119", "You changed the group’s name to “Engine 60”", "after"]
    ada.until(lambda: ada.texts()[-4:] == end, what=ada.texts)
    ada.page.route("**/v1/**", lambda route: route.abort())
    ada.page.reload()
    ada.until(lambda: ada.texts()[-4:] == end, what=ada.texts)


def without_network(person):
    """What is kept, shown by a page that reaches no server."""
    person.page.route("**/v1/**", lambda route: route.abort())
    person.page.reload()
    expect(person.page.get_by_text("You are offline")).to_be_visible()


def test_who_came_and_went_after_a_message_does_not_make_it_read(people):
    ada, bob, eve, dan = people("Ada", away=["Bob", "Eve", "Dan"])
    ada.make_group("Engine", bob, eve).say("to two").sees_state("to two", "Sent").keeps("timelines", "to two")
    path = ada.conversation_path()
    receipt = {"conversationId": path.split("/")[-1], "readSeq": 1}
    assert bob.fetch("POST", "/v1/receipts", {"receipts": [receipt]})["status"] == 200
    member = f"{path}/participants/{dan.fetch('GET', '/v1/me')['body']['id']}"
    assert ada.fetch("PUT", member, {})["status"] == 201
    assert ada.fetch("DELETE", member)["status"] == 204
    ada.until(lambda: len(ada.texts()) == 4, what=ada.texts)
    ada.say("to two again").sees_state("to two again", "Sent").keeps("timelines", "to two again")
    expect(ada.message("to two").first).to_contain_text("Read by 1 of 2")
    without_network(ada)
    expect(ada.message("to two").first).to_contain_text("Read by 1 of 2")


def test_a_history_that_one_may_read_more_of_has_another_beginning(people):
    ada, bob, eve, dan = people("Ada", away=["Bob", "Eve", "Dan"])
    ids = [person.fetch("GET", "/v1/me")["body"]["id"] for person in (ada, eve, dan)]
    path = f"/v1/conversations/{bob.new_id()}"
    group = {"groupName": "Engine", "participantIds": ids[1:], "historyVisibility": "joined"}
    assert bob.fetch("PUT", path, group)["status"] == 201
    bob.write(path, "before Ada")
    assert bob.fetch("PUT", f"{path}/participants/{ids[0]}", {})["status"] == 201
    bob.write(path, "to Ada as well")
    ada.open_conversation("Engine").sees("to Ada as well").keeps("timelines", "to Ada as well")
    expect(ada.page.get_by_text("This is the beginning.")).to_be_visible()
    # More than a page, and all of it is kept.
    assert bob.fetch("POST", f"{path}/messages", {"messages": [{"text": f"number {number}"} for number in range(55)]})["status"] == 201
    ada.sees("number 54").keeps("timelines", "number 54")
    assert bob.fetch("PATCH", path, {"historyVisibility": "all"})["status"] == 200
    assert bob.fetch("PATCH", path, {"groupName": "Difference engine"})["status"] == 200
    ada.keeps("conversations", "Difference engine")
    ada.page.reload()
    ada.sees("number 54")

    def sees_the_beginning():
        ada.page.evaluate("() => (document.querySelector('.messages__scroll').scrollTop = 0)")
        return ada.message("before Ada").count() == 1

    ada.until(sees_the_beginning, what=ada.texts)


def test_who_came_in_the_same_moment_has_not_read_what_is_from_before(people):
    ada, bob, eve, dan = people("Ada", away=["Bob", "Eve", "Dan"])
    ada.make_group("Engine", bob, eve).say("to two").sees_state("to two", "Sent").keeps("timelines", "to two")
    path = ada.conversation_path()
    member = f"{path}/participants/{dan.fetch('GET', '/v1/me')['body']['id']}"
    ada.page.goto("about:blank")
    phone = Account(ada.server, ada.name, ada.email).sign_in()
    assert phone.fetch("PUT", member, {})["status"] == 201
    phone.write(path, "to three")
    for person in (bob, dan):
        receipt = {"conversationId": path.split("/")[-1], "readSeq": 2}
        assert person.fetch("POST", "/v1/receipts", {"receipts": [receipt]})["status"] == 200
    ada.page.goto("/")
    ada.is_live().keeps("timelines", "to three")
    ada.page.route("**/v1/**", lambda route: route.abort())
    ada.page.goto(path.removeprefix("/v1"))
    expect(ada.message("to two").first).to_contain_text("Read by 1 of 2")
    expect(ada.message("to three").first).to_contain_text("Read by 2 of 3")


def test_who_has_left_before_a_page_was_read_is_not_taken_from_it_again(people):
    ada, bob, eve, dan = people("Ada", away=["Bob", "Eve", "Dan"])
    ada.make_group("Engine", bob, eve, dan).say("to three").sees_state("to three", "Sent").keeps("timelines", "to three")
    path, address = ada.conversation_path(), ada.page.url
    ada.page.goto("about:blank")
    phone = Account(ada.server, ada.name, ada.email).sign_in()
    receipt = {"conversationId": path.split("/")[-1], "readSeq": 1}
    assert bob.fetch("POST", "/v1/receipts", {"receipts": [receipt]})["status"] == 200
    assert phone.fetch("DELETE", f"{path}/participants/{dan.fetch('GET', '/v1/me')['body']['id']}")["status"] == 204
    held = []
    ada.page.route("**/v1/stream", lambda route: held.append(route))
    ada.page.goto(address)
    expect(ada.message("to three").first).to_contain_text("Read by 1 of 2")
    ada.until(lambda: held)
    for route in held:
        route.continue_()
    ada.page.unroute("**/v1/stream")
    ada.is_live().say("after").sees_state("after", "Sent").keeps("timelines", "after")
    expect(ada.message("to three").first).to_contain_text("Read by 1 of 2")
    without_network(ada)
    expect(ada.message("to three").first).to_contain_text("Read by 1 of 2")


def ending(*blocks):
    """A stream that says this, and ends."""
    return "".join(f"{f'id: {cursor}{chr(10)}' if cursor else ''}event: {event}\ndata: {json.dumps(data)}\n\n" for cursor, event, data in blocks)


HELLO = {"resumed": True, "heartbeatSeconds": 25, "serverTime": "2026-01-01T00:00:00.000Z"}


def test_a_conversation_that_comes_to_the_top_while_the_list_comes_anew_stays_in_it(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ids = [person.fetch("GET", "/v1/me")["body"]["id"] for person in (bob, eve)]
    first = None
    for number in range(56):
        path = f"/v1/conversations/{bob.new_id()}"
        first = first or path
        assert ada.fetch("PUT", path, {"groupName": f"Engine {number:02}", "participantIds": ids})["status"] == 201
    ada.keeps("conversations", "Engine 55")
    head = bob.fetch("GET", "/v1/sync")["body"]["cursor"]
    ada.page.goto("about:blank")
    held, streams = [], []

    def stream(route):
        streams.append(route)
        if len(streams) > 1:
            return route.continue_()
        return route.fulfill(status=200, content_type="text/event-stream", body=ending((None, "hello", HELLO), (head, "reset", {})))

    ada.page.route("**/v1/stream", stream)
    ada.page.route("**/v1/conversations?*", lambda route: held.append(route))
    ada.page.goto("/")
    ada.until(lambda: held)
    ada.is_live()
    bob.write(first, "to the top")
    expect(ada.conversation("Engine 00")).to_contain_text("to the top")
    for route in held:
        route.continue_()
    ada.page.unroute("**/v1/conversations?*")
    # The last of the list is there: all of it has come.
    ada.page.wait_for_timeout(1_500)
    expect(ada.conversation("Engine 00")).to_contain_text("to the top")


def test_a_page_from_before_a_snapshot_shows_nothing_that_was_withdrawn_since(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("withdrawn").sees_state("withdrawn", "Sent").keeps("timelines", "withdrawn")
    path, address, withdrawn = ada.conversation_path(), ada.page.url, ada.said("withdrawn")["id"]
    ada.page.goto("about:blank")
    phone = Account(ada.server, ada.name, ada.email).sign_in()
    texts = [{"text": f"number {number}"} for number in range(30)]
    assert phone.fetch("POST", f"{path}/messages", {"messages": texts})["status"] == 201
    pages, streams = [], []

    def page(route):
        if pages:
            return route.continue_()
        return pages.append((route, route.fetch()))

    def stream(route):
        if streams:
            return route.continue_()
        return streams.append(route)

    ada.page.route("**/messages?*", page)
    ada.page.route("**/v1/stream", stream)
    ada.page.goto(address)
    ada.until(lambda: pages and streams)
    assert phone.fetch("DELETE", f"{path}/messages/{withdrawn}?for=everyone")["status"] == 204
    head = bob.fetch("GET", "/v1/sync")["body"]["cursor"]
    streams[0].fulfill(status=200, content_type="text/event-stream", body=ending((None, "hello", HELLO), (head, "reset", {})))
    ada.is_live()
    for route, answer in pages:
        route.fulfill(response=answer)
    ada.sees("number 29")
    ada.until(lambda: "withdrawn" not in ada.texts() and len(ada.texts()) > 25, seconds=8, what=ada.texts)
    ada.page.evaluate("() => (document.querySelector('.messages__scroll').scrollTop = 0)")
    ada.page.wait_for_timeout(1_000)
    assert "withdrawn" not in ada.texts(), ada.texts()
    without_network(ada)
    ada.sees("number 29")
    ada.page.evaluate("() => (document.querySelector('.messages__scroll').scrollTop = 0)")
    ada.page.wait_for_timeout(500)
    assert "withdrawn" not in ada.texts(), ada.texts()


# Another page of the same address, which holds what is kept of the stream until it is closed.
HOLD_WHAT_IS_KEPT = """() => new Promise((held) => {
    const opening = indexedDB.open('parley');
    opening.onsuccess = () => {
        const account = opening.result.transaction(['account', 'timelines'], 'readwrite').objectStore('account');
        const goOn = () => { account.count().onsuccess = goOn; held(); };
        goOn();
    };
})"""


def far_above(ada, bob, text):
    """A conversation of which more is kept than a page has. Returns its path, and the message that stands above the page."""
    ada.talk_to(bob).say(text).sees_state(text, "Sent").keeps("timelines", text)
    path = ada.conversation_path()
    texts = [{"text": f"number {number}"} for number in range(55)]
    assert bob.fetch("POST", f"{path}/messages", {"messages": texts})["status"] == 201
    ada.sees("number 54").keeps("timelines", "number 54").keeps("timelines", text)
    first = ada.fetch("GET", f"{path}/messages?around=1&limit=1")["body"]["items"][0]
    assert first["text"] == text
    return path, f"{path}/messages/{first['id']}"


def shows_the_beginning(person):
    def is_there():
        person.page.evaluate("() => (document.querySelector('.messages__scroll').scrollTop = 0)")
        return "number 0" in person.texts()

    person.until(is_there, what=person.texts)


def test_what_was_just_deleted_does_not_show_again_before_that_is_kept(people):
    ada, bob = people("Ada", away=["Bob"])
    path, first = far_above(ada, bob, "withdrawn")
    ada.page.goto("/")
    ada.is_live()
    holder = ada.context.new_page()
    holder.goto("/healthz")
    holder.evaluate(HOLD_WHAT_IS_KEPT)
    phone = Account(ada.server, ada.name, ada.email).sign_in()
    # One after the other, so that the second waits for the first to be kept.
    bob.write(path, "once")
    expect(ada.conversation("Bob")).to_contain_text("once")
    assert phone.fetch("DELETE", f"{first}?for=everyone")["status"] == 204
    bob.write(path, "changed twice")
    expect(ada.conversation("Bob")).to_contain_text("changed twice")
    ada.conversation("Bob").click()
    holder.close()
    ada.sees("changed twice")
    shows_the_beginning(ada)
    assert "withdrawn" not in ada.texts(), ada.texts()


def loses_the_stream(person):
    """Ends the stream. Returns the requests for one: the first gets no answer, those after it do."""
    streams = []

    def stream(route):
        streams.append(route)
        if len(streams) > 1:
            route.continue_()

    person.page.route("**/v1/stream", stream)
    person.page.evaluate("dispatchEvent(new Event('offline'))")
    person.until(lambda: streams)
    return streams


def begins_anew(stream, other):
    """Answers a request for the stream as a server does that knows no more what was missed."""
    head = other.fetch("GET", "/v1/sync")["body"]["cursor"]
    stream.fulfill(status=200, content_type="text/event-stream", body=ending((None, "hello", HELLO), (head, "reset", {})))


def say_a_lot(person, path):
    """More than is brought of a history at once."""
    for start in range(0, 300, 100):
        texts = [{"text": f"number {number}"} for number in range(start, start + 100)]
        assert person.fetch("POST", f"{path}/messages", {"messages": texts})["status"] == 201


# The first page of a history is read at once, and comes when it may.
LATE_PAGE = """{
    const { fetch } = window;
    let isFirst = true;
    window.fetch = async (address, options) => {
        const isLate = isFirst && /messages[?]limit=50$/.test(address);
        if (isLate) isFirst = false;
        const answer = await fetch(address, options);
        if (isLate) await new Promise((resolve) => (window.letPageCome = resolve));
        return answer;
    };
}"""


def test_what_comes_while_a_page_is_on_its_way_and_no_history_is_held_shows(people):
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "hello")
    ada.open_conversation("Bob").sees("hello").keeps("timelines", "hello")
    holder = ada.context.new_page()
    holder.goto("/healthz")
    holder.evaluate(HOLD_THE_DATABASE, ["timelines"])
    ada.page.add_init_script(LATE_PAGE)
    ada.page.reload()
    ada.is_live()
    # The newest page is asked for with each connection, whatever the database does.
    ada.context.set_offline(True)
    expect(ada.page.get_by_role("status").filter(has_text="You are offline.")).to_be_visible()
    ada.context.set_offline(False)
    ada.page.wait_for_function("() => Boolean(window.letPageCome)")
    ada.is_live()
    # By another device: it is none of the unread, which are asked for apart.
    ada.write(path, "good morning")
    expect(ada.conversation("Bob")).to_contain_text("good morning")
    holder.close()
    ada.sees("hello")
    ada.page.evaluate("letPageCome()")
    ada.sees_all("hello", "good morning")


def test_an_own_message_that_was_taken_before_a_snapshot_stands_in_its_place(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent").keeps("timelines", "hello")
    path, streams = ada.conversation_path(), loses_the_stream(ada)
    # The stream has not told what stands before it, and never will.
    bob.write(path, "before it")
    ada.say("mine").sees_state("mine", "Sent")
    say_a_lot(bob, path)
    begins_anew(streams[0], bob)
    ada.sees("number 299")
    ada.until(lambda: ada.texts()[-1] == "number 299", seconds=8, what=lambda: ada.texts()[-3:])
    # Also after all that a new connection brings.
    bob.write(path, "after")
    ada.until(lambda: ada.texts()[-2:] == ["number 299", "after"], seconds=8, what=lambda: ada.texts()[-3:])


def test_an_answer_that_was_lost_before_a_snapshot_shows_nothing_behind_what_has_come_since(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent").keeps("timelines", "hello")
    path, streams = ada.conversation_path(), loses_the_stream(ada)
    held = []

    def hold(route):
        return held.append((route, route.fetch())) if route.request.method == "PUT" else route.continue_()

    ada.page.route("**/messages/*", hold)
    ada.say("mine").sees("mine")
    ada.until(lambda: held)
    say_a_lot(bob, path)
    begins_anew(streams[0], bob)
    ada.sees("number 299")
    for route, answer in held:
        with ada.page.expect_response("**/messages/*"):
            route.fulfill(response=answer)
    bob.write(path, "after")
    ada.until(lambda: ada.texts()[-2:] == ["number 299", "after"], seconds=8, what=lambda: ada.texts()[-3:])


def asked_for_the_group(ada, path):
    """Opens a group with a draft, which is asked for anew, and leaves it. Returns what lets the answer come, renamed."""
    held = []
    ada.textbox("Message").fill("not finished")
    ada.keeps("drafts", "not finished")
    ada.page.goto("/")
    ada.is_live()
    ada.page.route(f"**{path}", lambda route: route.continue_() if held else held.append((route, route.fetch().json())))
    ada.open_conversation("Engine")
    ada.until(lambda: held)
    ada.link("Chats").click()
    expect(ada.textbox("Message")).to_be_hidden()

    def come():
        route, body = held[0]
        route.fulfill(json=body | {"groupName": "Answered"})
        expect(ada.conversation("Answered")).to_be_visible()

    return come


def test_an_answer_of_before_takes_no_count_from_the_list(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Engine", bob, eve).say("hello").sees_state("hello", "Sent")
    path = ada.conversation_path()
    come = asked_for_the_group(ada, path)
    # All that follows from it is over: that it was delivered, too.
    with ada.page.expect_response("**/v1/receipts"):
        bob.write(path, "not read")
    expect(ada.conversation("Engine").get_by_text("1 unread message")).to_be_attached()
    ada.keeps("conversations", '"deliveredSeq":2')
    come()
    expect(ada.conversation("Answered").get_by_text("1 unread message")).to_be_attached(timeout=5_000)


def test_an_answer_of_before_shows_no_message_that_was_deleted_since(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Engine", bob, eve).say("withdrawn").sees_state("withdrawn", "Sent")
    path, message = ada.conversation_path(), ada.said("withdrawn")
    come = asked_for_the_group(ada, path)
    assert ada.fetch("DELETE", f"{path}/messages/{message['id']}?for=everyone")["status"] == 204
    ada.until(lambda: "deletedAt" in kept_group(ada, path), what=lambda: kept_group(ada, path))
    come()
    ada.keeps("conversations", "Answered")
    assert "withdrawn" not in kept_group(ada, path)


def kept_group(person, path):
    return dict(person.page.evaluate(KEPT, "conversations"))[path.split("/")[-1]]


def many_groups(ada, *others):
    """More conversations than a snapshot has. Returns their paths; the oldest is that of Engine 00."""
    ids = [person.fetch("GET", "/v1/me")["body"]["id"] for person in others]
    paths = [f"/v1/conversations/{ada.new_id()}" for _ in range(56)]
    for number, path in enumerate(paths):
        assert ada.fetch("PUT", path, {"groupName": f"Engine {number:02}", "participantIds": ids})["status"] == 201
    return paths


def test_a_message_that_comes_before_a_page_of_the_list_stays_in_it(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    first = many_groups(ada, bob, eve)[0]
    ada.keeps("conversations", "Engine 55")
    streams, pages = loses_the_stream(ada), []
    ada.page.route("**/v1/conversations?*", lambda route: pages.append((route, route.fetch())))
    begins_anew(streams[0], bob)
    ada.until(lambda: pages)
    ada.is_live()
    bob.write(first, "to the top")
    expect(ada.conversation("Engine 00")).to_contain_text("to the top")
    expect(ada.conversation("Engine 00").get_by_text("1 unread message")).to_be_attached()
    for route, answer in pages:
        body = answer.json()
        # What is on no page is in the list no more: then all of it has come.
        body["items"] = [item for item in body["items"] if item["groupName"] != "Engine 01"]
        route.fulfill(json=body)
    expect(ada.conversation("Engine 01")).to_have_count(0)
    expect(ada.conversation("Engine 00")).to_contain_text("to the top")
    expect(ada.conversation("Engine 00").get_by_text("1 unread message")).to_be_attached()


def test_what_was_deleted_while_a_tab_began_does_not_show_in_it(people):
    ada, bob = people("Ada", away=["Bob"])
    path, first = far_above(ada, bob, "withdrawn")
    leading, address, ada.page = ada.page, ada.page.url, ada.context.new_page()
    ada.page.add_init_script(LATE_JOIN)
    ada.page.goto(address)
    ada.sees("number 54")
    ada.page.wait_for_function("() => Boolean(window.letJoin)")
    leading.evaluate("""() => {
        const tell = BroadcastChannel.prototype.postMessage;
        BroadcastChannel.prototype.postMessage = function (message) {
            if (message.type !== 'events') tell.call(this, message);
        };
        window.letTell = () => void (BroadcastChannel.prototype.postMessage = tell);
    }""")
    assert ada.fetch("DELETE", f"{first}?for=everyone")["status"] == 204
    ada.until(lambda: "withdrawn" not in str(ada.page.evaluate(KEPT, "timelines")))
    leading.evaluate("letTell()")
    ada.page.evaluate("letJoin()")
    ada.is_live()
    shows_the_beginning(ada)
    ada.until(lambda: "withdrawn" not in ada.texts(), seconds=8, what=ada.texts)


def test_a_conversation_that_could_not_be_asked_for_at_once_comes_a_moment_later(people, stranger):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path = ada.conversation_path()
    ada.page.goto("/")
    ada.is_live()
    ada.conversation("Bob").click(button="right")
    ada.page.get_by_role("menuitem", name="Remove from the list").click()
    ada.page.get_by_role("dialog").get_by_role("button").last.click()
    expect(ada.conversation("Bob")).to_have_count(0)
    # Another browser of hers, which knows nothing of it.
    phone, lost = stranger("Ada"), []
    phone.context.add_cookies(ada.context.cookies())
    phone.page.route(f"**{path}", lambda route: route.continue_() if lost else (lost.append(route), route.abort()))
    phone.page.goto("/")
    phone.is_live()
    bob.write(path, "again")
    expect(phone.conversation("Bob")).to_contain_text("again", timeout=10_000)
    assert lost


FORGET_HISTORIES = """async () => {
    const opening = indexedDB.open('parley');
    await new Promise((done) => (opening.onsuccess = done));
    const transaction = opening.result.transaction('timelines', 'readwrite');
    transaction.objectStore('timelines').clear();
    await new Promise((done) => (transaction.oncomplete = done));
    opening.result.close();
}"""


def test_a_page_that_was_read_again_before_a_snapshot_keeps_nothing_that_was_withdrawn_since(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("withdrawn").sees_state("withdrawn", "Sent")
    path, address, withdrawn = ada.conversation_path(), ada.page.url, ada.said("withdrawn")["id"]
    ada.page.goto("/")
    ada.is_live()
    texts = [{"text": f"number {number}"} for number in range(30)]
    assert bob.fetch("POST", f"{path}/messages", {"messages": texts})["status"] == 201
    expect(ada.conversation("Bob")).to_contain_text("number 29")

    def newest():
        return bob.fetch("GET", f"{path}/messages?limit=1")["body"]["items"][0]

    # A history may lag behind what is sent.
    ada.until(lambda: newest()["text"] == "number 29")
    last = newest()
    ada.page.evaluate(FORGET_HISTORIES)
    ada.page.reload()
    ada.is_live()
    pages = []

    def page(route):
        if len(pages) == 2:
            return route.abort()
        return pages.append((route, route.fetch()))

    ada.page.route("**/messages?*", page)
    ada.open_conversation("Bob")
    ada.until(lambda: pages)
    # A change of what is not held has this page asked for once more.
    assert bob.fetch("PATCH", f"{path}/messages/{last['id']}", {"text": "changed"})["status"] == 200
    expect(ada.conversation("Bob")).to_contain_text("changed")
    pages[0][0].fulfill(response=pages[0][1])
    ada.until(lambda: len(pages) == 2)
    streams = loses_the_stream(ada)
    assert ada.fetch("DELETE", f"{path}/messages/{withdrawn}?for=everyone")["status"] == 204
    begins_anew(streams[0], bob)
    ada.until(lambda: "changed" in ada.texts() and "withdrawn" not in ada.texts(), what=ada.texts)
    ada.is_live()
    with ada.page.expect_response("**/messages?*") as answer:
        pages[1][0].fulfill(response=pages[1][1])
    answer.value.finished()
    bob.write(path, "after")
    ada.sees("after").keeps("timelines", "after")
    assert "withdrawn" not in str(ada.page.evaluate(KEPT, "timelines"))


# Another transaction has the account, until it lets go of it.
HOLD_ACCOUNT = """() => new Promise((resolve) => {
    const asked = indexedDB.open('parley');
    asked.onsuccess = () => {
        const accounts = asked.result.transaction('account', 'readwrite').objectStore('account');
        window.isHeld = true;
        const goOn = () => window.isHeld ? (accounts.get('account').onsuccess = goOn) : asked.result.close();
        goOn();
        resolve();
    };
})"""


def test_what_came_before_a_snapshot_is_kept_before_it(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path = ada.conversation_path()
    ada.keeps("timelines", "hello")
    ada.page.evaluate(HOLD_ACCOUNT)
    for text in ("one", "two"):
        bob.write(path, text)
        ada.sees(text)
    streams, snapshots = [], []
    ada.page.route("**/v1/stream", lambda route: streams.append(route))
    ada.page.on("response", lambda answer: "/v1/sync?" in answer.url and snapshots.append(answer))
    ada.page.evaluate("dispatchEvent(new Event('offline'))")
    ada.until(lambda: streams)
    bob.write(path, "three")
    reset = ('event: hello\ndata: {"resumed": false, "heartbeatSeconds": 25, "serverTime": "2026-01-01T00:00:00.000Z"}\n\n'
             "event: reset\ndata: {}\n\n")
    streams[0].fulfill(status=200, content_type="text/event-stream", body=reset)
    ada.sees("three")
    ada.page.evaluate("window.isHeld = false")
    # The snapshot is kept before what has happened since is asked for.
    ada.until(lambda: len(streams) > 1)
    [(_, account)] = ada.page.evaluate(KEPT, "account")
    assert json.loads(account)["cursor"] == snapshots[-1].json()["cursor"]
