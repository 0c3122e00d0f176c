"""Signing in with an account of another issuer's: there and back by the browser's own ways, with a yes, a no, and no answer."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def visitor(stranger, issuer, issuers_server):
    """Makes people who have an account at the issuer, and browsers that trust its certificate: `visitor("Ada")`."""

    def meet(name):
        person = stranger(name, at=issuers_server, ignore_https_errors=True)
        person.neighbours.append(issuer.url)
        issuer.person = {"sub": person.email, "email": person.email, "email_verified": True, "name": name}
        return person

    return meet


def ask_the_issuer(person, answer):
    person.link("Continue with ACME").click()
    # The issuer's own page, at another address.
    expect(person.page.get_by_role("heading", name="Parley wants to know who you are")).to_be_visible()
    person.link(answer).click()


def me(person):
    return person.fetch("GET", "/v1/me")


def test_an_issuer_leads_back_signed_in_and_to_the_same_account_each_time(visitor):
    ada = visitor("Ada Lovelace")
    ada.page.goto("/sign-in")
    ask_the_issuer(ada, "Allow")
    ada.is_live()
    # What the issuer has sent stays in no address, and in no script's reach.
    assert ada.page.url == f"{ada.server.url}/"
    assert ada.page.evaluate("document.cookie") == ""
    known = me(ada)["body"]
    assert (known["email"], known["displayName"], known["emailVerified"]) == (ada.email, "Ada Lovelace", True)
    ada.leave()
    ask_the_issuer(ada, "Allow")
    ada.is_live()
    assert me(ada)["body"]["id"] == known["id"]


def test_who_signs_in_again_before_the_server_has_heard_of_the_sign_out_stays(visitor):
    ada = visitor("Ada")
    ada.page.goto("/sign-in")
    ask_the_issuer(ada, "Allow")
    ada.is_live()
    ada.page.route("**/v1/auth/logout", lambda route: route.abort())
    ada.leave()
    # The session before is no way in.
    ada.page.reload()
    expect(ada.button("Sign in")).to_be_visible()
    ask_the_issuer(ada, "Allow")
    ada.is_live()
    ada.page.unroute("**/v1/auth/logout")
    ada.page.reload()
    ada.is_live()


def test_whom_the_issuer_calls_nothing_is_asked_for_a_name(visitor, issuer):
    ada = visitor("Ada")
    del issuer.person["name"]
    ada.page.goto("/sign-up")
    ask_the_issuer(ada, "Allow")
    ada.textbox("Name").fill("Ada")
    ada.button("Continue").click()
    ada.is_live()


def test_who_says_no_at_the_issuer_reads_so_and_may_say_yes_after_that(visitor):
    ada = visitor("Ada")
    ada.page.goto("/sign-in")
    ask_the_issuer(ada, "Cancel")
    expect(ada.page.get_by_role("alert")).to_have_text("Signing in with ACME did not work. Please try again.")
    expect(ada.button("Sign in")).to_be_visible()
    assert me(ada)["status"] == 401
    ask_the_issuer(ada, "Allow")
    ada.is_live()


def test_an_issuer_that_is_down_is_named_and_the_password_still_opens(stranger, issuers_server):
    ada = stranger("Ada", at=issuers_server).join()
    ada.leave()
    ada.link("Continue with Lost").click()
    expect(ada.page.get_by_role("alert")).to_contain_text("Lost cannot be reached")
    ada.sign_in()
    ada.is_live()


def test_an_issuer_opens_no_account_whose_address_nobody_has_confirmed(visitor, stranger, issuer, issuers_server):
    bob = stranger("Bob", at=issuers_server).join()
    eve = visitor("Eve")
    issuer.person["email"] = bob.email
    eve.page.goto("/sign-in")
    ask_the_issuer(eve, "Allow")
    expect(eve.page.get_by_role("alert")).to_contain_text("There is an account here with your address")
    assert me(eve)["status"] == 401


def test_an_issuer_opens_no_account_that_is_somebody_elses_there(visitor, issuer):
    ada = visitor("Ada")
    ada.page.goto("/sign-in")
    ask_the_issuer(ada, "Allow")
    ada.is_live()
    ada.leave()
    # The address has been given to another person.
    issuer.person["sub"] = "another"
    ask_the_issuer(ada, "Allow")
    expect(ada.page.get_by_role("alert")).to_contain_text("ACME does not open it: there it is somebody else’s")
    assert me(ada)["status"] == 401


def test_who_follows_a_link_and_signs_in_with_an_issuer_comes_to_where_it_led(visitor):
    ada = visitor("Ada")
    ada.page.goto("/profile/devices")
    expect(ada.page).to_have_url(re.compile("/sign-in"))
    ask_the_issuer(ada, "Allow")
    expect(ada.page).to_have_url(f"{ada.server.url}/profile/devices")
    ada.is_live()
