"""What one person leaves in a browser is none of the next one's."""

from playwright.sync_api import expect
from test_conversation_files import attach


def change_hands(person, other):
    """Whoever is signed in signs out, and somebody else signs in on the same page."""
    person.leave()
    person.textbox("Email").fill(other.email)
    person.password.fill("correct horse")
    person.button("Sign in").click()
    person.is_live()


def test_what_one_has_read_without_a_network_is_unread_for_the_next_person(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path = ada.conversation_path()
    bob.open_conversation("Ada").sees("hello")
    ada.sees_state("hello", "Read")
    bob.page.goto("about:blank")
    ada.page.route("**/v1/receipts", lambda route: route.abort())
    for text in ("one", "two"):
        assert ada.fetch("POST", f"{path}/messages", {"text": text})["status"] == 201
    # Ada has seen them, and could not say so.
    ada.sees_all("hello", "one", "two")
    ada.keeps("receipts", '"readSeq":3')
    change_hands(ada, bob)
    ada.page.unroute("**/v1/receipts")
    # What is said after it is delivered to Bob, and so would be what he is said to have read.
    [eve] = people("Eve")
    eve.talk_to(bob).say("from Eve").sees_state("from Eve", "Delivered")
    assert ada.fetch("GET", path)["body"]["unreadCount"] == 2


# Somebody has allowed notifications here, and the browser is enrolled with its push service.
ENROLLED = """(owner) => {
    localStorage.setItem('parley.device', crypto.randomUUID());
    localStorage.setItem('parley.deviceOwner', owner);
    Object.defineProperty(Notification, 'permission', {get: () => 'granted'});
    PushManager.prototype.getSubscription = async () => ({});
}"""


def test_notifications_that_one_has_allowed_are_off_for_the_next_person(people):
    ada, bob = people("Ada", away=["Bob"])
    switch = ada.page.get_by_role("switch", name="Notify me on this device")
    for owner, is_on in ((bob, False), (ada, True)):
        ada.page.evaluate(ENROLLED, owner.fetch("GET", "/v1/me")["body"]["id"])
        ada.link("Profile").click()
        expect(switch).to_be_enabled()
        expect(switch).to_be_checked(checked=is_on)
        ada.link("Chats").click()


# The database does not answer any more, and its page gives it up.
GIVE_UP = "() => { IDBDatabase.prototype.transaction = () => { throw new DOMException('It is broken', 'UnknownError'); }; }"


def test_who_signs_out_leaves_nothing_also_where_the_database_was_given_up(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("for nobody else").sees_state("for nobody else", "Sent")
    ada.keeps("timelines", "for nobody else")
    ada.page.evaluate(GIVE_UP)
    ada.say("not kept").sees_state("not kept", "Sent")
    # The server is not there, and so says nothing that has the browser clear its storage.
    ada.page.route("**/v1/auth/logout", lambda route: route.abort())
    ada.leave()
    assert ada.page.evaluate("indexedDB.databases().then((all) => all.map(({ name }) => name))") == []


def test_a_late_refusal_of_the_session_before_ends_none_that_has_begun_since(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    path, held = ada.conversation_path(), []
    ada.page.route("**/me", lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_())
    # A draft on its way to the server.
    ada.textbox("Message").fill("begun")
    ada.until(lambda: held)
    change_hands(ada, bob)
    held[0].fulfill(status=401, json={"type": "about:blank", "title": "Gone", "status": 401, "code": "unauthenticated"},
                    content_type="application/problem+json")
    ada.page.unroute("**/me")
    ada.open_conversation("Ada").say("Bob is still here").sees_state("Bob is still here", "Sent")
    assert bob.fetch("GET", path)["status"] == 200


def test_who_has_nothing_to_lose_signs_out_by_one_press(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("all of it").sees_state("all of it", "Sent")
    with ada.page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.url.endswith("/me")):
        ada.textbox("Message").fill("begun")
    ada.link("Profile").click()
    ada.button("Sign out").click()
    assert not ada.asks_before_signing_out()
    # The draft was with the server.
    ada.sign_in().is_live().open_conversation("Bob")
    expect(ada.textbox("Message")).to_have_value("begun")


def test_who_signs_out_is_asked_where_messages_drafts_or_chosen_files_would_be_lost(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")

    def is_asked():
        ada.link("Profile").click()
        ada.button("Sign out").click()
        assert ada.asks_before_signing_out()
        ada.page.keyboard.press("Escape")
        ada.link("Chats").click()
        ada.open_conversation("Bob")

    ada.page.route("**/me", lambda route: route.abort() if route.request.method == "PATCH" else route.continue_())
    ada.textbox("Message").fill("begun")
    is_asked()
    ada.textbox("Message").fill("")
    ada.page.unroute("**/me")
    attach(ada, ("notes.txt", "text/plain", b"chosen"))
    is_asked()
    ada.button("Remove notes.txt").click()
    ada.chooses("hello", "Edit")
    ada.textbox("Message").fill("hello again")
    is_asked()
    ada.button("Cancel").click()
    ada.page.route("**/messages/*", lambda route: route.abort())
    ada.say_unsent("not sent")
    is_asked()
