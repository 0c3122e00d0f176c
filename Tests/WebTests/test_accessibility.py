"""For everybody: what axe finds, keyboards alone, the tree that is read out, narrow windows, colours and movement."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from person import PASSWORD
from playwright.sync_api import expect
from screens import OPEN, furnish, open_screen
from test_conversation_files import attach, png
from test_conversation_voice import silence
from test_languages import make_group

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
}


# What depends on colours: all that may differ between the schemes.
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}, "resultTypes": ["violations"]}


def check(person, what, options=RULES):
    # What fades in has its colours when it is there.
    person.page.evaluate("""Promise.all(document.getAnimations()
        .filter((each) => each.effect.getComputedTiming().endTime !== Infinity).map((each) => each.finished.catch(() => {})))
        .then(() => true)""")
    found = Axe().run(person.page, options=options).response["violations"]
    words = [f"{what}: {each['id']}: {each['help']}: {node['target']} {node['failureSummary']}" for each in found for node in each["nodes"][:3]]
    assert not words, "\n".join(words)


def check_in_both_schemes(person, what, scheme):
    """All of it in the person's own scheme, and the colours of the other one."""
    check(person, f"{what}, {scheme}")
    other = "dark" if scheme == "light" else "light"
    person.page.emulate_media(color_scheme=other)
    check(person, f"{what}, {other}", COLOURS)
    person.page.emulate_media(color_scheme=scheme)


# axe makes functions of texts, which the page's own policy forbids: the policy is tried by all other tests.
@pytest.mark.parametrize("width, scheme", [(1280, "light"), (360, "dark")])
def test_axe_finds_nothing_on_any_screen(people, stranger, width, scheme):
    ada, = people("Ada", width=width, height=800, color_scheme=scheme, bypass_csp=True)
    bob, eve = people(away=["Bob", "Eve"])
    nobody = stranger("Nobody", width=width, height=800, color_scheme=scheme, bypass_csp=True)
    for what, path in OPEN.items():
        open_screen(nobody, path)
        check_in_both_schemes(nobody, what, scheme)
    for what, path in furnish(ada, bob, eve).items():
        open_screen(ada, path)
        check_in_both_schemes(ada, what, scheme)
    open_screen(ada, "/search")
    ada.textbox("Search").fill("mill")
    expect(ada.page.get_by_role("list", name="Results").get_by_role("listitem").first).to_be_visible()
    check_in_both_schemes(ada, "what was found", scheme)


def test_axe_finds_nothing_in_dialogs_and_menus(people):
    ada, = people("Ada", bypass_csp=True)
    bob, eve = people(away=["Bob", "Eve"])
    screens = furnish(ada, bob, eve)
    open_screen(ada, "/profile")
    for name in ("Change name", "Change password", "Delete account"):
        ada.button(name).first.click()
        expect(ada.page.get_by_role("dialog")).to_be_visible()
        check(ada, name)
        ada.page.keyboard.press("Escape")
        expect(ada.page.get_by_role("dialog")).to_have_count(0)
    open_screen(ada, screens["group page"])
    ada.button("What to do with Bob").click()
    check(ada, "the menu of a member")
    ada.page.keyboard.press("Escape")
    expect(ada.button("What to do with Bob")).to_be_focused()


def test_axe_finds_nothing_in_what_opens_from_a_conversation(people):
    ada, bob = people("Ada", "Bob", bypass_csp=True)
    ada.talk_to(bob)
    attach(ada, ("engine.png", "image/png", png(120, 80)))
    ada.say("the engine").sees_state("the engine", "Delivered")
    row = ada.message("the engine").first
    row.focus()
    ada.page.keyboard.press("Enter")
    expect(ada.page.get_by_role("menu")).to_be_visible()
    check_in_both_schemes(ada, "the menu of a message", "light")
    ada.page.keyboard.press("Escape")
    expect(ada.page.get_by_role("menu")).to_have_count(0)
    dialog = ada.page.get_by_role("dialog")
    for what, opener in (("the emoji picker", ada.button("Emoji")), ("the photo viewer", row.get_by_role("button", name="Open the photo"))):
        opener.click()
        expect(dialog).to_be_visible()
        check_in_both_schemes(ada, what, "light")
        ada.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


