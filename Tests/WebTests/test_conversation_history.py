"""Long histories: the reader's place, what is unread, what is far away, and what a gap is not."""

import re
import uuid

from playwright.sync_api import expect


def converse(people, count, prefix="number"):
    """Two people, the first of whom has said a lot; the second has not looked yet."""
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    path = ada.conversation_path()
    for start in range(0, count, 100):
        texts = [{"text": f"{prefix} {number}"} for number in range(start, min(start + 100, count))]
        assert ada.fetch("POST", f"{path}/messages", {"messages": texts})["status"] == 201
    return ada, bob, path


def rows(person):
    return person.messages.get_by_role("listitem")


def scroll(person, top):
    person.page.evaluate("top => { const box = document.querySelector('.messages__scroll'); box.scrollTop = top < 0 ? box.scrollHeight : top; }", top)


def scroll_until(person, top, holds):
    """Goes on scrolling to a place, as what comes there moves it away, until something holds."""

    def is_there():
        scroll(person, top)
        return holds()

    person.until(is_there, seconds=60)


# The text and place of the first row that reaches into the list.
FIRST_ON_SCREEN = """() => {
    const top = document.querySelector('.messages__scroll').getBoundingClientRect().top;
    const row = [...document.querySelectorAll('.message')].find((each) => each.getBoundingClientRect().bottom > top + 1);
    return [row.getAttribute('aria-label'), Math.round(row.getBoundingClientRect().top - top)];
}"""


def first_on_screen(person):
    return person.page.evaluate(FIRST_ON_SCREEN)


def test_the_newest_messages_show_first_and_older_ones_come_while_scrolling(people):
    ada, bob, _ = converse(people, 450)
    ada.page.reload()
    expect(rows(ada).last).to_have_accessible_name("number 449")
    scroll_until(ada, 0, ada.page.get_by_text("This is the beginning.").is_visible)
    expect(rows(ada).first).to_have_accessible_name("number 0")
    assert rows(ada).count() <= 400


def test_the_place_of_the_reader_stays_when_older_messages_come_above(people):
    ada, bob, _ = converse(people, 300)
    ada.page.reload()
    expect(rows(ada).last).to_have_accessible_name("number 299")
    # Looked at in the same turn as the scrolling, so that nothing can have come between.
    before, known = ada.page.evaluate(f"""() => {{
        const box = document.querySelector('.messages__scroll');
        // To 700 px below the first row that is there; above it is room for those that are to come.
        box.scrollTop += document.querySelector('.message').getBoundingClientRect().top - box.getBoundingClientRect().top + 700;
        return [({FIRST_ON_SCREEN})(), document.querySelector('.message').getAttribute('aria-label')];
    }}""")
    # Not more of them, where the page has as many as it may: those at the other end go.
    ada.page.wait_for_function("known => document.querySelector('.message').getAttribute('aria-label') !== known", arg=known)
    after = first_on_screen(ada)
    assert after[0] == before[0]
    assert abs(after[1] - before[1]) <= 2


# Scrolls up until rows come that have no tools, and goes to one of those: what it has in the same turn, and whether it and its
# bubble are where they were, and as large.
REACH_NEW_ROW = """async () => {
    const box = document.querySelector('.messages__scroll');
    for (let frame = 0; frame < 300; frame += 1) {
        const row = [...document.querySelectorAll('.message')].find((each) => !each.querySelector('.message__tools button'));
        if (row) {
            const place = () => JSON.stringify([row, row.querySelector('.bubble')].map((each) => each.getBoundingClientRect()));
            const before = place();
            row.focus({preventScroll: true});
            return [row.querySelectorAll('.message__tools button').length, place() === before];
        }
        box.scrollTop -= 200;
        await new Promise(requestAnimationFrame);
    }
}"""


