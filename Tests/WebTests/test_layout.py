"""What is on the screen can be seen whole, and is large enough to be met by a finger."""

import pytest
from person import Account
from playwright.sync_api import expect
from screens import OPEN, furnish, open_screen
from test_conversation_files import attach, png
from test_conversation_voice import silence
from test_languages import catalogue, make_group, open_group

LONG_NAME = "Bartholomew Featherstonehaugh"

# Whether a text stands in one line, and is cut with an ellipsis where it does not fit.
IN_ONE_LINE = "node => node.scrollHeight <= node.clientHeight + 2 && getComputedStyle(node).textOverflow === 'ellipsis'"


def test_no_emoji_lies_outside_of_its_picker_on_a_phone(people):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", width=320, height=640)
    ada.talk_to(bob)
    ada.button("Emoji").click()
    picker = ada.page.get_by_role("dialog")
    expect(picker).to_be_visible()
    # A sign that this machine draws wide, as those without a font for emoji draw some.
    picker.locator("button").last.evaluate("button => (button.textContent = 'WWWW')")
    assert picker.evaluate("picker => picker.scrollWidth <= picker.clientWidth")


def test_a_long_name_over_a_message_is_cut_and_not_left_out_in_part(people):
    bart, eve = people(away=[LONG_NAME, "Eve"])
    (ada,) = people("Ada", width=320, height=640)
    path = make_group(bart, "Engines", ada, eve)
    bart.write(path, "Hello")
    open_group(ada, path)
    name = ada.message("Hello").get_by_text(LONG_NAME, exact=True)
    expect(name).to_be_visible()
    assert name.evaluate(IN_ONE_LINE)


# The selects that are narrower than the longest of what can be chosen.
CUT_SELECTS = """selects => selects.filter((select) => {
    const given = select.offsetWidth;
    select.style.maxInlineSize = 'none';
    const needed = select.offsetWidth;
    select.style.maxInlineSize = '';
    return needed > given;
}).map((select) => select.parentElement.textContent)"""


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_what_can_be_chosen_for_a_group_is_not_cut_on_a_phone(people, language):
    bob, eve = people(away=["Bob", "Eve"])
    (ada,) = people("Ada", locale=language, width=390, height=740)
    path = make_group(ada, "Engines", bob, eve)
    ada.page.goto(f"{path.removeprefix('/v1')}/info")
    expect(ada.page.get_by_role("combobox", name=catalogue(language)["group.slowMode"])).to_be_visible()
    assert ada.page.locator("parley-info select").evaluate_all(CUT_SELECTS) == []


