"""Coming in: accounts, passwords, links from mails, sessions that end."""

import re

from mailbox import token_of
from person import PASSWORD, PHOTO
from playwright.sync_api import expect
from test_conversation_files import png


def test_a_stranger_lands_on_sign_in_and_finds_the_way_to_an_account(stranger):
    ada = stranger("Ada")
    ada.page.goto("/")
    expect(ada.page).to_have_url(re.compile("/sign-in"))
    expect(ada.button("Sign in")).to_have_count(1)
    ada.button("Create account").click()
    expect(ada.page).to_have_url(re.compile("/sign-up"))
    expect(ada.button("Create account")).to_have_count(1)


def test_what_is_wrong_is_said_at_its_field_and_gets_the_focus(stranger):
    ada = stranger("Ada")
    ada.page.goto("/sign-up")
    ada.button("Create account").click()
    expect(ada.textbox("Email")).to_be_focused()
    expect(ada.textbox("Email")).to_have_attribute("aria-invalid", "true")
    ada.textbox("Email").fill("ada@example.org")
    ada.password.fill("short")
    ada.button("Create account").click()
    expect(ada.password).to_be_focused()
    expect(ada.page.get_by_text("A password has at least 8 characters.")).to_be_visible()


def test_a_password_that_is_too_short_is_told_once_and_at_its_field(stranger):
    ada = stranger("Ada")
    ada.page.goto("/sign-up")
    hint, words = "At least 8 characters", "A password has at least 8 characters."
    expect(ada.password).to_have_accessible_description(hint)
    ada.textbox("Email").fill("ada@example.org")
    ada.password.fill("short")
    # Who comes to the field hears what describes it.
    ada.button("Create account").click()
    expect(ada.password).to_be_focused()
    expect(ada.password).to_have_accessible_description(words)
    expect(ada.page.get_by_text(re.compile("at least 8 characters", re.IGNORECASE)).filter(visible=True)).to_have_text([words])
    expect(ada.page.get_by_role("alert")).to_have_count(0)
    # Who is there hears what is said.
    ada.password.press("Enter")
    expect(ada.page.get_by_role("alert")).to_have_text([words])
    expect(ada.password).to_be_focused()
    ada.textbox("Email").fill("nonsense")
    ada.password.fill(PASSWORD)
    ada.button("Create account").click()
    expect(ada.textbox("Email")).to_be_focused()
    expect(ada.password).to_have_accessible_description(hint)
    expect(ada.page.get_by_text(hint, exact=True)).to_be_visible()


def test_a_wrong_password_and_a_taken_email_have_their_words(stranger, people):
    [ada] = people(away=["Ada"])
    eve = stranger("Eve")
    eve.email = ada.email
    eve.sign_in("not the password")
    expect(eve.page.get_by_role("alert")).to_have_text("The email or the password is wrong.")
    eve.button("Create account").click()
    eve.textbox("Email").fill(ada.email)
    eve.password.fill(PASSWORD)
    eve.button("Create account").click()
    expect(eve.page.get_by_role("alert")).to_contain_text("There is an account with this email already")


def test_a_new_person_is_asked_for_a_name_and_comes_back_to_it_after_a_reload(stranger):
    ada = stranger("Ada")
    ada.page.goto("/sign-up")
    ada.textbox("Email").fill(ada.email)
    ada.password.fill(PASSWORD)
    ada.button("Create account").click()
    expect(ada.textbox("Name")).to_be_visible()
    ada.page.reload()
    ada.textbox("Name").fill("A")
    ada.button("Continue").click()
    expect(ada.page.get_by_text("A name has 2 to 30 characters.")).to_be_visible()
    ada.textbox("Name").fill("Ada")
    ada.button("Continue").click()
    expect(ada.link("Chats")).to_be_visible()


def test_a_forgotten_password_is_set_anew_by_the_mail(people, server):
    (ada,) = people("Ada")
    ada.leave()
    ada.page.goto("/forgot-password")
    ada.textbox("Email").fill(ada.email)
    ada.button("Send link").click()
    expect(ada.page.get_by_text("If there is an account with this email")).to_be_visible()
    ada.page.goto(f"/reset-password#token={token_of(server, ada.email, 'reset-password')}")
    ada.page.get_by_label("New password").fill("another horse")
    ada.button("Set password").click()
    expect(ada.page.get_by_text("Your new password is set.")).to_be_visible()
    # A token from a mail stays in no history.
    assert "token" not in ada.page.url
    ada.sign_in("another horse")
    expect(ada.link("Chats")).to_be_visible()