def test_what_can_be_done_with_a_message_comes_with_the_focus_or_once_the_list_rests(people):
    ada, bob, _ = converse(people, 200)
    ada.page.reload()
    expect(rows(ada).last).to_have_accessible_name("number 199")
    tree_is_whole = "() => [...document.querySelectorAll('.message')].every((row) => row.querySelectorAll('.message__tools button').length === 2)"
    ada.page.wait_for_function(tree_is_whole)
    assert ada.page.evaluate(REACH_NEW_ROW) == [2, True]
    keys = ada.page.keyboard
    focused = ada.page.locator(":focus")
    keys.press("ArrowRight")
    expect(focused).to_have_accessible_name(re.compile("Sent|Delivered|Read"))
    keys.press("ArrowRight")
    expect(focused).to_have_accessible_name("React")
    keys.press("ArrowRight")
    expect(focused).to_have_accessible_name("More")
    ada.page.wait_for_function(tree_is_whole)


def test_what_nobody_has_come_to_is_not_read(people):
    ada, bob, path = converse(people, 40)
    expect(bob.conversation("Ada")).to_contain_text("40 unread")
    bob.open_conversation("Ada").sees("number 0")
    ada.sees_state("number 0", "Read")
    assert bob.fetch("GET", path)["body"]["unreadCount"] > 0
    bob.page.get_by_role("button", name="Go to the newest message").click()
    ada.sees_state("number 39", "Read")
    assert bob.fetch("GET", path)["body"]["unreadCount"] == 0


def test_what_is_unread_begins_at_a_line_and_the_button_counts_it(people):
    ada, bob, path = converse(people, 120)
    bob.open_conversation("Ada")
    line = bob.page.get_by_text("Unread messages", exact=True)
    expect(line).to_be_visible()
    expect(bob.message("number 0").first).to_be_visible()
    jump = bob.page.get_by_role("button", name="Go to the newest message")
    expect(jump).to_be_visible()
    jump.click()
    expect(rows(bob).last).to_have_accessible_name("number 119")
    expect(jump).to_be_hidden()
    # All of it was shown, so that nothing is unread any more.
    expect(bob.conversation("Ada")).not_to_contain_text("unread")


def test_a_message_far_away_opens_in_its_place_and_a_gap_is_not_the_beginning(people):
    ada, bob, path = converse(people, 1_000)
    ada.page.reload()
    expect(rows(ada).last).to_have_accessible_name("number 999")
    page = ada.fetch("GET", f"{path}/messages?around=300&limit=1")
    target = page["body"]["items"][0]
    ada.page.goto(f"{path.removeprefix('/v1')}?message={target['id']}")
    expect(ada.message(target["text"]).first).to_be_in_viewport()
    expect(ada.page.get_by_text("This is the beginning.")).to_have_count(0)
    # Down from there to the newest, without a hole.
    jump = ada.page.get_by_role("button", name="Go to the newest message")
    expect(jump).to_be_visible()
    def reaches_the_newest():
        scroll(ada, -1)
        return rows(ada).last.get_attribute("aria-label") == "number 999" and not jump.is_visible()

    ada.until(reaches_the_newest, seconds=60)
    numbers = [int(text.split()[1]) for text in ada.texts()]
    assert numbers == list(range(numbers[0], 1_000))
    assert len(numbers) <= 400


def test_what_was_read_before_shows_without_a_connection_and_older_ones_are_not_the_beginning(people):
    ada, bob, path = converse(people, 200)
    ada.page.reload()
    expect(rows(ada).last).to_have_accessible_name("number 199")
    ada.keeps("timelines", "number 199")
    ada.page.route("**/v1/**", lambda route: route.abort())
    ada.page.reload()
    expect(rows(ada).last).to_have_accessible_name("number 199")
    scroll_until(ada, 0, ada.page.get_by_text("Older messages come when you are connected.").is_visible)
    expect(ada.page.get_by_text("This is the beginning.")).to_have_count(0)
    ada.page.unroute("**/v1/**")
    expect(ada.page.get_by_text("You are offline")).to_be_hidden(timeout=30_000)
    scroll_until(ada, 0, lambda: "number 100" in ada.texts())