def test_the_marks_of_a_message_can_be_met_by_a_finger(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("Hello").sees_state("Hello", "Sent")
    # A row that is drawn anew meanwhile has no box.
    ada.until(lambda: ada.message("Hello").locator(".meta__state").bounding_box())
    box = ada.message("Hello").locator(".meta__state").bounding_box()
    assert box["width"] >= 24 and box["height"] >= 24, box


def test_where_no_conversation_is_found_the_way_to_messages_can_be_met_by_a_finger(people):
    (ada,) = people("Ada")
    ada.textbox("Search").fill("nobody of this name")
    box = ada.link("Search messages").bounding_box()
    assert box["height"] >= 24, box


def test_a_line_stands_between_the_parts_of_the_profile(people):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    expect(ada.page.get_by_role("heading", name="Privacy")).to_be_visible()
    widths = ada.page.locator("parley-profile .section").evaluate_all(
        "sections => sections.slice(1).map((section) => getComputedStyle(section).borderBlockStartWidth)")
    assert widths == ["1px"] * 4, widths


CUT = "node => getComputedStyle(node).textOverflow === 'ellipsis' && getComputedStyle(node).display === 'block'"


def test_a_long_name_to_forward_to_is_cut_with_an_ellipsis(people):
    bart, = people(away=[LONG_NAME])
    (ada,) = people("Ada", width=320, height=640)
    ada.page.goto(bart.write_to(ada, "Hello").removeprefix("/v1"))
    ada.sees("Hello").chooses("Hello", "Forward")
    assert ada.page.get_by_role("dialog").get_by_text(LONG_NAME, exact=True).evaluate(CUT)


def test_the_emoji_picker_stands_at_what_has_opened_it_in_arabic_too(people):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", locale="ar")
    ada.page.goto(bob.write_to(ada, "Hello").removeprefix("/v1"))
    opener = ada.button(catalogue("ar")["conversation.emoji"])
    opener.click()
    picker, button = ada.page.get_by_role("dialog").bounding_box(), opener.bounding_box()
    assert picker["x"] <= button["x"] and button["x"] + button["width"] <= picker["x"] + picker["width"]


def test_a_voice_note_has_a_waveform_on_a_phone(people):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", width=320, height=640)
    ada.talk_to(bob)
    attach(ada, ("note.wav", "audio/wav", silence(1)))
    ada.button("Send").click()
    bars = ada.messages.locator(".voice__wave > span")
    expect(bars).to_have_count(40)
    assert bars.evaluate_all("bars => Math.min(...bars.map((bar) => bar.getBoundingClientRect().width))") >= 1


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_the_title_of_a_screen_is_not_cut_on_a_phone(people, language):
    (ada,) = people("Ada", locale=language, width=320, height=640)
    for path in ("/starred", "/scheduled", "/blocked", "/profile/devices", "/group/new"):
        ada.page.goto(path)
        title = ada.page.get_by_role("heading", level=1).last
        expect(title).to_be_visible()
        assert title.evaluate("title => title.scrollWidth <= title.clientWidth"), path


def test_one_who_is_chosen_for_a_group_fits_on_a_phone(people):
    # The longest that a name may be.
    [bart] = people(away=["Bartholomew Featherstonehaughs"])
    (ada,) = people("Ada", width=320, height=640)
    ada.until(lambda: ada.fetch("GET", f"/v1/users?query={bart.email}")["body"]["items"])
    ada.page.goto("/group/new")
    ada.choose(bart)
    chosen = ada.page.locator(".chosen")
    expect(chosen.get_by_role("button")).to_have_count(1)
    assert chosen.evaluate("chosen => chosen.scrollWidth <= chosen.clientWidth")


def test_the_words_of_the_navigation_stand_below_their_icons(people):
    (ada,) = people("Ada", locale="ar", width=320, height=640)
    expect(ada.page.locator(".shell__link").last).to_have_css("text-align", "center")


def test_everyone_who_can_be_mentioned_has_the_picture_of_a_group(people):
    bob, eve = people(away=["Bob", "Eve"])
    (ada,) = people("Ada", locale="de")
    open_group(ada, make_group(ada, "Engines", bob, eve))
    ada.textbox("Nachricht").fill("@")
    everyone = ada.page.get_by_role("option", name="Alle", exact=True)
    expect(everyone.locator(".avatar > .icon")).to_be_visible()


def large_letters(person):
    line = person.context.new_cdp_session(person.page)
    line.send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})


def with_large_letters(person):
    """The person has set letters of twice the usual size in the browser, as many do on phones."""
    large_letters(person)
    person.page.reload()
    person.is_live()
    assert person.page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
    return person


def phone(people, *away, **context):
    (ada,) = people("Ada", width=390, height=700, **context)
    return [ada, *people(away=away)]


def test_large_letters_leave_room_for_people_to_be_chosen_for_a_group(people):
    ada, bob = phone(people, "Bob")
    with_large_letters(ada)
    ada.until(lambda: ada.fetch("GET", f"/v1/users?query={bob.email}")["body"]["items"])
    ada.page.goto("/group/new")
    ada.choose(bob)
    create = ada.button("Create")
    create.scroll_into_view_if_needed()
    # Nothing lies above it.
    create.click()
    expect(ada.textbox("Group name")).to_have_accessible_description("Please fill this in.")


def test_a_phone_that_lies_leaves_room_for_people_to_be_chosen_for_a_group(people):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", width=740, height=360)
    ada.until(lambda: ada.fetch("GET", f"/v1/users?query={bob.email}")["body"]["items"])
    ada.page.goto("/group/new")
    ada.choose(bob)


