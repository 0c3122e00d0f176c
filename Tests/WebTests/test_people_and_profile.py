"""People, and what one says of oneself."""

import base64
import json
import re

from person import PASSWORD
from playwright.sync_api import expect

# A picture of 2 by 2.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==")


def test_people_are_found_by_name_and_by_email(people):
    ada, bob = people("Ada Lovelace", away=["Bob Quixotic"])
    ada.open_people()
    ada.textbox("Search").fill("quixo")
    expect(ada.people.get_by_role("listitem", name="Bob Quixotic")).to_be_visible()
    ada.textbox("Search").fill(bob.email)
    expect(ada.people.get_by_role("listitem")).to_have_count(1)
    ada.textbox("Search").fill("nobody-of-this-name-at-all")
    expect(ada.page.get_by_text("Nobody found")).to_be_visible()


def test_a_tap_on_a_person_opens_the_conversation(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    expect(ada.page).to_have_url(re.compile("/conversations/[0-9a-f-]{36}"))


def test_the_navigation_marks_what_a_screen_was_opened_from(people):
    (ada,) = people("Ada")

    def is_marked(name, heading):
        expect(ada.page.get_by_role("heading", name=heading, exact=True, level=1)).to_be_visible()
        expect(ada.page.get_by_role("navigation").locator("[aria-current]")).to_have_count(1)
        expect(ada.link(name)).to_have_attribute("aria-current", "page")

    ada.open_people()
    ada.button("New group").click()
    is_marked("People", "New group")
    ada.page.reload()
    is_marked("People", "New group")
    ada.link("Chats").click()
    is_marked("Chats", "Chats")
    ada.button("New group").click()
    is_marked("Chats", "New group")
    # The way back leads past what was opened from elsewhere.
    for name, heading in (("Chats", "Chats"), ("People", "New group"), ("People", "People")):
        ada.page.go_back()
        is_marked(name, heading)
    ada.link("Profile").click()
    ada.link("Starred messages").click()
    is_marked("Profile", "Starred messages")


def test_a_new_name_shows_in_the_browsers_of_others(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("Hello")
    bob.link("Chats").click()
    expect(bob.conversation("Ada")).to_be_visible()
    ada.link("Profile").click()
    ada.button("Change name").click()
    ada.textbox("Name").fill("Ada King")
    ada.textbox("Name").press("Enter")
    expect(ada.page.get_by_role("dialog")).to_have_count(0)
    expect(ada.page.get_by_text("Ada King").first).to_be_visible()
    expect(bob.conversation("Ada King")).to_be_visible()


def test_a_photo_is_chosen_shown_and_taken_away(people):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    with ada.page.expect_file_chooser() as chooser:
        ada.button("Add photo").click()
    chooser.value.set_files({"name": "me.png", "mimeType": "image/png", "buffer": PICTURE})
    expect(ada.page.locator(".portrait img")).to_be_visible()
    ada.button("Change photo").click()
    ada.page.get_by_role("menuitem", name="Remove photo").click()
    expect(ada.page.locator(".portrait img")).to_have_count(0)


def test_a_file_that_is_no_picture_is_refused_in_words(people):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    for name, kind, words in [
        ("notes.txt", "text/plain", "Please choose a JPEG, PNG or WebP picture."),
        ("fake.png", "image/png", "Please choose a JPEG, PNG or WebP picture."),
    ]:
        with ada.page.expect_file_chooser() as chooser:
            ada.button("Add photo").click()
        chooser.value.set_files({"name": name, "mimeType": kind, "buffer": b"not a picture"})
        expect(ada.page.get_by_role("alert").filter(has_text=words).first).to_be_visible()


def test_settings_hold_beyond_a_reload(people):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    receipts = ada.page.get_by_role("switch", name="Read receipts")
    expect(receipts).to_be_checked()
    with ada.page.expect_response(lambda answer: answer.url.endswith("/v1/me") and answer.request.method == "PATCH"):
        receipts.click()
    ada.page.reload()
    expect(ada.page.get_by_role("switch", name="Read receipts")).not_to_be_checked()


def test_the_theme_is_chosen(people):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    ada.page.get_by_label("Theme").select_option("dark")
    assert ada.page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"
    ada.page.reload()
    expect(ada.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_password_is_changed_and_the_wrong_one_is_told(people):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    ada.button("Change password").click()
    dialog = ada.page.get_by_role("dialog")
    dialog.get_by_label("Current password").fill("not the password")
    dialog.get_by_label("New password").fill("another horse")
    dialog.get_by_role("button", name="Change password").click()
    expect(dialog.get_by_text("This is not your password.")).to_be_visible()
    # Who comes to the field hears what describes it.
    expect(dialog.get_by_label("Current password")).to_be_focused()
    expect(dialog.get_by_label("Current password")).to_have_attribute("aria-invalid", "true")
    expect(dialog.get_by_label("Current password")).to_have_accessible_description("This is not your password.")
    dialog.get_by_label("Current password").fill(PASSWORD)
    dialog.get_by_role("button", name="Change password").click()
    expect(ada.page.get_by_text("Your password is changed.")).to_be_visible()


def test_one_s_own_data_is_downloaded(people):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    with ada.page.expect_download() as download:
        ada.button("Download my data").click()
    lines = [json.loads(line) for line in open(download.value.path())]
    assert lines[0]["type"] == "account" and lines[0]["email"] == ada.email
    assert lines[-1]["type"] == "end"


def test_a_photo_is_uploaded_once_where_the_answer_is_lost(people, tmp_path):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    photo = tmp_path / "photo.png"
    photo.write_bytes(PICTURE)
    ada.loses_an_answer("**/v1/attachments?*", "POST")
    keys = []
    ada.page.on("request", lambda request: "/v1/attachments?" in request.url and keys.append(request.headers["idempotency-key"]))
    for shown in (ada.page.locator(".toast").filter(has_text="You are offline."), ada.button("Change photo")):
        with ada.page.expect_file_chooser() as chooser:
            ada.button("Add photo").click()
        chooser.value.set_files(photo)
        expect(shown).to_be_visible()
    assert len(keys) == 2 and len(set(keys)) == 1, keys


def test_an_account_is_deleted_by_who_has_just_signed_in(people):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    ada.button("Delete account").click()
    dialog = ada.page.get_by_role("dialog")
    expect(dialog.get_by_text("erased for good")).to_be_visible()
    expect(dialog.get_by_label("Password", exact=True)).to_have_count(0)
    dialog.get_by_role("button", name="Delete for good").click()
    expect(ada.page).to_have_url(re.compile("/sign-in"))
    ada.sign_in()
    expect(ada.page.get_by_role("alert")).to_have_text("The email or the password is wrong.")


def test_an_account_is_deleted_with_the_password(people):
    (ada,) = people("Ada")

    def signed_in_long_ago(route):
        answer = route.fetch()
        sessions = answer.json()
        # Once the account is gone it is refused.
        for session in sessions.get("items", []):
            session["createdAt"] = "2026-01-01T00:00:00.000Z"
        route.fulfill(response=answer, json=sessions)

    ada.page.route("**/v1/sessions", signed_in_long_ago)
    ada.link("Profile").click()
    ada.button("Delete account").click()
    dialog = ada.page.get_by_role("dialog")
    dialog.get_by_label("Password", exact=True).fill(PASSWORD)
    dialog.get_by_role("button", name="Delete for good").click()
    expect(ada.page).to_have_url(re.compile("/sign-in"))
    ada.sign_in()
    expect(ada.page.get_by_role("alert")).to_have_text("The email or the password is wrong.")


def test_somebody_is_blocked_reported_and_unblocked(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.open_info()
    ada.button("Report").click()
    dialog = ada.page.get_by_role("dialog")
    # What is wrong comes first, and no phone's keyboard covers it.
    expect(dialog.get_by_label("Spam")).to_be_focused()
    reason, comment = (dialog.get_by_label(name).bounding_box() for name in ("Spam", re.compile("Anything to add")))
    assert reason["y"] < comment["y"]
    dialog.get_by_label("Fraud").check()
    dialog.get_by_role("button", name="Report").click()
    expect(ada.page.get_by_text("Thank you. Your report")).to_be_visible()
    ada.button("Block").click()
    ada.page.get_by_role("dialog").get_by_role("button", name="Block").click()
    expect(ada.button("Unblock")).to_be_visible()
    ada.link("Profile").click()
    ada.link("Blocked").click()
    ada.page.get_by_role("button", name="Unblock Bob").click()
    expect(ada.page.get_by_text("You have blocked nobody")).to_be_visible()
