"""Where one writes, and what stands around it, while other things happen: to the focus, to the message that is answered, to what is
pinned, and to the time."""

import re
from datetime import datetime, timedelta, timezone

from playwright.sync_api import expect


def ids_of(*people):
    return [person.fetch("GET", "/v1/me")["body"]["id"] for person in people]


def group_of(leader, *others, name="Mill"):
    """A group that somebody makes of all of them. Returns its path of the API."""
    path = f"/v1/conversations/{leader.new_id()}"
    assert leader.fetch("PUT", path, {"groupName": name, "participantIds": ids_of(*others)})["status"] == 201
    return path


def test_after_an_emoji_one_writes_on(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.textbox("Message").fill("Hi ")
    ada.button("Emoji").click()
    ada.page.get_by_role("dialog", name="Emoji").get_by_role("button", name="🎉").click()
    expect(ada.page.get_by_role("dialog")).to_have_count(0)
    expect(ada.textbox("Message")).to_be_focused()
    ada.page.keyboard.type("x")
    expect(ada.textbox("Message")).to_have_value("Hi 🎉x")


def test_names_are_offered_only_where_one_is_written(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Mill", bob, eve)
    ada.textbox("Message").press_sequentially("Hi @Bo")
    expect(ada.page.get_by_role("listbox")).to_be_visible()
    ada.page.keyboard.press("Home")
    expect(ada.page.get_by_role("listbox")).to_have_count(0)
    ada.page.keyboard.press("Enter")
    ada.sees("Hi @Bo")


def test_after_a_recording_the_focus_is_where_it_was(people):
    ada, bob = people("Ada", away=["Bob"], permissions=["microphone"])
    ada.talk_to(bob)
    for end in ("Discard the recording", "Send the recording"):
        ada.button("Record a voice message").click()
        expect(ada.page.get_by_role("timer")).to_have_text(re.compile("^0:(0[1-9]|[1-5][0-9])$"))
        ada.button(end).click()
        expect(ada.button("Record a voice message")).to_be_focused()


def test_what_is_answered_is_shown_as_it_is_by_now(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    path = ada.conversation_path()
    bob.write(path, "at seven")
    message = f"{path}/messages/{ada.sees('at seven').said('at seven')['id']}"
    ada.chooses("at seven", "Reply")
    ada.textbox("Message").fill("I come")
    quoted = ada.page.locator(".composer__quote")
    expect(quoted).to_contain_text("at seven")
    assert bob.fetch("PATCH", message, {"text": "at eight"})["status"] == 200
    expect(quoted).to_contain_text("at eight")
    assert bob.fetch("DELETE", f"{message}?for=everyone")["status"] == 204
    expect(quoted).to_contain_text("This message was deleted")
    # Also where what was being written is taken up again.
    ada.keeps("drafts", "I come").page.reload()
    expect(quoted).to_contain_text("This message was deleted")


def test_what_is_pinned_and_changed_is_shown_as_it_is_by_now(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    path = ada.conversation_path()
    bob.write(path, "at seven")
    message = f"{path}/messages/{ada.sees('at seven').said('at seven')['id']}"
    assert bob.fetch("PUT", f"{message}/pin")["status"] == 200
    pinned = ada.button("Pinned message", exact=False)
    expect(pinned).to_contain_text("at seven")
    assert bob.fetch("PATCH", message, {"text": "at eight"})["status"] == 200
    expect(pinned).to_contain_text("at eight")


def test_up_changes_the_last_message_that_can_be_changed(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("my own words").sees_state("my own words", "Sent")
    bob.write(ada.conversation_path(), "words of his")
    ada.sees("words of his").chooses("words of his", "Forward")
    dialog = ada.page.get_by_role("dialog", name="Forward to")
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Forward").click()
    ada.sees_all("my own words", "words of his", "words of his")
    ada.textbox("Message").press("ArrowUp")
    expect(ada.textbox("Message")).to_have_value("my own words")


def test_to_how_many_a_message_goes_at_once_is_told(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    for number in range(20):
        group_of(ada, bob, eve, name=f"Group {number}")
    ada.talk_to(bob).say("for all").sees_state("for all", "Sent")
    ada.chooses("for all", "Forward")
    dialog = ada.page.get_by_role("dialog", name="Forward to")
    boxes = dialog.get_by_role("checkbox")
    expect(boxes).to_have_count(21)
    for number in range(20):
        boxes.nth(number).check()
    boxes.nth(20).click()
    expect(boxes.nth(20)).not_to_be_checked()
    expect(dialog.get_by_role("alert")).to_have_text("At most 20 conversations at once.")
    boxes.nth(0).uncheck()
    expect(dialog.get_by_role("alert")).to_be_empty()
    boxes.nth(20).check()


def test_a_menu_stays_where_a_phones_keyboard_goes(people):
    ada, bob = people("Ada", away=["Bob"], width=390, height=500)
    ada.talk_to(bob).say("a word").sees_state("a word", "Sent")
    ada.message("a word").click(button="right")
    menu = ada.page.get_by_role("menu", name="Message")
    expect(menu).to_be_visible()
    for height in (800, 500):
        ada.page.set_viewport_size({"width": 390, "height": height})
        # What closes, closes in the next frame.
        ada.page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
        expect(menu).to_be_visible()
        box = menu.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= height, (box, height)


def test_a_starred_message_that_is_deleted_leaves_the_list(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    path = ada.conversation_path()
    bob.write(path, "a secret")
    message = f"{path}/messages/{ada.sees('a secret').said('a secret')['id']}"
    ada.fetch("PUT", f"{message}/star")
    ada.page.goto("/starred")
    ada.is_live()
    expect(ada.page.get_by_role("list", name="Starred messages").get_by_role("listitem")).to_have_count(1)
    assert bob.fetch("DELETE", f"{message}?for=everyone")["status"] == 204
    expect(ada.page.get_by_text("No starred messages")).to_be_visible()


def test_a_message_that_is_deleted_leaves_what_was_found(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    path = ada.conversation_path()
    bob.write(path, "a secret word")
    message = f"{path}/messages/{ada.sees('a secret word').said('a secret word')['id']}"
    ada.page.goto("/search?q=secret")
    ada.is_live()
    found = ada.page.get_by_role("list", name="Results").get_by_role("listitem")
    expect(found).to_have_count(1)
    assert bob.fetch("DELETE", f"{message}?for=everyone")["status"] == 204
    expect(found).to_have_count(0)


def test_a_choice_on_the_page_of_a_group_keeps_the_focus(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Mill", bob, eve)
    ada.open_info()
    choice = ada.page.get_by_role("combobox", name="Slow mode")
    choice.focus()
    # What is chosen is drawn anew with all else.
    before = choice.element_handle()
    choice.select_option("10")
    ada.until(lambda: not before.evaluate("node => node.isConnected"))
    expect(choice).to_be_focused()
    expect(choice).to_have_value("10")


def test_today_is_yesterday_after_midnight(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.page.clock.install()
    ada.talk_to(bob).say("a word").sees_state("a word", "Sent")
    expect(ada.messages.get_by_text("Today", exact=True)).to_be_visible()
    # The server, which knows that it is not, is not asked.
    ada.page.route("**/v1/**", lambda route: route.abort())
    ada.page.clock.fast_forward("24:00:00")
    expect(ada.messages.get_by_text("Yesterday", exact=True)).to_be_visible()
    expect(ada.conversation("Bob").get_by_role("time")).to_have_text("Yesterday")


def test_a_muting_that_ends_shows_no_more(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.page.clock.install()
    ada.talk_to(bob).say("a word").sees_state("a word", "Sent")
    end = datetime.now(timezone.utc) + timedelta(seconds=8)
    assert ada.fetch("PATCH", f"{ada.conversation_path()}/me", {"mutedUntil": end.strftime("%Y-%m-%dT%H:%M:%SZ")})["status"] == 200
    ada.open_info()
    muting = ada.page.get_by_role("combobox", name="Mute")
    expect(muting).not_to_have_value("")
    row = ada.conversation("Bob")
    expect(row.get_by_label("Muted")).to_be_attached()
    ada.until(lambda: datetime.now(timezone.utc) > end)
    # Nobody looks at the clock all the time.
    ada.page.clock.fast_forward("00:30")
    expect(row.get_by_label("Muted")).to_have_count(0)
    expect(muting).to_have_value("")


def test_a_message_is_forwarded_only_to_where_one_may_write(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    group_of(ada, bob, eve, name="Open")
    closed = group_of(bob, ada, eve, name="Closed")
    assert bob.fetch("PATCH", closed, {"permissions": {"send": "admins"}})["status"] == 200
    ada.talk_to(eve)
    [blocked] = ids_of(eve)
    assert ada.fetch("PUT", f"/v1/blocks/{blocked}")["status"] == 201
    expect(ada.page.get_by_text("You have blocked this person.")).to_be_visible()
    ada.talk_to(bob).say("for some").sees_state("for some", "Sent")
    ada.chooses("for some", "Forward")
    offered = ada.page.get_by_role("dialog", name="Forward to").get_by_role("listitem")
    expect(offered).to_have_count(2)
    assert {row.get_attribute("aria-label") for row in offered.all()} == {"Bob", "Open"}


def test_what_is_written_is_offered_only_where_one_may_write(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    group = group_of(bob, ada, eve)
    ada.open_conversation("Mill").say("my words").sees_state("my words", "Sent")
    items = ada.page.get_by_role("menuitem")
    names = ["Reply", "Edit", "React"]
    for offered in (["Reply", "React", "Edit"], ["React"]):
        ada.message("my words").first.click(button="right")
        expect(items.filter(has_text="Forward")).to_be_visible()
        assert [name for name in items.all_inner_texts() if name.strip() in names] == offered
        ada.page.keyboard.press("Escape")
        assert bob.fetch("PATCH", group, {"permissions": {"send": "admins"}})["status"] == 200
        expect(ada.page.get_by_text("Only admins write here.")).to_be_visible()