def test_what_happens_to_a_group_stands_between_the_messages(people):
    ada, bob, eve = people("Ada", "Bob", "Eve")
    ada.make_group("Engine", bob, eve)
    ada.say("before")
    ada.sees_state("before", "Sent")
    path = ada.conversation_path()
    ada.fetch("PATCH", path, {"groupName": "Difference engine"})
    expect(rows(ada).last).to_have_accessible_name("You changed the group’s name to “Difference engine”")
    ada.say("after").sees_state("after", "Sent")
    names = ["You created the group “Engine”", "before", "You changed the group’s name to “Difference engine”", "after"]
    ada.sees_all(*names)
    ada.page.reload()
    ada.sees_all(*names)


def test_a_history_that_was_deleted_meanwhile_is_shown_as_it_is_now(people):
    ada, bob, path = converse(people, 5)
    bob.open_conversation("Ada").sees("number 4")
    bob.page.goto("about:blank")
    page = ada.fetch("GET", f"{path}/messages")
    gone = page["body"]["items"][2]
    assert ada.fetch("DELETE", f"{path}/messages/{gone['id']}")["status"] == 204
    bob.page.goto(path.removeprefix("/v1"))
    expect(rows(bob).nth(2)).to_have_accessible_name("This message was deleted")
    expect(rows(bob)).to_have_count(5)


def test_a_strange_address_says_that_there_is_no_such_conversation(people):
    (ada,) = people("Ada")
    ada.page.goto(f"/conversations/{uuid.uuid4()}")
    expect(ada.page.get_by_text("There is no such conversation")).to_be_visible()


def far_from_the_newest(people):
    """Somebody whose list begins with other conversations than one with a long history, and a link into that: to its first message."""
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    path = bob.write_to(ada, "the first")
    texts = [{"text": f"number {number}"} for number in range(99)]
    assert bob.fetch("POST", f"{path}/messages", {"messages": texts})["status"] == 201
    members = [person.fetch("GET", "/v1/me")["body"]["id"] for person in (ada, eve)]
    for number in range(55):
        group = {"groupName": f"Group {number}", "participantIds": members}
        assert bob.fetch("PUT", f"/v1/conversations/{bob.new_id()}", group)["status"] == 201
    ada.until(lambda: len(ada.fetch("GET", "/v1/sync")["body"]["conversations"]) == 50)
    first = ada.fetch("GET", f"{path}/messages?around=1")["body"]["items"][0]
    assert first["text"] == "the first"
    # What a browser keeps that has never been here.
    ada.page.goto("about:blank")
    ada.page = ada.context.new_page()
    ada.page.goto("/sign-in")
    ada.page.evaluate("() => indexedDB.deleteDatabase('parley')")
    return ada, f"{path.removeprefix('/v1')}?message={first['id']}"


def test_where_the_newest_messages_cannot_be_had_the_way_to_them_says_so(people):
    ada, address = far_from_the_newest(people)
    ada.page.route(re.compile("/messages[?]limit=50$"), lambda route: route.abort())
    ada.page.goto(address)
    ada.sees("the first")
    ada.button("Go to the newest message", exact=False).click()
    expect(ada.page.get_by_role("alert").filter(has_text="You are offline.")).to_be_visible()
    ada.sees("the first")
    ada.page.unroute(re.compile("/messages[?]limit=50$"))
    ada.button("Go to the newest message", exact=False).click()
    ada.sees("number 98")


def test_where_no_messages_can_be_had_it_is_said_and_tried_again_by_a_press(people):
    ada, address = far_from_the_newest(people)
    ada.page.route("**/messages?*", lambda route: route.abort())
    ada.page.goto(address)
    # With the stream it tries by itself.
    ada.is_live()
    lost = ada.page.get_by_role("status").filter(has_text="The messages could not be loaded.")
    expect(lost).to_be_visible()
    ada.page.unroute("**/messages?*")
    ada.button("Try again").press("Enter")
    ada.sees("number 98")
    expect(lost).to_have_count(0)
    expect(rows(ada).last).to_be_focused()