def test_signing_up_and_talking_take_a_keyboard_alone(stranger, people):
    [bob] = people(away=["Bob"])
    ada = stranger("Ada")
    keys = ada.page.keyboard
    ada.page.goto("/sign-up")
    ada.tab_to(ada.textbox("Email"))
    keys.type(ada.email)
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")
    ada.tab_to(ada.textbox("Name"))
    keys.type("Ada")
    keys.press("Enter")
    expect(ada.link("People")).to_be_visible()
    ada.tab_to(ada.link("People"))
    keys.press("Enter")
    expect(ada.page.get_by_role("heading", name="People")).to_be_focused()
    ada.tab_to(ada.textbox("Search"))
    keys.type(bob.email)
    expect(ada.people.get_by_role("listitem")).to_have_count(1)
    ada.tab_to(ada.people.get_by_role("button", name=re.compile("^Bob")))
    keys.press("Enter")
    ada.tab_to(ada.textbox("Message"))
    keys.type("By keys alone")
    keys.press("Enter")
    ada.sees("By keys alone")


def test_control_k_searches_and_escape_goes_back(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    address = ada.page.url
    ada.page.keyboard.press("Control+k")
    expect(ada.page).to_have_url(re.compile("/search$"))
    expect(ada.textbox("Search").first).to_be_focused()
    ada.page.keyboard.press("Escape")
    expect(ada.page).to_have_url(address)
    expect(ada.textbox("Message")).to_be_visible()
    # Where there is nothing to go back to, it leads to the list.
    ada.page.goto("about:blank")
    ada.page.goto("/search")
    expect(ada.textbox("Search").first).to_be_focused()
    ada.page.keyboard.press("Escape")
    expect(ada.page.get_by_role("heading", name="Chats", exact=True)).to_be_visible()


def test_the_tree_that_is_read_out_names_what_there_is(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("Read me out")
    ada.sees_state("Read me out", "Sent")
    expect(ada.page.get_by_role("navigation")).to_match_aria_snapshot("""
        - navigation:
          - link "Chats"
          - link "People"
          - link "Profile"
    """)
    expect(ada.conversations.get_by_role("listitem", name=re.compile("^Bob"))).to_have_count(1)
    expect(ada.messages.get_by_role("listitem", name=re.compile("Read me out"))).to_have_count(1)
    # The list itself is not live: history that is loaded would be read out.
    assert ada.messages.get_attribute("aria-live") in (None, "off")
    headings = ada.page.get_by_role("heading", level=1)
    assert headings.count() >= 1


def test_nothing_is_wider_than_a_window_of_320(people):
    ada, = people("Ada", width=320, height=640)
    bob, eve = people(away=["Bob", "Eve"])
    for what, path in furnish(ada, bob, eve).items():
        open_screen(ada, path)
        assert ada.page.evaluate("document.documentElement.scrollWidth") <= 320, what


def test_text_of_twice_the_size_still_fits(people):
    ada, = people("Ada", width=640, height=800)
    bob, eve = people(away=["Bob", "Eve"])
    ada.context.add_init_script("addEventListener('DOMContentLoaded', () => (document.documentElement.style.fontSize = '200%'))")
    for what, path in furnish(ada, bob, eve).items():
        open_screen(ada, path)
        assert ada.page.evaluate("document.documentElement.scrollWidth") <= 640, what


def test_forced_colours_leave_everything_to_be_seen(people):
    ada, = people("Ada", forced_colors="active", bypass_csp=True)
    bob, eve = people(away=["Bob", "Eve"])
    for what, path in furnish(ada, bob, eve).items():
        open_screen(ada, path)
        check(ada, what)
    switch = ada.page.get_by_role("switch").first
    open_screen(ada, "/profile")
    on = switch.evaluate("node => getComputedStyle(node).backgroundColor")
    switch.click()
    expect(switch).not_to_be_checked()
    # Its colour may take a moment to change.
    ada.until(lambda: switch.evaluate("node => getComputedStyle(node).backgroundColor") != on)


def test_forced_colours_leave_what_can_be_done_with_a_message_to_be_seen_on_a_phone(people):
    (bob,) = people("Bob")
    (ada,) = people("Ada", width=390, height=740, forced_colors="active", is_mobile=True, has_touch=True)
    ada.talk_to(bob).say("Hello").sees_state("Hello", "Delivered")
    assert ada.page.evaluate("matchMedia('(hover: none) and (forced-colors: active)').matches")
    tools = ada.message("Hello").locator(".message__tools")
    ada.textbox("Message").focus()
    ada.page.mouse.move(0, 0)
    assert tools.evaluate("node => getComputedStyle(node).opacity") == "1"
    expect(tools.locator(".icon").last).to_be_visible()


def test_who_wants_no_movement_sees_none(people):
    ada, bob = people("Ada", away=["Bob"], reduced_motion="reduce")
    ada.talk_to(bob).say("Quietly")
    ada.sees("Quietly")
    moving = ada.page.evaluate(
        "document.getAnimations().filter((each) => each.effect.getComputedTiming().duration > 10).length")
    assert moving == 0


def test_a_photo_in_a_message_is_reached_and_left_by_keys(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    attach(ada, ("engine.png", "image/png", png(120, 80)))
    ada.say("the engine").sees_state("the engine", "Delivered")
    keys = ada.page.keyboard
    row = ada.message("the engine").first
    photo = row.get_by_role("button", name="Open the photo")
    row.focus()
    keys.press("ArrowRight")
    expect(photo).to_be_focused()
    keys.press("Enter")
    expect(ada.page.get_by_role("dialog")).to_be_visible()
    keys.press("Escape")
    expect(ada.page.get_by_role("dialog")).to_have_count(0)
    expect(photo).to_be_focused()
    keys.press("Escape")
    expect(row).to_be_focused()
    keys.press("Escape")
    expect(ada.textbox("Message")).to_be_focused()


def test_who_listens_is_told_what_comes_apart_from_the_list(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    bob.write_to(ada, "Can you hear me?")
    announcer = ada.page.locator("#announcer")
    expect(announcer).to_have_text("Bob: Can you hear me?")
    expect(announcer).to_have_attribute("aria-live", "polite")


def test_enter_that_ends_a_word_sends_nothing(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    box = ada.textbox("Message")
    box.fill("かんじ")
    box.evaluate("box => box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true, cancelable: true}))")
    expect(box).to_have_value("かんじ")
    box.press("Enter")
    expect(box).to_have_value("")
    ada.sees_all("かんじ")


def test_arrows_go_through_lists_and_enter_does_what_a_press_does(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.talk_to(bob).say("first").sees_state("first", "Sent")
    ada.say("second").sees_state("second", "Sent")
    eve.write_to(ada, "from Eve")
    keys = ada.page.keyboard
    links = ada.conversations.get_by_role("link")
    expect(links).to_have_count(2)
    expect(ada.conversations.get_by_role("listitem").first).to_have_accessible_name("Eve")
    links.first.focus()
    keys.press("ArrowDown")
    expect(links.last).to_be_focused()
    keys.press("Home")
    expect(links.first).to_be_focused()
    rows = ada.messages.get_by_role("listitem")
    rows.last.focus()
    keys.press("ArrowUp")
    expect(ada.message("first").first).to_be_focused()
    keys.press("Enter")
    items = ada.page.get_by_role("menuitem")
    expect(items.first).to_be_focused()
    keys.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    keys.press("End")
    expect(items.last).to_be_focused()
    keys.press("Escape")
    expect(ada.message("first").first).to_be_focused()
    links.first.focus()
    keys.press("Enter")
    ada.sees("from Eve")


def test_f6_goes_from_region_to_region_and_escape_to_the_list(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.textbox("Message").focus()
    keys = ada.page.keyboard
    seen = set()
    for _ in range(6):
        keys.press("F6")
        seen.add(ada.page.evaluate("document.activeElement.closest('nav, .shell__list, [data-region]')?.className ?? ''"))
    assert any("shell__nav" in each for each in seen) and any("shell__list" in each for each in seen) and any("composer" in each for each in seen), seen
    ada.textbox("Message").focus()
    keys.press("Escape")
    expect(ada.conversation("Bob").get_by_role("link")).to_be_focused()


def test_letters_twice_as_large_leave_everything_within_a_narrow_window(people):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", width=320, height=740)
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    session = ada.context.new_cdp_session(ada.page)
    session.send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
    ada.page.wait_for_function("() => getComputedStyle(document.documentElement).fontSize === '32px'")
    ada.textbox("Message").fill("more")
    name = ada.page.get_by_role("heading", name="Bob")
    for part in (name, ada.button("Attach"), ada.button("Send"), ada.textbox("Message")):
        expect(part).to_be_in_viewport(ratio=0.95)
    ada.page.goto("/")
    for part in (ada.page.get_by_role("heading", name="Chats"), ada.link("People"), ada.link("Profile")):
        expect(part).to_be_in_viewport(ratio=0.95)


# What a colour of the system's is there.
COLOUR = """name => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.cssText = `forced-color-adjust: none; color: ${name}`;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
}"""


def test_forced_colours_tell_what_is_chosen_from_what_is_not(people):
    bob, eve = people(away=["Bob", "Eve"])
    (ada,) = people("Ada", forced_colors="active")
    ada.page.goto(make_group(ada, "Engines", bob, eve).removeprefix("/v1"))
    ada.say("Hello").sees_state("Hello", "Sent")
    path = ada.conversation_path()
    said = ada.said("Hello")["id"]
    ada.fetch("PUT", f"{path}/messages/{said}/reactions/%F0%9F%8E%89")
    bob.fetch("PUT", f"{path}/messages/{said}/reactions/%F0%9F%91%8D")
    ada.textbox("Message").fill("@")
    ground, letters = (ada.page.evaluate(COLOUR, name) for name in ("Highlight", "HighlightText"))
    for one, other in (
        (ada.button("All"), ada.button("Unread")),
        (ada.button("You reacted with 🎉"), ada.button("Bob reacted with 👍")),
        (ada.page.get_by_role("option").first, ada.page.get_by_role("option").last),
    ):
        expect(one).to_have_css("background-color", ground)
        expect(one).to_have_css("color", letters)
        expect(other).not_to_have_css("background-color", ground)


# How the mark of a message that was jumped to is drawn, at its beginning.
MARK = """row => {
    row.classList.add('message--marked');
    const {outlineStyle, outlineColor, opacity} = getComputedStyle(row, '::before');
    return [outlineStyle, outlineColor, Number(opacity) > 0.5];
}"""


def test_forced_colours_leave_the_message_that_was_jumped_to_to_be_seen(people):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", forced_colors="active")
    ada.page.goto(bob.write_to(ada, "Hello").removeprefix("/v1"))
    mark = ada.sees("Hello").message("Hello").evaluate(MARK)
    assert mark == ["solid", ada.page.evaluate(COLOUR, "Highlight"), True]


def test_who_wants_no_movement_sees_which_message_was_jumped_to(people):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", reduced_motion="reduce")
    ada.page.goto(bob.write_to(ada, "Hello").removeprefix("/v1"))
    row = ada.sees("Hello").message("Hello")
    row.evaluate(MARK)
    ada.page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    assert row.evaluate(MARK)[2]


def test_forced_colours_leave_dialogs_and_waveforms_to_be_seen(people):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", forced_colors="active")
    ada.talk_to(bob)
    attach(ada, ("note.wav", "audio/wav", silence(1)))
    ada.button("Send").click()
    bar = ada.messages.locator(".voice__wave > span").first
    expect(bar).to_have_css("background-color", ada.page.evaluate(COLOUR, "CanvasText"))
    ada.link("Profile").click()
    ada.button("Delete account").click()
    dialog = ada.page.get_by_role("dialog")
    expect(dialog).to_have_css("border-top-width", "1px")
    expect(dialog).to_have_css("border-top-style", "solid")