def test_a_link_that_is_not_good_says_so(stranger):
    ada = stranger("Ada")
    ada.page.goto("/reset-password#token=nonsense")
    ada.page.get_by_label("New password").fill("another horse")
    ada.button("Set password").click()
    expect(ada.page.get_by_role("alert")).to_contain_text("This link is no longer valid")
    ada.page.goto("/verify-email#token=nonsense")
    expect(ada.page.get_by_text("This link is no longer valid")).to_be_visible()


def test_what_is_typed_stays_when_the_server_says_late_who_this_is(stranger):
    ada = stranger("Ada")
    held = []
    ada.page.route("**/v1/me", lambda route: held.append(route))
    with ada.page.expect_request("**/v1/me"):
        ada.page.goto("/reset-password#token=nonsense")
    ada.page.get_by_label("New password").fill("another horse")
    with ada.page.expect_response("**/v1/me"):
        held[0].continue_()
    ada.button("Set password").click()
    expect(ada.page.get_by_role("alert")).to_contain_text("This link is no longer valid")


def test_an_email_is_confirmed_by_the_mail(people, server):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    expect(ada.page.get_by_text("Your email is not confirmed yet.")).to_be_visible()
    # A server that does not know its address sends the code alone.
    ada.link("I have a code from a mail").click()
    expect(ada.textbox("Code from the mail")).to_be_visible()
    ada.page.goto(f"/verify-email#token={token_of(server, ada.email, 'verify-email')}")
    expect(ada.page.get_by_text("Your email is confirmed.")).to_be_visible()
    ada.page.get_by_role("link", name="Go to your conversations").click()
    ada.link("Profile").click()
    expect(ada.page.get_by_text("Your email is not confirmed yet.")).to_have_count(0)


# How many records the browser keeps.
KEPT = """async () => {
    let count = 0;
    for (const { name } of await indexedDB.databases()) {
        const database = await new Promise((resolve) => (indexedDB.open(name).onsuccess = (event) => resolve(event.target.result)));
        for (const store of database.objectStoreNames) {
            const request = database.transaction(store).objectStore(store).count();
            count += await new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
        }
        database.close();
    }
    return count;
}"""


def test_signing_out_leaves_nothing_behind(people):
    (ada,) = people("Ada")
    ada.until(lambda: ada.page.evaluate("localStorage.getItem('parley.firstScreen')"))
    ada.leave()
    expect(ada.page).to_have_url(re.compile("/sign-in"))
    assert ada.page.evaluate("fetch('/v1/me').then((answer) => answer.status)") == 401
    assert ada.page.evaluate(KEPT) == 0
    assert ada.page.evaluate("localStorage.getItem('parley.firstScreen')") is None
    ada.page.goto("/profile")
    expect(ada.page).to_have_url(re.compile("/sign-in"))


def test_who_signs_in_again_finds_the_browser_keeping_things_again(people):
    (ada,) = people("Ada")
    ada.leave()
    ada.sign_in()
    expect(ada.link("Chats")).to_be_visible()
    ada.until(lambda: ada.page.evaluate(KEPT) > 0)


def test_no_script_can_reach_the_session(people):
    (ada,) = people("Ada")
    assert ada.page.evaluate("document.cookie") == ""
    ada.until(lambda: ada.page.evaluate("'parley.texts' in localStorage"))
    # The words of the page, which are kept after a while, speak of tokens.
    stored = ada.page.evaluate("JSON.stringify([{...localStorage, 'parley.texts': null}, {...sessionStorage}])")
    assert "token" not in stored.lower()


def test_where_cookies_are_blocked_it_is_said(stranger):
    ada = stranger("Ada")
    # The browser takes the answer and keeps no cookie of it.
    ada.page.route("**/v1/auth/register", without_cookie)
    ada.page.goto("/sign-up")
    ada.textbox("Email").fill(ada.email)
    ada.password.fill(PASSWORD)
    ada.button("Create account").click()
    expect(ada.page.get_by_role("alert")).to_contain_text("keeps no cookies")


