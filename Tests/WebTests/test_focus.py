"""The focus, while what has it, or what it is to go back to, is drawn anew or goes away."""

import re
from urllib.parse import quote
from uuid import UUID

from playwright.sync_api import expect
from test_conversation_files import attach, png
from test_conversation_history import converse, rows, scroll


def drawn_anew(person, control, change):
    """Does something by which a control of a row is another one than before."""
    before = control.element_handle()
    change()
    person.until(lambda: not before.evaluate("node => node.isConnected"))


def reacts(person, path, message, emoji):
    assert person.fetch("PUT", f"{path}/messages/{message['id']}/reactions/{quote(emoji)}")["status"] in (200, 201)


def test_after_a_menu_or_the_emoji_the_focus_is_at_the_message_though_that_was_drawn_anew(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("a word").sees_state("a word", "Sent")
    path, message = ada.conversation_path(), ada.said("a word")
    row, keys = ada.message("a word").first, ada.page.keyboard
    more, react = (row.get_by_role("button", name=name, exact=True) for name in ("More", "React"))
    row.focus()
    more.press("Enter")
    expect(ada.page.get_by_role("menu", name="Message")).to_be_visible()
    drawn_anew(ada, more, lambda: reacts(bob, path, message, "🦩"))
    keys.press("Escape")
    expect(more).to_be_focused()
    react.press("Enter")
    expect(ada.page.get_by_role("dialog")).to_be_visible()
    drawn_anew(ada, react, lambda: reacts(bob, path, message, "🎈"))
    keys.press("Escape")
    expect(react).to_be_focused()


def test_what_a_menu_opens_stands_at_its_message_though_that_was_drawn_anew(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("a word").sees_state("a word", "Sent")
    path, message = ada.conversation_path(), ada.said("a word")
    row = ada.message("a word").first
    more = row.get_by_role("button", name="More", exact=True)
    row.focus()
    more.press("Enter")
    drawn_anew(ada, more, lambda: reacts(bob, path, message, "🦩"))
    ada.page.get_by_role("menuitem", name="React").click()
    picker, place = ada.page.get_by_role("dialog").bounding_box(), row.locator(".bubble").bounding_box()
    # Above the bubble, and not in the window's corner.
    assert abs(picker["y"] + picker["height"] + 8 - place["y"]) <= 2, (picker, place)


def test_after_a_dialog_or_a_photo_the_focus_is_at_the_message_though_that_was_drawn_anew(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    attach(ada, ("engine.png", "image/png", png(120, 80)))
    ada.say("the engine").sees_state("the engine", "Sent")
    path, message = ada.conversation_path(), ada.said("the engine")
    row, keys, dialog = ada.message("the engine").first, ada.page.keyboard, ada.page.get_by_role("dialog")
    photo = row.get_by_role("button", name="Open the photo")
    photo.press("Enter")
    expect(dialog).to_be_visible()
    drawn_anew(ada, photo, lambda: reacts(bob, path, message, "🦩"))
    keys.press("Escape")
    expect(photo).to_be_focused()
    state = row.locator(".meta__state")
    state.press("Enter")
    expect(dialog.get_by_role("listitem", name="Bob")).to_be_visible()
    drawn_anew(ada, state, lambda: reacts(bob, path, message, "🎈"))
    keys.press("Escape")
    expect(dialog).to_have_count(0)
    expect(state).to_be_focused()


def test_what_comes_to_a_message_moves_the_focus_to_no_other_of_its_buttons(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    held = []
    ada.page.route("**/messages/*", lambda route: held.append(route))
    ada.say("a word")
    more = ada.message("a word").get_by_role("button", name="More", exact=True)
    more.focus()
    ada.until(lambda: held)
    drawn_anew(ada, more, lambda: held[0].continue_())
    # The marks and the reactions stand before it now.
    expect(ada.message("a word").get_by_role("button", name="React", exact=True)).to_be_attached()
    expect(more).to_be_focused()
    ada.page.unroute("**/messages/*")


def test_when_a_message_goes_the_focus_is_at_the_one_that_takes_its_place(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.page.route("**/messages/*", lambda route: route.abort())
    ada.say_unsent("first").sees("first")
    for text in ("second", "third"):
        ada.say(text).sees(text)
    ada.message("second").press("Enter")
    ada.page.get_by_role("menuitem", name="Delete").press("Enter")
    expect(ada.message("second")).to_have_count(0)
    expect(ada.message("third")).to_be_focused()
    ada.page.keyboard.press("ArrowUp")
    expect(ada.message("first")).to_be_focused()
    ada.page.unroute("**/messages/*")


def test_who_goes_to_the_newest_message_by_keys_is_there(people):
    ada, bob, path = converse(people, 120)
    ada.page.reload()
    expect(rows(ada).last).to_have_accessible_name("number 119")
    scroll(ada, 0)
    jump = ada.page.get_by_role("button", name="Go to the newest message")
    jump.press("Enter")
    expect(jump).to_be_hidden()
    expect(rows(ada).last).to_have_accessible_name("number 119")
    expect(rows(ada).last).to_be_focused()


def test_when_a_chosen_file_is_left_out_the_focus_is_at_the_next_one(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    attach(ada, *[(f"{name}.txt", "text/plain", b"words") for name in ("one", "two")])
    chosen = ada.page.get_by_role("list", name="Chosen files")
    chosen.get_by_role("button").first.press("Enter")
    expect(chosen.get_by_role("listitem")).to_have_accessible_name("two.txt")
    expect(chosen.get_by_role("button")).to_be_focused()
    ada.page.keyboard.press("Enter")
    expect(chosen).to_be_hidden()
    expect(ada.button("Attach")).to_be_focused()


def test_on_the_page_of_a_group_the_focus_stays_while_others_talk(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Mill", bob, eve)
    path = ada.conversation_path()
    ada.open_info()
    bobs = ada.button("What to do with Bob")
    bobs.press("Enter")
    expect(ada.page.get_by_role("menu")).to_be_visible()
    eves = f"{path}/participants/{eve.fetch('GET', '/v1/me')['body']['id']}"
    drawn_anew(ada, bobs, lambda: ada.fetch("PUT", eves, {"role": "admin"}))
    ada.page.keyboard.press("Escape")
    expect(bobs).to_be_focused()
    # Also at a link by which people come in.
    ada.button("Make an invite link").click()
    copy = ada.button("Copy link")
    copy.focus()
    bob.write(path, "two")
    expect(ada.conversation("Mill")).to_contain_text("two")
    expect(copy).to_be_focused()


def test_who_asks_for_more_of_a_list_by_keys_is_at_the_first_of_them(people):
    (ada,) = people("Ada")
    asked = []

    def answer(route):
        asked.append(route.request.url)
        begin = len(asked) - 1
        page = {"items": [{"id": str(UUID(int=begin)), "displayName": f"Person {begin}"}], "nextCursor": str(begin + 1)}
        if begin == 1:
            return route.abort()
        return route.fulfill(json=page)

    # The list asks for more by itself where its end is near.
    ada.context.add_init_script("IntersectionObserver.prototype.observe = () => {}")
    ada.page.route(re.compile("/v1/users[?]"), answer)
    ada.page.goto("/people")
    people_list = ada.page.get_by_role("list", name="People")
    expect(people_list.get_by_role("listitem")).to_have_count(1)
    ada.button("Show more").press("Enter")
    expect(ada.button("Try again")).to_be_focused()
    ada.page.keyboard.press("Enter")
    expect(people_list.get_by_role("listitem")).to_have_count(2)
    expect(people_list.get_by_role("button", name="Person 2")).to_be_focused()


def test_who_searches_while_a_conversation_opens_goes_on_searching(people):
    ada, bob = people("Ada", away=["Bob"])
    held = []
    ada.page.route("**/v1/conversations/*/messages?*", lambda route: held.append(route))
    ada.talk_to(bob)
    ada.until(lambda: held)
    ada.page.keyboard.press("Control+k")
    search = ada.textbox("Search").first
    expect(search).to_be_focused()
    # What is asked for once the conversation has opened.
    with ada.page.expect_request(lambda request: "/v1/stars" in request.url or "/pins" in request.url):
        for route in held:
            route.continue_()
    expect(search).to_be_focused()


def test_a_dialog_opens_also_where_nothing_has_the_focus(people):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    erase = ada.button("Delete account")
    expect(erase).to_be_visible()
    ada.page.evaluate("Object.defineProperty(document, 'activeElement', {get: () => null, configurable: true})")
    erase.click()
    expect(ada.page.get_by_role("dialog")).to_be_visible()


def test_when_what_is_listed_is_taken_out_the_focus_is_at_the_next_and_then_at_the_title(people):
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "One")
    bob.write(path, "Two")
    ada.until(lambda: len(ada.fetch("GET", f"{path}/messages")["body"]["items"]) == 2)
    for message in ada.fetch("GET", f"{path}/messages")["body"]["items"]:
        assert ada.fetch("PUT", f"{path}/messages/{message['id']}/star")["status"] == 201
    ada.until(lambda: len(ada.fetch("GET", "/v1/starred")["body"]["items"]) == 2)
    ada.page.goto("/starred")
    rows = ada.page.get_by_role("list", name="Starred messages").get_by_role("listitem")
    expect(rows).to_have_count(2)
    rows.first.get_by_role("button").press("Enter")
    expect(rows).to_have_count(1)
    expect(rows.first.get_by_role("button")).to_be_focused()
    ada.page.keyboard.press("Enter")
    expect(ada.page.get_by_role("heading", name="Starred messages")).to_be_focused()
