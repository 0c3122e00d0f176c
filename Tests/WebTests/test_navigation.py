"""Ways through the client, there and back: where the focus is after them, and what is still there."""

import re
import uuid

from playwright.sync_api import expect


def test_escape_on_a_phone_leads_back_to_the_row_that_was_opened(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    ada.page.set_viewport_size({"width": 390, "height": 800})
    ada.page.goto("/")
    ada.is_live()
    row = ada.conversation("Bob").locator("a").first
    row.focus()
    ada.page.keyboard.press("Enter")
    ada.sees("hello")
    expect(ada.textbox("Message")).to_be_focused()
    ada.page.keyboard.press("Escape")
    expect(row).to_be_focused()


def test_where_nobody_can_write_the_name_has_the_focus(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    bobs = bob.fetch("GET", "/v1/me")["body"]["id"]
    assert ada.fetch("PUT", f"/v1/blocks/{bobs}")["status"] < 300
    ada.page.goto("/")
    ada.is_live()
    ada.conversation("Bob").locator("a").first.focus()
    ada.page.keyboard.press("Enter")
    ada.sees("hello")
    expect(ada.page.locator(".conversation__name")).to_be_focused()


def test_a_quote_leads_to_its_message_and_the_focus_with_it(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("the first of all").sees_state("the first of all", "Sent")
    path = ada.conversation_path()
    texts = [{"text": f"number {number}"} for number in range(99)]
    assert ada.fetch("POST", f"{path}/messages", {"messages": texts})["status"] < 300
    first = next(item for item in ada.fetch("GET", f"{path}/messages?limit=200")["body"]["items"] if item.get("text") == "the first of all")
    assert ada.fetch("PUT", f"{path}/messages/{uuid.uuid4()}", {"text": "an answer", "replyToId": first["id"]})["status"] < 300
    ada.page.reload()
    ada.sees("an answer")
    quote = ada.message("an answer").first.get_by_role("button", name="the first of all")
    quote.focus()
    ada.page.keyboard.press("Enter")
    expect(ada.message("the first of all").last).to_be_in_viewport()
    ada.until(lambda: ada.page.evaluate("document.activeElement.getAttribute('aria-label')") == "the first of all")


def test_a_search_is_there_again_for_who_comes_back_to_it(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("the zeppelin lands").sees_state("the zeppelin lands", "Sent")
    ada.until(lambda: ada.fetch("POST", "/v1/search", {"query": "zeppelin"})["body"]["items"])
    ada.page.keyboard.press("Control+k")
    expect(ada.page).to_have_url(re.compile("/search$"))
    ada.textbox("Search").fill("zeppelin")
    found = ada.page.get_by_role("list", name="Results").get_by_role("link").first
    expect(found).to_be_visible()
    ada.textbox("Search").press("ArrowDown")
    ada.page.keyboard.press("Control+k")
    expect(ada.textbox("Search")).to_be_focused()
    found.click()
    ada.sees("the zeppelin lands")
    ada.page.go_back()
    expect(ada.textbox("Search")).to_have_value("zeppelin")
    expect(found).to_be_visible()
    assert "zeppelin" not in ada.page.url
    # Not for the next person, though.
    ada.leave()
    ada.textbox("Email").fill(bob.email)
    ada.password.fill("correct horse")
    ada.button("Sign in").click()
    ada.is_live()
    for _ in range(20):
        if "/search" in ada.page.url:
            break
        ada.page.go_back()
    expect(ada.page).to_have_url(re.compile("/search"))
    expect(ada.textbox("Search")).to_have_value("")


def test_the_wheel_scrolls_also_over_the_way_to_the_newest(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    texts = [{"text": f"number {number}"} for number in range(99)]
    assert ada.fetch("POST", f"{ada.conversation_path()}/messages", {"messages": texts})["status"] < 300
    ada.page.reload()
    ada.sees("number 98")
    box = ada.page.locator(".messages__scroll")
    box.hover()
    ada.page.mouse.wheel(0, -800)
    jump = ada.page.locator(".messages__jump")
    expect(jump).to_be_visible()
    jump.hover()
    first = ada.message("number 80").first
    before = first.evaluate("(row) => row.getBoundingClientRect().top")
    ada.page.mouse.wheel(0, -120)
    ada.until(lambda: abs(first.evaluate("(row) => row.getBoundingClientRect().top") - before - 120) < 3)


def test_a_search_leaves_the_conversation_beside_it(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("the zeppelin lands").sees_state("the zeppelin lands", "Sent")
    path = ada.page.url
    ada.textbox("Message").fill("not yet sent")
    ada.page.keyboard.press("Control+k")
    expect(ada.page).to_have_title("Search · Parley")
    expect(ada.textbox("Search")).to_be_focused()
    bob.write_to(ada, "and starts again")
    ada.sees("and starts again")
    expect(ada.page).to_have_title("Search · Parley")
    expect(ada.textbox("Message")).to_have_value("not yet sent")
    ada.page.keyboard.press("Escape")
    expect(ada.page).to_have_url(path)
    expect(ada.textbox("Message")).to_have_value("not yet sent")
    # What was alone in the window has no place there.
    ada.page.goto("/invite/nothing")
    expect(ada.page.get_by_role("heading").first).to_be_visible()
    ada.page.keyboard.press("Control+k")
    expect(ada.textbox("Search")).to_be_focused()
    expect(ada.page.get_by_text("Choose a conversation")).to_be_visible()
    # On a phone nothing is open that nobody sees.
    ada.page.set_viewport_size({"width": 390, "height": 800})
    ada.page.goto("/search")
    ada.is_live()
    expect(ada.messages).to_have_count(0)


def test_where_there_is_no_conversation_the_way_back_has_the_focus(people):
    (ada,) = people("Ada")
    ada.page.goto(f"/conversations/{uuid.uuid4()}")
    way = ada.page.locator(".conversation").get_by_role("link", name="Chats", exact=True)
    expect(way).to_be_focused()
    ada.page.keyboard.press("Enter")
    expect(ada.page).to_have_url(re.compile("/$"))


def loaded(person, screen):
    person.page.wait_for_function(
        "(name) => performance.getEntriesByType('resource').some((entry) => entry.name.endsWith(name))", arg=screen)


def test_a_screen_that_is_one_press_away_is_there_at_once_also_without_a_network(people, stranger):
    (ada,) = people("Ada")
    loaded(ada, "people-screen.js")
    loaded(ada, "new-group-screen.js")
    ada.page.route("**/app/**", lambda route: route.abort())
    ada.link("People").click()
    expect(ada.page.get_by_role("list", name="People")).to_be_visible()
    # What is typed right after the press goes into the new screen, though both have a field of that name.
    eve = stranger("Eve")
    eve.page.goto("/sign-in")
    loaded(eve, "sign-up-screen.js")
    eve.page.evaluate("""() => {
        document.querySelector('.entry__other ~ button').click();
        document.querySelector('input[type=email]').value = 'eve@example.org';
    }""")
    expect(eve.page).to_have_url(re.compile("/sign-up"))
    expect(eve.textbox("Email")).to_have_value("eve@example.org")
