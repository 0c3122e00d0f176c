"""What is on the screen can be seen whole, and is large enough to be met by a finger."""

import pytest
from playwright.sync_api import expect
from test_conversation_files import attach
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
