"""Photos and files: chosen, pasted, dropped, shown without a jump, and opened by keys."""

import re
import struct
import zlib

from playwright.sync_api import expect


def png(width, height, colours=None):
    """A picture that goes from dark to light, or has these colours: three bytes for each point, row by row."""
    if colours is None:
        colours = bytes((x * 255 // width, y * 255 // height, 128)[c] for y in range(height) for x in range(width) for c in range(3))
    rows = b"".join(b"\0" + colours[y * width * 3 : (y + 1) * width * 3] for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def attach(person, *files):
    with person.page.expect_file_chooser() as chooser:
        person.button("Attach").click()
    chooser.value.set_files([{"name": name, "mimeType": kind, "buffer": data} for name, kind, data in files])
    expect(person.page.get_by_role("list", name="Chosen files").get_by_role("listitem")).to_have_count(len(files))


def choose_of_photo(person, action):
    photo = person.page.get_by_role("button", name="Open the photo")
    person.messages.get_by_role("listitem").filter(has=photo).click(button="right")
    person.page.get_by_role("menuitem", name=action, exact=True).click()


def test_a_photo_goes_with_words_and_keeps_its_room_before_it_is_there(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("look").sees_state("look", "Sent")
    bob.open_conversation("Ada").sees("look")
    held, is_open = [], []
    bob.page.route("**/content*", lambda route: route.continue_() if is_open else held.append(route))
    attach(ada, ("engine.png", "image/png", png(320, 200)))
    ada.say("the engine")
    photo = bob.message("the engine").get_by_role("button", name="Open the photo")
    expect(photo).to_be_visible()
    before = photo.bounding_box()
    bob.page.wait_for_function("() => document.querySelectorAll('.photo img').length > 0")
    is_open.append(True)
    for route in held:
        route.continue_()
    expect(bob.page.locator(".photo--loaded")).to_be_visible()
    after = photo.bounding_box()
    assert (before["width"], before["height"]) == (after["width"], after["height"])
    ada.sees_state("the engine", "Read")


def test_a_photo_stays_inside_its_bubble_on_a_phone(people):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", width=360, height=700)
    ada.talk_to(bob)
    attach(ada, ("wide.png", "image/png", png(960, 600)))
    ada.say("wide").sees_state("wide", "Sent")
    # Until then the bubble is drawn anew as the photo goes from here to the server.
    expect(ada.message("wide").locator(".photo--loaded")).to_be_visible()
    photo = ada.message("wide").get_by_role("button", name="Open the photo")
    inner, outer = photo.bounding_box(), ada.message("wide").locator(".bubble").bounding_box()
    assert outer["x"] <= inner["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"] <= 360


def test_a_quote_of_a_photo_that_is_deleted_shows_nothing_of_it(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    attach(ada, ("engine.png", "image/png", png(320, 200)))
    ada.button("Send").click()
    bob.open_conversation("Ada")
    choose_of_photo(bob, "Reply")
    bob.say("indeed")
    answer = bob.message("indeed")
    expect(answer).to_contain_text("Photo")
    choose_of_photo(ada, "Delete")
    ada.button("Delete for everyone").click()
    bob.sees("This message was deleted")
    expect(answer).not_to_contain_text("Photo")


def test_several_photos_are_leafed_through_by_keys(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    attach(ada, ("one.png", "image/png", png(40, 40)), ("two.png", "image/png", png(60, 30)))
    ada.button("Send").click()
    ada.sees_state("", "Sent")
    ada.page.get_by_role("button", name="Open the photo").first.click()
    viewer = ada.page.get_by_role("dialog")
    expect(viewer).to_contain_text("1 of 2")
    keys = ada.page.keyboard
    for key, place in [("ArrowRight", "2 of 2"), ("ArrowLeft", "1 of 2"), ("ArrowLeft", "2 of 2"), ("ArrowRight", "1 of 2")]:
        keys.press(key)
        expect(viewer).to_contain_text(place)
    size = viewer.locator(".viewer__picture")
    for key, scale in [("+", "1.5"), ("+", "2.25"), ("-", "1.5"), ("0", "1"), ("-", "1")]:
        keys.press(key)
        assert size.evaluate("picture => picture.style.getPropertyValue('--scale')") == scale, key
    keys.press("Escape")
    expect(viewer).to_have_count(0)


def test_a_photo_over_the_whole_screen_has_its_words_below_it(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    attach(ada, ("engine.png", "image/png", png(200, 900)))
    ada.say("the <b>engine</b>, see https://example.org/engine")
    bob.open_conversation("Ada")
    for person in (ada, bob):
        person.page.get_by_role("button", name="Open the photo").click()
        viewer = person.page.get_by_role("dialog", name="Photo")
        words = viewer.get_by_text("the <b>engine</b>, see")
        expect(words).to_be_visible()
        expect(viewer).to_have_accessible_description("the <b>engine</b>, see https://example.org/engine")
        expect(viewer.get_by_role("link", name="https://example.org/engine")).to_have_attribute("rel", re.compile("noreferrer"))
        picture = viewer.locator(".viewer__picture")
        person.until(lambda: picture.evaluate("picture => picture.complete && picture.naturalHeight > 0"))
        photo, below = picture.bounding_box(), words.bounding_box()
        # The words cover nothing of it, and nothing of the words lies below the window.
        assert photo["y"] + photo["height"] <= below["y"] and below["y"] + below["height"] <= 800
        person.page.keyboard.press("Escape")
        expect(viewer).to_have_count(0)


def test_a_photo_without_words_has_none_below_it(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    attach(ada, ("engine.png", "image/png", png(40, 40)))
    ada.button("Send").click()
    ada.page.get_by_role("button", name="Open the photo").click()
    viewer = ada.page.get_by_role("dialog", name="Photo")
    expect(viewer).to_be_visible()
    expect(viewer.locator(".viewer__caption")).to_have_count(0)


def test_a_file_arrives_with_its_name(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    attach(ada, ("notes <b>.txt", "text/plain", b"on the engine"))
    ada.button("Send").click()
    bob.open_conversation("Ada")
    with bob.page.expect_download() as download:
        bob.page.get_by_role("link", name="notes").click()
    with open(download.value.path(), "rb") as file:
        assert file.read() == b"on the engine"


def test_a_file_that_is_empty_is_refused_with_the_reason(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    with ada.page.expect_file_chooser() as chooser:
        ada.button("Attach").click()
    chooser.value.set_files([{"name": "nothing.txt", "mimeType": "text/plain", "buffer": b""}])
    expect(ada.page.get_by_text("nothing.txt is empty.")).to_be_visible()


# Pastes files into the field for messages: names, types, and the bytes, or how many of nothing.
PASTE = """(text, files) => {
    const data = new DataTransfer();
    for (const [name, type, bytes] of files) data.items.add(new File([new Uint8Array(bytes)], name, {type}));
    text.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
}"""


def test_how_large_files_and_pictures_may_be_is_what_the_server_says(people, server_of_large_files):
    ada, bob = people("Ada", away=["Bob"], at=server_of_large_files)
    ada.talk_to(bob)
    box = ada.textbox("Message")
    chosen = ada.page.get_by_role("list", name="Chosen files").get_by_role("listitem")
    alert = ada.page.get_by_role("alert")
    box.evaluate(PASTE, [["film.mp4", "video/mp4", 30 * 1024 * 1024 + 1], ["short.mp4", "video/mp4", 30 * 1024 * 1024]])
    expect(alert.filter(has_text="film.mp4 is too large: at most 31.5 MB.")).to_be_visible()
    expect(chosen).to_have_accessible_name("short.mp4")
    ada.link("Profile").click()
    ada.choose_photo("Add photo", bytes(1024 * 1024 + 1))
    expect(alert.filter(has_text="This picture is too large. At most 1 MB.")).to_be_visible()


def test_where_the_server_tells_no_limits_the_usual_ones_hold(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    alert = ada.page.get_by_role("alert").filter(has_text="film.mp4 is too large: at most 26.2 MB.")
    ada.page.route("**/v1/server", lambda route: route.abort())
    ada.textbox("Message").evaluate(PASTE, [["film.mp4", "video/mp4", 25 * 1024 * 1024 + 1]])
    expect(alert).to_be_visible()


def test_files_that_are_too_large_or_too_many_are_refused_with_the_reason(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    box = ada.textbox("Message")
    chosen = ada.page.get_by_role("list", name="Chosen files").get_by_role("listitem")
    alert = ada.page.get_by_role("alert")
    box.evaluate(PASTE, [["film.mp4", "video/mp4", 25 * 1024 * 1024 + 1], ["notes.txt", "text/plain", list(b"notes")]])
    expect(alert.filter(has_text="film.mp4 is too large: at most 26.2 MB.")).to_be_visible()
    # The other one goes all the same.
    expect(chosen).to_have_count(1)
    box.evaluate(PASTE, [[f"page {number}.txt", "text/plain", list(b"a page")] for number in range(10)])
    expect(alert.filter(has_text="At most 10 files go in one message.")).to_be_visible()
    expect(chosen).to_have_count(10)
    box.fill("nine pages")
    ada.button("Send").click()
    ada.sees_state("nine pages", "Sent", timeout=60_000)
    bob.open_conversation("Ada")
    expect(bob.message("nine pages").get_by_role("link")).to_have_count(10)


def test_a_picture_is_pasted(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    ada.textbox("Message").evaluate(PASTE, [["pasted.png", "image/png", list(png(20, 20))]])
    expect(ada.page.get_by_role("list", name="Chosen files").get_by_role("listitem", name="pasted.png")).to_be_visible()
    ada.say("pasted").sees_state("pasted", "Sent")
    bob.open_conversation("Ada")
    expect(bob.message("pasted").locator(".photo--loaded")).to_be_visible()


def test_files_are_dropped_on_the_conversation(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    ada.page.locator("parley-conversation").evaluate(
        """(conversation, bytes) => {
            const data = new DataTransfer();
            data.items.add(new File(['on the engine'], 'dropped.txt', {type: 'text/plain'}));
            data.items.add(new File([new Uint8Array(bytes)], 'dropped.png', {type: 'image/png'}));
            for (const type of ['dragenter', 'dragover', 'drop'])
                conversation.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
        }""",
        list(png(20, 20)))
    chosen = ada.page.get_by_role("list", name="Chosen files")
    for name in ("dropped.txt", "dropped.png"):
        expect(chosen.get_by_role("listitem", name=name)).to_be_visible()
    ada.say("dropped").sees_state("dropped", "Sent")
    bob.open_conversation("Ada")
    expect(bob.message("dropped").locator(".photo--loaded")).to_be_visible()
    expect(bob.message("dropped").get_by_role("link", name="dropped.txt")).to_be_visible()


def test_files_that_come_while_another_is_made_ready_all_go(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    chooser = ada.page.locator("parley-composer input[type=file]")
    chooser.set_input_files({"name": "large.png", "mimeType": "image/png", "buffer": png(1500, 1500)})
    chooser.set_input_files({"name": "note.txt", "mimeType": "text/plain", "buffer": b"small"})
    chosen = ada.page.get_by_role("list", name="Chosen files").get_by_role("listitem")
    expect(chosen).to_have_count(2)
    ada.say("both of them").sees_state("both of them", "Sent")
    assert [file["name"] for file in ada.said("both of them")["attachments"]] == ["large.png", "note.txt"]


def test_files_that_were_chosen_wait_while_one_looks_elsewhere(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.talk_to(bob)
    attach(ada, ("note.txt", "text/plain", b"wait for me"))
    ada.talk_to(eve)
    expect(ada.page.get_by_role("list", name="Chosen files")).to_be_hidden()
    ada.link("Chats").click()
    ada.talk_to(bob)
    expect(ada.page.get_by_role("list", name="Chosen files").get_by_role("listitem")).to_have_count(1)
    ada.button("Send").click()
    ada.sees_state("note.txt", "Sent")