def test_large_letters_leave_every_button_of_a_dialog_to_be_pressed(people):
    ada, bob = phone(people, "Bob", locale="de")
    words = catalogue("de")
    path = bob.write_to(ada, "Hallo").removeprefix("/v1")
    with_large_letters(ada)
    ada.page.goto(path)
    ada.textbox(words["conversation.message"]).fill("Guten Tag")
    ada.page.keyboard.press("Enter")
    row = ada.page.locator(".message--own")
    row.locator(".bubble").click(button="right")
    ada.page.get_by_role("menuitem", name=words["action.delete"]).click()
    dialog = ada.page.get_by_role("dialog")
    cancel = dialog.get_by_role("button", name=words["action.cancel"])
    expect(cancel).to_be_focused()
    dialog.evaluate("dialog => dialog.scrollTo(0, 0)")
    dialog.hover()
    ada.page.mouse.wheel(0, 2_000)
    ada.until(lambda: cancel.bounding_box()["y"] + cancel.bounding_box()["height"] < dialog.bounding_box()["y"] + dialog.bounding_box()["height"] - 8)


def test_large_letters_leave_the_photo_to_be_seen(people):
    ada, bob = phone(people, "Bob")
    path = bob.write_to(ada, "Hello").removeprefix("/v1")
    with_large_letters(ada)
    ada.page.goto(path)
    attach(ada, ("one.png", "image/png", png(200, 300)), ("two.png", "image/png", png(200, 300)))
    ada.button("Send").click()
    ada.button("Open the photo").first.press("Enter")
    bar = ada.page.get_by_role("dialog", name="Photo").locator(".viewer__bar")
    expect(bar).to_be_visible()
    assert bar.bounding_box()["height"] < 300


def test_large_letters_leave_words_in_one_piece(people):
    ada, bob = phone(people, "Bob", permissions=["microphone"])
    path = bob.write_to(ada, "Hello").removeprefix("/v1")
    with_large_letters(ada)
    # Of the devices, another one than this has the button to sign it out.
    Account(ada.server, "Ada", ada.email).sign_in()
    ada.page.goto("/profile/devices")
    used = ada.page.get_by_text("Last used")
    expect(used).to_be_visible()
    assert used.bounding_box()["width"] > 150
    ada.page.goto(path)
    ada.button("Record a voice message").click()
    timer = ada.page.get_by_role("timer")
    expect(timer).to_be_visible()
    assert ada.page.locator(".voice-bar").bounding_box()["height"] < 100


def test_large_letters_leave_emoji_beside_each_other(people):
    ada, bob = phone(people, "Bob")
    path = bob.write_to(ada, "Hello").removeprefix("/v1")
    with_large_letters(ada)
    ada.page.goto(path)
    ada.button("Emoji").click()
    emoji = ada.page.get_by_role("dialog").get_by_role("button")
    expect(emoji.first).to_be_focused()
    assert emoji.first.bounding_box()["width"] >= 70
    # The next one below.
    ada.page.keyboard.press("ArrowDown")
    below = ada.page.locator(":focus").bounding_box()
    first = emoji.first.bounding_box()
    assert below["x"] == first["x"] and below["y"] > first["y"], (below, first)


def test_large_letters_leave_files_within_their_messages(people):
    ada, bob = phone(people, "Bob")
    path = bob.write_to(ada, "Hello").removeprefix("/v1")
    with_large_letters(ada)
    ada.page.goto(path)
    attach(ada, ("drawings.pdf", "application/pdf", b"%PDF-1.4"))
    ada.button("Send").click()
    file = ada.messages.get_by_role("link", name="drawings.pdf")
    expect(file).to_be_visible()
    # The row is made anew when it is sent.
    ada.sees_state("drawings.pdf", "Sent")
    inner, outer = file.bounding_box(), ada.page.locator(".bubble").last.bounding_box()
    assert outer["x"] <= inner["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"] <= 390


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_what_stands_where_one_writes_takes_one_line_on_a_phone(people, language):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", locale=language, width=320, height=640)
    ada.page.goto(bob.write_to(ada, "Hello").removeprefix("/v1"))
    box = ada.textbox(catalogue(language)["conversation.message"])
    expect(box).to_be_visible()
    assert box.bounding_box()["height"] <= 44


def test_buttons_of_a_dark_dialog_are_told_from_its_ground(people):
    (ada,) = people("Ada", color_scheme="dark")
    ada.link("Profile").click()
    ada.button("Delete account").click()
    dialog = ada.page.get_by_role("dialog")
    ground, button = (
        each.evaluate("node => getComputedStyle(node).backgroundColor.match(/[0-9]+/g).map(Number)")
        for each in (dialog, dialog.get_by_role("button", name="Cancel")))
    assert sum(button) - sum(ground) > 36, (ground, button)