def without_cookie(route):
    answer = route.fetch()
    # What is fetched for a page shares its cookies.
    route.request.frame.page.context.clear_cookies()
    route.fulfill(status=answer.status, headers={"content-type": "application/json"}, body=answer.body())


def test_a_session_that_is_ended_elsewhere_ends_here(people, stranger):
    (ada,) = people("Ada")
    phone = stranger("Ada")
    phone.email = ada.email
    phone.sign_in()
    expect(phone.link("Chats")).to_be_visible()
    phone.link("Profile").click()
    phone.link("Signed-in devices").click()
    phone.button("Sign out all others").click()
    phone.page.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    expect(ada.page).to_have_url(re.compile("/sign-in"))
    expect(ada.page.get_by_text("You have been signed out.")).to_be_visible()
    # The browser still has the cookie of the session that is over: the next one takes its place.
    assert ada.fetch("GET", "/v1/me")["status"] == 401
    assert [cookie["name"] for cookie in ada.page.context.cookies()] == ["parley"]
    ada.sign_in().is_live()


def test_who_is_sent_to_sign_in_comes_back_to_where_the_link_led(people):
    (ada,) = people("Ada")
    ada.leave()
    ada.page.goto("/profile/devices")
    expect(ada.page).to_have_url(re.compile("/sign-in"))
    ada.textbox("Email").fill(ada.email)
    ada.password.fill(PASSWORD)
    ada.button("Sign in").click()
    expect(ada.page).to_have_url(re.compile("/profile/devices"))


def test_a_new_person_is_seen_with_the_photo_that_was_chosen_at_first(stranger, people):
    (bob,) = people("Bob")
    ada = stranger("Ada")
    ada.page.goto("/sign-up")
    ada.fill_account()
    ada.choose_photo("Add a photo", png(40, 40))
    expect(ada.page.locator(f".welcome__photo {PHOTO}")).to_be_visible()
    ada.textbox("Name").fill("Ada")
    ada.button("Continue").click()
    ada.is_live()
    ada.link("Profile").click()
    expect(ada.page.locator(f".portrait {PHOTO}")).to_be_visible()
    bob.open_people()
    bob.search_for(ada)
    expect(bob.people.get_by_role("listitem", name="Ada").locator(PHOTO)).to_be_visible()


def test_who_goes_on_while_the_first_photo_is_on_its_way_keeps_it(stranger):
    ada = stranger("Ada")
    ada.page.goto("/sign-up")
    ada.fill_account()
    held = []
    ada.page.route("**/v1/attachments?*", lambda route: held.append(route))
    ada.choose_photo("Add a photo", png(40, 40))
    ada.until(lambda: held)
    ada.textbox("Name").fill("Ada")
    ada.button("Continue").click()
    expect(ada.button("Continue")).to_have_attribute("aria-busy", "true")
    held[0].continue_()
    ada.is_live()
    ada.link("Profile").click()
    expect(ada.page.locator(f".portrait {PHOTO}")).to_be_visible()


def test_who_signs_in_comes_to_the_message_that_the_link_leads_to(people, stranger):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    path = ada.conversation_path()
    for part in range(2):
        texts = [{"text": f"number {part}-{number}"} for number in range(100)]
        assert ada.fetch("POST", f"{path}/messages", {"messages": texts})["status"] == 201
    first = ada.fetch("GET", f"{path}/messages?around=1&limit=5")["body"]["items"][0]
    phone = stranger("Ada")
    phone.email = ada.email
    phone.page.goto(f"{path.removeprefix('/v1')}?message={first['id']}")
    phone.textbox("Email").fill(phone.email)
    phone.password.fill(PASSWORD)
    phone.button("Sign in").click()
    expect(phone.message(first["text"]).first).to_be_in_viewport()


def test_a_list_that_was_asked_for_before_one_had_a_name_does_not_ask_for_it_again(stranger):
    ada, held = stranger("Ada"), []
    ada.page.route("**/v1/sync?*", lambda route: held.append((route, route.fetch())))
    ada.page.goto("/")
    ada.button("Create account").click()
    ada.fill_account()
    ada.until(lambda: held)
    ada.textbox("Name").fill("Ada")
    ada.button("Continue").click()
    expect(ada.button("Continue")).to_have_count(0)
    for route, answer in held:
        route.fulfill(response=answer)
    ada.is_live()
    expect(ada.link("People")).to_be_visible()
    expect(ada.button("Continue")).to_have_count(0)
