"""The names that outside checks rely on: each leads to one thing, on every screen, also for who asks less exactly."""

import re

import pytest
from playwright.sync_api import expect
from screens import furnish, open_screen

FIELDS = ("Email", "Password", "Name", "Search", "Group name", "Message")
BUTTONS = ("Sign in", "Create account", "Continue", "New group", "Create", "Send", "Attach", "Sign out")
LINKS = ("Chats", "People", "Profile")
LISTS = ("Conversations", "People", "Messages")
# Not Message, whose list is called Messages; nor Name, which others' words hold.
LABELS = ("Email", "Password", "Search", "Group name")


def ambiguous(page):
    """The names that lead to more than one thing."""
    asked = {f"{role} {name}": page.get_by_role(role, name=name)
             for role, names in (("textbox", FIELDS), ("button", BUTTONS), ("link", LINKS), ("list", LISTS)) for name in names}
    asked |= {f"label {name}": page.get_by_label(name) for name in LABELS}
    return [what for what, found in asked.items() if found.count() > 1]


@pytest.mark.parametrize("width", (390, 1280))
def test_each_name_leads_to_one_thing_on_every_screen(people, width):
    ada, = people("Ada", width=width)
    bob, eve = people(away=["Bob", "Eve"])
    found = {}
    for what, path in furnish(ada, bob, eve).items():
        open_screen(ada, path)
        found[what] = ambiguous(ada.page)
    assert {what: names for what, names in found.items() if names} == {}


@pytest.mark.parametrize("path", ("/sign-in", "/sign-up", "/forgot-password"))
def test_each_name_leads_to_one_thing_before_one_has_signed_in(stranger, path):
    ada = stranger("Ada")
    open_screen(ada, path)
    expect(ada.textbox("Email")).to_be_visible()
    assert ambiguous(ada.page) == []
    if path != "/forgot-password":
        # It is found by its words all the same.
        expect(ada.button("Show password")).to_be_visible()


def test_lists_are_there_before_there_is_anything_in_them(people):
    ada, = people("Ada")
    expect(ada.page.get_by_role("list", name="Conversations", exact=True)).to_be_visible()
    expect(ada.page.get_by_role("region", name="Chats", exact=True)).to_be_visible()
    ada.page.get_by_role("link", name="People", exact=True).click()
    expect(ada.page.get_by_role("list", name="People", exact=True)).to_be_visible()
    expect(ada.page.get_by_role("region", name="People", exact=True)).to_be_visible()
    expect(ada.page.get_by_role("region", name="Chats", exact=True)).to_have_count(0)


def test_a_conversation_has_its_list_before_anything_was_said(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    expect(ada.page.get_by_role("list", name="Messages", exact=True)).to_be_visible()


def test_a_row_begins_with_the_name_also_while_its_person_is_online(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    ada.say("Hello")
    ada.page.get_by_role("link", name="Chats", exact=True).click()
    row = ada.page.get_by_role("list", name="Conversations", exact=True).get_by_role("link", name=re.compile("^Bob .*Online"))
    expect(row).to_be_visible()
    ada.page.get_by_role("link", name="People", exact=True).click()
    ada.search_for(bob)
    row = ada.page.get_by_role("list", name="People", exact=True).get_by_role("button", name=re.compile("^Bob .*Online"))
    expect(row).to_be_visible()


def test_the_dialog_of_forwarding_has_a_list_of_its_own_name(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    ada.say("Hello")
    ada.chooses("Hello", "Forward")
    expect(ada.page.get_by_role("dialog").get_by_role("list", name="Forward to", exact=True)).to_be_visible()
    expect(ada.page.get_by_role("list", name="Conversations", exact=True)).to_have_count(1)
