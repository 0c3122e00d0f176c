"""Every screen, with something to see on it: what accessibility is checked on, and pictures are taken of."""

import datetime

from playwright.sync_api import expect

# For strangers.
OPEN = {
    "sign in": "/sign-in",
    "sign up": "/sign-up",
    "forgot password": "/forgot-password",
    "reset password": "/reset-password",
    "verify email": "/verify-email",
    "invite": "/invite/nonsense",
}


def furnish(ada, bob, eve):
    """Ada has a group, a conversation, and something in each of her lists. Resolves with the paths of her screens."""
    ada.make_group("Engines", bob, eve)
    group = path_of(ada)
    ada.say("Shall we meet at the mill?")
    ada.sees_state("Shall we meet at the mill?", "Sent")
    bob.write(f"/v1{group}", "Yes, at seven. I bring the drawings.")
    eve.write(f"/v1{group}", "See https://example.org/mill for the way")
    ada.sees("for the way")
    star_and_schedule(ada)
    ada.talk_to(bob).say("Did you find the cards?")
    ada.sees_state("Did you find the cards?", "Sent")
    direct = path_of(ada)
    return {
        "chats": "/", "conversation": direct, "group": group, "people": "/people", "profile": "/profile", "devices": "/profile/devices",
        "new group": "/group/new", "group page": f"{group}/info", "contact": f"{direct}/info", "search": "/search", "starred": "/starred",
        "scheduled": "/scheduled", "blocked": "/blocked",
    }


def path_of(person):
    return person.conversation_path().removeprefix("/v1")


def star_and_schedule(ada):
    path = ada.conversation_path()
    first = ada.fetch("GET", f"{path}/messages")["body"]["items"]
    said = next(message for message in first if message["kind"] == "text")
    assert ada.fetch("PUT", f"{path}/messages/{said['id']}/star")["status"] == 201
    tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    answer = ada.fetch("PUT", f"/v1/scheduled/{ada.new_id()}", {
        "conversationId": path.split("/")[-1], "text": "Happy birthday!", "sendAt": tomorrow.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    })
    assert answer["status"] == 201


def open_screen(person, path):
    """Opens a screen, and waits until it has what it shows."""
    person.page.goto(path)
    expect(person.page.get_by_role("heading", level=1).last).to_be_visible()
    expect(person.page.locator(".spinner")).to_have_count(0)
    person.page.evaluate("document.fonts.ready.then(() => true)")
