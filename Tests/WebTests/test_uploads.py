"""Files that do not get through at once: they go on where they were, and nobody has to choose them again."""

import os

import pytest
from playwright.sync_api import expect
from test_conversation_files import attach, png

# More than two of the pieces in which the server keeps what has come, and two of them.
NOTES = b"On the engine, once more.\n" * 10_083
PART = 131_072


def problem(status, code, retryable=False):
    return {"type": "about:blank", "title": code, "status": status, "code": code, "retryable": retryable}


def downloaded(person, name):
    with person.page.expect_download() as download:
        person.page.get_by_role("link", name=name).click()
    with open(download.value.path(), "rb") as file:
        return file.read()


def test_a_photo_shows_how_much_of_it_is_there(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    # Of noise, so that it stays as large as it is: some seconds on a slow line.
    photo = png(360, 300, os.urandom(360 * 300 * 3))
    line = ada.context.new_cdp_session(ada.page)
    line.send("Network.enable")
    speed = {"offline": False, "latency": 0, "downloadThroughput": -1}
    line.send("Network.emulateNetworkConditions", speed | {"uploadThroughput": 100_000})
    attach(ada, ("sea.png", "image/png", photo))
    ada.say("the sea").sees_state("the sea", "Sending")
    ada.page.wait_for_function("() => document.querySelector('progress.upload')?.value > 0")
    assert 0 < ada.page.evaluate("document.querySelector('progress.upload').value") < 1
    line.send("Network.emulateNetworkConditions", speed | {"uploadThroughput": -1})
    ada.sees_state("the sea", "Sent")
    expect(ada.page.locator("progress")).to_have_count(0)
    bob.open_conversation("Ada").sees("the sea")


def test_an_upload_that_breaks_off_in_the_middle_goes_on_where_the_server_has_it(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    asked, kept = [], []

    def break_off(route):
        asked.append(route.request.method)
        if route.request.method != "PUT":
            return route.continue_()
        # What the server has by then, it says that it has.
        headers = {name: value for name, value in route.request.headers.items() if name != "content-length"}
        headers |= {"origin": ada.server.url, "upload-complete": "?0", "upload-length": str(len(NOTES))}
        answer = route.fetch(headers=headers, post_data=NOTES[:PART])
        kept.append((answer.status, answer.headers.get("upload-offset")))
        return route.abort("connectionreset")

    ada.page.route("**/v1/attachments/*", break_off)
    attach(ada, ("notes.txt", "text/plain", NOTES))
    ada.say("the notes").sees_state("the notes", "Sent")
    assert kept == [(201, str(PART))]
    assert asked == ["PUT", "HEAD", "PATCH"]
    bob.open_conversation("Ada").sees("the notes")
    assert downloaded(bob, "notes.txt") == NOTES


def test_an_upload_is_tried_again_by_itself_where_the_server_is_busy_and_by_hand_where_it_refuses(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    answers = [(503, "overloaded", True), (403, "forbidden", False)]
    refused = []

    def refuse(route):
        if route.request.method != "PUT" or not answers:
            return route.continue_()
        status, code, retryable = answers.pop(0)
        refused.append(status)
        return route.fulfill(
            status=status, json=problem(status, code, retryable), headers={"Retry-After": "0", "Content-Type": "application/problem+json"})

    ada.page.route("**/v1/attachments/*", refuse)
    attach(ada, ("engine.png", "image/png", png(120, 80)))
    ada.say("the engine").sees_state("the engine", "Failed")
    assert refused == [503, 403]
    expect(ada.message("the engine").get_by_text("You are not allowed to do this.")).to_be_visible()
    # A file that is refused holds up nothing.
    ada.say("never mind").sees_state("never mind", "Sent")
    ada.message("the engine").get_by_role("button", name="Try again").click()
    ada.sees_state("the engine", "Sent")
    bob.open_conversation("Ada").sees_all("never mind", "the engine")
    expect(bob.page.locator(".photo--loaded")).to_be_visible()


@pytest.mark.parametrize("status, code, words", [
    (413, "payloadTooLarge", "This file is too large."),
    (415, "unsupportedMediaType", "Files of this kind are not accepted here."),
    (507, "insufficientStorage", "The server has no room for this at the moment."),
])
def test_a_file_that_the_server_refuses_says_why(people, status, code, words):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.page.route(
        "**/v1/attachments/*",
        lambda route: route.fulfill(status=status, json=problem(status, code), content_type="application/problem+json"))
    attach(ada, ("notes.txt", "text/plain", NOTES))
    ada.say("the notes").sees_state("the notes", "Failed")
    expect(ada.message("the notes").get_by_text(words, exact=True)).to_be_visible()
    # It is there until somebody takes it away.
    ada.chooses("the notes", "Delete")
    expect(ada.message("the notes")).to_have_count(0)


def test_an_upload_without_a_network_waits_for_it_and_survives_a_reload(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    lost = []

    def lose(route):
        lost.append(route.request.method)
        return route.abort("internetdisconnected")

    ada.page.route("**/v1/attachments/*", lose)
    attach(ada, ("engine.png", "image/png", png(120, 80)))
    ada.say("the engine").sees_state("the engine", "Sending")
    ada.until(lambda: "PUT" in lost)
    ada.keeps("outbox", "the engine")
    ada.page.unroute("**/v1/attachments/*")
    ada.page.reload()
    ada.sees_state("the engine", "Sent")
    bob.open_conversation("Ada").sees_all("the engine")
    expect(bob.page.locator(".photo--loaded")).to_be_visible()


def test_what_is_withdrawn_while_its_file_goes_up_is_never_sent(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    held = []
    ada.page.route("**/v1/attachments/*", lambda route: held.append(route))
    attach(ada, ("notes.txt", "text/plain", NOTES))
    ada.say("the notes").sees_state("the notes", "Sending")
    ada.until(lambda: held)
    ada.keeps("outbox", "the notes")
    ada.chooses("the notes", "Delete")
    expect(ada.message("the notes")).to_have_count(0)
    held[0].continue_()
    # What waits behind it goes out, and nothing is left for the next page.
    ada.say("and on").sees_state("and on", "Sent")
    ada.page.unroute("**/v1/attachments/*")
    ada.page.reload()
    ada.is_live()
    ada.say("still here").sees_state("still here", "Sent")
    bob.open_conversation("Ada").sees_all("hello", "and on", "still here")
    assert ada.kept_keys("outbox") == []


# How many files the page holds by addresses of its own.
ADDRESSES = """
window.addresses = new Set();
const {createObjectURL, revokeObjectURL} = URL;
URL.createObjectURL = (blob) => {
    const address = createObjectURL.call(URL, blob);
    addresses.add(address);
    return address;
};
URL.revokeObjectURL = (address) => {
    addresses.delete(address);
    revokeObjectURL.call(URL, address);
};
"""


def test_a_photo_that_is_sent_withdrawn_or_chosen_no_more_is_held_no_longer(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.context.add_init_script(ADDRESSES)
    ada.page.reload()
    ada.is_live().talk_to(bob)
    held = lambda: ada.page.evaluate("addresses.size")
    attach(ada, ("one.png", "image/png", png(40, 40)))
    assert held() == 1
    ada.button("Remove one.png").click()
    ada.until(lambda: held() == 0)
    attach(ada, ("two.png", "image/png", png(40, 40)))
    ada.say("sent").sees_state("sent", "Sent")
    ada.until(lambda: held() == 0)
    expect(ada.message("sent").locator(".photo--loaded")).to_be_visible()
    ada.page.route("**/v1/attachments/*", lambda route: route.abort())
    attach(ada, ("three.png", "image/png", png(40, 40)))
    ada.say("withdrawn").sees_state("withdrawn", "Sending")
    assert held() == 1
    ada.chooses("withdrawn", "Delete")
    ada.until(lambda: held() == 0)


def test_a_file_that_was_deleted_since_it_was_chosen_says_so_and_takes_nothing_with_it(people, tmp_path):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    file = tmp_path / "notes.txt"
    file.write_bytes(NOTES)
    with ada.page.expect_file_chooser() as chooser:
        ada.button("Attach").click()
    chooser.value.set_files(file)
    expect(ada.page.get_by_role("list", name="Chosen files").get_by_role("listitem")).to_have_count(1)
    file.unlink()
    ada.say("gone").sees_state("gone", "Failed")
    expect(ada.message("gone").get_by_text("This file cannot be read any more.", exact=False)).to_be_visible()
    # What is written after it goes out, and is kept.
    ada.say("after").sees_state("after", "Sent").keeps("timelines", "after")
