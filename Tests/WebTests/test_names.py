"""The names that outside checks rely on: each leads to one thing, on every screen, also for who asks less exactly."""

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
