"""Whatever people write is text, and nothing else."""

import pytest
from playwright.sync_api import expect

MARKUP = [
    "<script>window.ran = true</script>",
    "<img src=x onerror='window.ran = true'>",
    "<svg onload=window.ran=true>",
    "javascript:window.ran=true",
    "[click](javascript:window.ran=true)",
    "https://example.org/\"onmouseover=\"window.ran=true",
    "{{constructor.constructor('window.ran=true')()}}",
]


def test_markup_in_messages_is_shown_and_not_run(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    for text in MARKUP:
        ada.say(text)
    bob.link("Chats").click()
    bob.open_conversation("Ada")
    for text in MARKUP:
        bob.sees(text)
    for person in (ada, bob):
        assert person.page.evaluate("window.ran") is None
        assert person.messages.locator("a[href^='javascript']").count() == 0
        assert person.messages.locator("script, svg[onload], img[onerror]").count() == 0


def test_the_page_s_policy_lets_no_markup_in_and_is_heard_to_say_so(people):
    (ada,) = people("Ada")
    refused = ada.page.evaluate("""() => ['innerHTML', 'outerHTML'].map((name) => {
        const place = document.body.appendChild(document.createElement('div'));
        try {
            place[name] = '<b>bold</b>';
            return 'taken';
        } catch (error) {
            return error.name;
        } finally {
            place.remove();
        }
    })""")
    assert refused == ["TypeError", "TypeError"]
    ada.until(lambda: any("require-trusted-types-for" in each for each in ada.complaints))
    # That was meant; whatever else a page complains of fails its test.
    ada.page.goto("about:blank")
    ada.complaints.clear()


def test_links_are_made_by_code_and_say_nothing_of_where_they_come_from(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("See https://example.org/path?a=1 and http://example.com.")
    link = ada.messages.get_by_role("link", name="https://example.org/path?a=1")
    expect(link).to_have_attribute("href", "https://example.org/path?a=1")
    assert "noreferrer" in link.get_attribute("rel") and "noopener" in link.get_attribute("rel")


@pytest.mark.parametrize("name", [
    "<b>Bold</b><img src=x>",
    "Z̴̡̛͉a̷̢̛͖l̸̨̛͙g̵̡̛͎ơ̶̧͓" * 2,
    "😀😀😀👨‍👩‍👧‍👦",
    "ｗｉｄｅ　ｎａｍｅ",
])
def test_names_of_any_kind_are_shown_as_they_are(people, name):
    bob, eve = people("Bob", away=[name[:30]])
    eve.write_to(bob, "Who am I?")
    bob.link("Chats").click()
    expect(bob.conversations.get_by_role("listitem")).to_have_count(1)
    bob.conversations.get_by_role("listitem").click()
    bob.sees("Who am I?")
    assert bob.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# How far to the right a part of an element's text begins.
BEGINNING = """(element, part) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const text = walker.nextNode();
    const range = document.createRange();
    range.setStart(text, text.data.lastIndexOf(part));
    range.setEnd(text, text.data.lastIndexOf(part) + part.length);
    return range.getBoundingClientRect().left;
}"""


def test_a_name_cannot_turn_the_words_around_it(people):
    ada, eve, bob = people("Ada", "Eve", away=["Bob"])
    name = "evil \u200f\u05d2\u05e0\u05e4\u200f.exe"
    ada.make_group(name, bob, eve)
    ada.sees_all(f"You created the group “{name}”")
    sentence = ada.messages.locator(".system")
    places = [sentence.evaluate(BEGINNING, part) for part in ("You", "evil", "exe", "”")]
    assert places == sorted(places), places
    ada.link("Chats").click()
    row = ada.conversation("evil")
    # Alone, it is as it was given, in a place of its own.
    expect(row.locator("bdi.row__title")).to_have_css("unicode-bidi", "isolate")
    assert row.locator("bdi.row__title").text_content() == name
    assert row.locator("bdi.row__title").bounding_box()["x"] < row.locator("time").bounding_box()["x"]
    # Signs that turn all that follows are refused.
    eve.link("Profile").click()
    eve.button("Change name").click()
    eve.textbox("Name").fill("Eve\u202elive")
    eve.textbox("Name").press("Enter")
    expect(eve.textbox("Name")).to_have_accessible_description("This is not valid.")


def test_names_of_marks_keep_the_height_of_what_shows_them(people):
    ada, bob, eve = people("Ada", "B" + "\u0301" * 29, "Eve")
    ada.make_group("G" + "\u0489\u0301\u0316" * 33, bob, eve)
    bob.talk_to(eve).say("plain").sees_state("plain", "Sent")
    bob.link("Chats").click()
    rows = bob.conversations.get_by_role("listitem")
    expect(rows).to_have_count(2)
    heights = [row.bounding_box()["height"] for row in rows.all()]
    assert abs(heights[0] - heights[1]) < 12, heights
    for row in rows.all():
        expect(row.locator("bdi.row__title.clip")).to_have_css("overflow", "hidden")
    # More of them than a name may have are refused in words.
    eve.link("Profile").click()
    eve.button("Change name").click()
    name = eve.textbox("Name")
    name.evaluate("input => { input.value = 'E' + '\\u0301'.repeat(9999); }")
    name.press("Enter")
    expect(name).to_have_accessible_description("A name has 2 to 30 characters.")
    assert eve.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert name.bounding_box()["height"] < 80


def test_ten_thousand_marks_on_one_sign_harm_nobody(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    for text in ["a" + "\u0301" * 9_999, "W" * 10_000, "\u202e" * 5_000 + "x", "👨‍👩‍👧‍👦" * 1_000]:
        ada.textbox("Message").fill(text)
        ada.button("Send").click()
    bob.open_conversation("Ada")
    expect(bob.messages.get_by_role("listitem")).to_have_count(4)
    assert bob.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bob.say("Still here")
    ada.sees("Still here")


def test_marks_on_one_sign_stay_inside_their_message_also_with_signs_between_them_that_show_nothing(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    for words, marks, contained in [("plain é", "", "none"), ("stacked", "\u0301" * 99, "paint"), ("joined", "\u0301\u200d" * 99, "paint")]:
        ada.say(f"{words}{marks} end")
        text = ada.messages.locator(".bubble__text").last
        expect(text).to_contain_text(words[:-1])
        expect(text).to_have_css("contain", contained)


def test_a_message_that_is_too_long_is_not_lost(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.textbox("Message").fill("x" * 10_001)
    ada.button("Send").click()
    # It is refused in words, and is there still.
    expect(ada.page.get_by_role("alert")).to_have_text("This message is too long: at most 10,000 characters.")
    expect(ada.textbox("Message")).to_have_value("x" * 10_001)
    ada.textbox("Message").fill("x" * 10_000)
    ada.button("Send").click()
    expect(ada.textbox("Message")).to_have_value("")
    ada.sees_state("xxx", "Sent")


def test_forged_addresses_open_nothing(people):
    (ada,) = people("Ada")
    for path in ("/conversations/not-an-id", "/conversations/00000000-0000-4000-8000-000000000000", "/invite/nonsense", "/invite/%2F%2Fevil.example"):
        ada.page.goto(path)
        expect(ada.page.get_by_role("heading").or_(ada.page.get_by_role("alert")).first).to_be_visible()
    ada.page.goto("/sign-in?to=https%3A%2F%2Fevil.example%2F")
    expect(ada.link("Chats")).to_be_visible()
    ada.page.goto("/sign-in?to=%2F%2Fevil.example%2F")
    expect(ada.link("Chats")).to_be_visible()
    assert ada.page.url.startswith(ada.server.url)


def test_the_beginning_of_a_long_message_ends_in_no_address_and_in_no_sign(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    address = f"https://example.org/{'a' * 100}?x=1"
    for text in (f"{'x' * 2_975} {address}", f"{'y' * 2_999}\U0001f600 and more"):
        assert ada.fetch("PUT", f"{ada.conversation_path()}/messages/{ada.new_id()}", {"text": text})["status"] == 201
    expect(ada.button("Show more")).to_have_count(2)
    expect(ada.messages.locator("a[href*='example.org']")).to_have_count(0)
    assert all(text.isprintable() for text in ada.messages.locator(".bubble__text").all_inner_texts())
    ada.button("Show more").first.press("Enter")
    expect(ada.messages.locator("a[href*='example.org']")).to_have_attribute("href", address)
    expect(ada.messages.get_by_role("listitem").nth(0)).to_be_focused()


def test_an_address_that_passes_for_another_one_s_is_no_link(people):
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "https://example.org/good")
    # What looks like the end of a name in them is a part of it, or shows nothing.
    for sign in "\u2215\u2044\u29f8\u3164\u2800\u200b\u02d0\u0338\U0001f517":
        bob.write(path, f"https://example.org{sign}login.evil.example/")
    # Letters of two scripts that look alike.
    bob.write(path, "https://g\u043e\u043egle.example/")
    names = [
        "https://m\u00fcnchen.example/", "https://\u03c0\u03b1\u03c1\u03ac.example:8080/a\u2215b", "http://[::1]:80/",
        "https://\u043f\u0440\u0438\u043c\u0435\u0440.example/", "https://\u4f8b\u3048.example/",
        "https://\u0939\u093f\u0928\u094d\u0926\u0940.example/",
    ]
    for name in names:
        bob.write(path, name)
    ada.open_conversation("Bob").sees(names[-1])
    assert ada.messages.get_by_role("link").all_text_contents() == ["https://example.org/good", *names]


@pytest.mark.parametrize("text", ["a" + "\n" * 9_990 + "z", "\n".join(str(number) for number in range(1_000)), "\u2028\r\n" * 900 + "z"])
def test_a_message_of_a_thousand_lines_takes_no_thousand_lines_of_the_list(people, text):
    ada, bob = people("Ada", away=["Bob"])
    path = bob.write_to(ada, "Before it")
    bob.write(path, text)
    ada.open_conversation("Bob")
    expect(ada.button("Show more")).to_be_visible()
    assert ada.messages.get_by_role("listitem").last.bounding_box()["height"] < 3_000
    ada.button("Show more").click()
    expect(ada.messages.locator(".bubble__text").last).to_contain_text(text[-1])