# What lies beyond the window's sides, but where one scrolls there on purpose; and what has less room than two letters for its words.
BEYOND = """() => [...document.querySelectorAll('body *')].filter((node) => {
    if (!node.checkVisibility({visibilityProperty: true}) || node.closest('svg, .visually-hidden, .skip-link, .chats__filters')) return false;
    const box = node.getBoundingClientRect();
    if (box.width === 0) return false;
    const isNarrow = node.matches('p, bdi, .row__detail, .file__name') && node.textContent.length > 5 && box.width < 56;
    return isNarrow || box.left < -1 || box.right > document.documentElement.clientWidth + 1;
}).map((node) => node.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_large_letters_leave_every_screen_within_a_narrow_phone(people, stranger, language):
    ada, bob, eve = people("Ada", away=[LONG_NAME, "Eve"])
    paths = furnish(ada, bob, eve)
    ada.page.goto(paths["group"])
    attach(ada, ("drawings.pdf", "application/pdf", b"%PDF-1.4"), ("note.wav", "audio/wav", silence(1)))
    ada.button("Send").click()
    expect(ada.messages.get_by_role("link", name="drawings.pdf")).to_be_visible()
    invite = ada.fetch("POST", f"/v1{paths['group']}/invites", {})["body"]["code"]
    beyond = {}
    for person, screens in ((ada, paths | {"invited": f"/invite/{invite}"}), (stranger("Nobody"), OPEN)):
        person.page.set_viewport_size({"width": 320, "height": 640})
        person.page.goto("/sign-in")
        person.page.evaluate("language => localStorage.setItem('parley.language', language)", language)
        large_letters(person)
        for name, path in screens.items():
            open_screen(person, path)
            if found := person.page.evaluate(BEYOND):
                beyond[name] = found
    assert not beyond, beyond


def test_large_letters_leave_a_recording_and_a_menu_within_a_narrow_phone(people):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", width=320, height=640, permissions=["microphone"])
    path = bob.write_to(ada, "Hello").removeprefix("/v1")
    with_large_letters(ada)
    ada.page.goto(path)
    ada.button("Record a voice message").click()
    expect(ada.page.get_by_role("timer")).to_be_visible()
    assert ada.page.evaluate(BEYOND) == []
    ada.button("Discard the recording").click()
    ada.page.locator(".conversation__header").get_by_role("button", name="More").click()
    expect(ada.page.get_by_role("menuitem").first).to_be_focused()
    assert ada.page.evaluate(BEYOND) == []


# Of the texts that are cut, those that have Latin letters and are cut at their beginning, which a line from the right has at its left.
BEHEADED = """() => [...document.querySelectorAll('body *')].filter((node) => {
    const {textOverflow, direction} = getComputedStyle(node);
    return textOverflow === 'ellipsis' && node.scrollWidth > node.clientWidth + 1 && /[A-Z]/.test(node.textContent) && direction === 'rtl';
}).map((node) => node.outerHTML)"""


def test_latin_names_are_cut_at_their_end_in_arabic_too(people):
    bart, eve = people(away=[LONG_NAME, "Eve"])
    (ada,) = people("Ada", locale="ar", width=320, height=640)
    name = "The Society for the Improvement of Analytical Engines"
    path = make_group(bart, name, ada, eve)
    bart.write(path, "Hello, what is the state of the engine?")
    expect(ada.page.locator(".chat__last")).to_contain_text("Hello")
    assert ada.page.evaluate(BEHEADED) == []
    open_group(ada, path)
    expect(ada.page.locator(".conversation__about")).to_contain_text("Eve")
    assert ada.page.evaluate(BEHEADED) == []
    [said] = [message for message in ada.fetch("GET", f"{path}/messages")["body"]["items"] if message["kind"] == "text"]
    assert ada.fetch("PUT", f"{path}/messages/{said['id']}/star")["status"] == 201
    open_screen(ada, "/starred")
    row = ada.page.locator("parley-starred .row__line")
    expect(row).to_contain_text(name)
    assert ada.page.evaluate(BEHEADED) == []
    # Who has written it, and when, have their room.
    title = row.locator(".row__title").bounding_box()
    assert title["width"] > 80, title
