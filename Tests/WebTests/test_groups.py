"""Groups: made by choosing people, led, left, and come into by a link."""

import pytest
from person import PHOTO
from playwright.sync_api import expect
from test_conversation_files import png
from test_languages import catalogue, make_group


def test_three_people_talk_in_a_group(people):
    ada, bob, eve = people("Ada", "Bob", "Eve")
    ada.make_group("Engines", bob, eve)
    for person in (bob, eve):
        person.link("Chats").click()
        person.open_conversation("Engines")
    ada.say("Hello, both")
    bob.sees("Hello, both")
    eve.sees("Hello, both")
    ada.sees_state("Hello, both", "Read")


def test_a_group_needs_a_name_and_two_people(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.open_people()
    ada.button("New group").click()
    ada.button("Create").click()
    expect(ada.textbox("Group name")).to_be_focused()
    ada.textbox("Group name").fill("Too small")
    ada.choose(bob)
    ada.button("Create").click()
    expect(ada.page.get_by_role("alert").filter(has_text="Choose at least two people").first).to_be_visible()


def test_a_name_that_the_server_refuses_is_told_at_its_field_and_can_be_mended(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.open_people()
    ada.button("New group").click()
    name = ada.textbox("Group name")
    # Nothing of it shows, which the server alone can tell.
    name.fill("\u2060\u2060")
    ada.choose(bob)
    ada.choose(eve)
    ada.button("Create").click()
    expect(name).to_be_focused()
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_have_accessible_description("Please fill this in.")
    name.fill("Engines")
    name.press("Enter")
    expect(ada.textbox("Message")).to_be_visible()
    expect(ada.conversation("Engines")).to_be_visible()


def test_chosen_people_stay_while_others_are_looked_for_and_can_be_left_out(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.open_people()
    ada.button("New group").click()
    ada.choose(bob)
    ada.choose(eve)
    expect(ada.page.get_by_text("2 people chosen")).to_be_visible()
    ada.button("Leave out Bob").click()
    expect(ada.page.get_by_text("1 person chosen")).to_be_visible()


def test_a_group_is_renamed_and_everybody_sees_it(people):
    ada, bob, eve = people("Ada", "Bob", away=["Eve"])
    ada.make_group("Engines", bob, eve)
    bob.link("Chats").click()
    expect(bob.conversation("Engines")).to_be_visible()
    ada.open_info()
    ada.button("Change name").click()
    ada.page.get_by_role("dialog").get_by_label("Group name").fill("Difference engines")
    ada.page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(bob.conversation("Difference engines")).to_be_visible()


def test_a_picture_of_a_group_shows_in_the_lists_of_all_until_it_is_taken_away(people):
    ada, bob, eve = people("Ada", "Bob", away=["Eve"])
    ada.make_group("Engines", bob, eve)
    bob.link("Chats").click()
    expect(bob.conversation("Engines")).to_be_visible()
    expect(bob.conversation("Engines").locator(PHOTO)).to_have_count(0)
    ada.open_info()
    ada.choose_photo("Group picture", png(40, 40))
    expect(ada.page.locator(f".portrait {PHOTO}")).to_be_visible()
    expect(ada.conversation("Engines").locator(PHOTO)).to_be_visible()
    expect(bob.conversation("Engines").locator(PHOTO)).to_be_visible()
    # Also where it is not the stream that tells of it.
    bob.page.reload()
    expect(bob.conversation("Engines").locator(PHOTO)).to_be_visible()
    ada.button("Group picture").click()
    ada.page.get_by_role("menuitem", name="Remove photo").click()
    expect(ada.page.locator(".portrait img")).to_have_count(0)
    expect(bob.conversation("Engines").locator("img")).to_have_count(0)


def test_members_are_added_promoted_and_removed(people):
    ada, bob, eve, dan = people("Ada", away=["Bob", "Eve", "Dan"])
    ada.make_group("Engines", bob, eve)
    ada.open_info()
    ada.button("Add members").click()
    dialog = ada.page.get_by_role("dialog")
    dialog.get_by_label("Search").fill(dan.email)
    dialog.get_by_role("listitem", name="Dan").click()
    dialog.get_by_role("button", name="Add", exact=True).click()
    members = ada.page.get_by_role("list", name="Members")
    expect(members.get_by_role("listitem", name="Dan")).to_be_visible()
    ada.member_action("Bob", "Make admin")
    expect(members.get_by_role("listitem", name="Bob").get_by_text("Admin")).to_be_visible()
    ada.member_action("Dan", "Remove from group")
    ada.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(members.get_by_role("listitem", name="Dan")).to_have_count(0)


def test_a_link_brings_somebody_in_who_had_no_account(people, stranger):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Engines", bob, eve)
    ada.open_info()
    ada.button("Make an invite link").click()
    address = ada.page.get_by_role("list", name="Invite links").locator(".invite-link__text").inner_text()
    dan = stranger("Dan")
    dan.page.goto(address)
    dan.page.get_by_role("link", name="Create account").click()
    dan.fill_account()
    dan.textbox("Name").fill("Dan")
    dan.button("Continue").click()
    expect(dan.page.get_by_text("Engines")).to_be_visible()
    dan.button("Join group").click()
    expect(dan.textbox("Message")).to_be_visible()
    dan.say("I am in")
    ada.link("Chats").click()
    ada.open_conversation("Engines").sees("I am in")


def test_who_follows_a_link_without_a_network_tries_again(people):
    ada, bob, eve, dan = people("Ada", away=["Bob", "Eve", "Dan"])
    ids = [person.fetch("GET", "/v1/me")["body"]["id"] for person in (eve, dan)]
    group = f"/v1/conversations/{bob.new_id()}"
    assert bob.fetch("PUT", group, {"groupName": "Mill", "participantIds": ids})["status"] == 201
    invite = f"/invite/{bob.fetch('POST', f'{group}/invites', {})['body']['code']}"
    ada.page.goto(invite)
    expect(ada.button("Join group")).to_be_visible()
    ada.page.route("**/v1/invites/**", lambda route: route.abort())
    ada.button("Join group").press("Enter")
    expect(ada.page.get_by_role("alert")).to_be_visible()
    expect(ada.button("Try again")).to_be_focused()
    ada.page.unroute("**/v1/invites/**")
    ada.page.keyboard.press("Enter")
    expect(ada.page.get_by_role("heading", name="Mill")).to_be_visible()


def test_who_leaves_a_group_has_it_no_more(people):
    ada, bob, eve = people("Ada", "Bob", away=["Eve"])
    ada.make_group("Engines", bob, eve)
    bob.link("Chats").click()
    bob.open_conversation("Engines")
    group = bob.page.url
    bob.open_info()
    bob.button("Leave group").click()
    bob.page.get_by_role("dialog").get_by_role("button", name="Leave group").click()
    bob.link("Chats").click()
    expect(bob.conversation("Engines")).to_have_count(0)
    # A link to it still shows what was said before, and brings it back into no list.
    bob.page.goto(group)
    expect(bob.page.get_by_text("You are no longer a member of this group.")).to_be_visible()
    expect(bob.textbox("Message")).to_be_hidden()
    bob.page.goto("/")
    bob.is_live()
    expect(bob.conversation("Engines")).to_have_count(0)


def test_in_a_group_of_more_than_are_shown_one_is_a_member_all_the_same(people):
    ada, bob, eve = people("Ada", "Bob", away=["Eve"])
    ada.make_group("Engines", bob, eve)

    def first_only(route):
        answer = route.fetch()
        page = answer.json()
        route.fulfill(response=answer, json={"items": page["items"][:1], "nextCursor": None})

    bob.page.route("**/participants?*", first_only)
    bob.link("Chats").click()
    bob.open_conversation("Engines")
    bob.open_info()
    expect(bob.page.get_by_text("And 2 more")).to_be_visible()
    expect(bob.button("Leave group")).to_be_visible()
    bob.page.unroute_all(behavior="ignoreErrors")


def test_who_looks_at_the_members_asks_for_them_only_when_they_change(people):
    ada, bob, eve = people("Ada", "Bob", away=["Eve"])
    ada.make_group("Engines", bob, eve)
    path = ada.conversation_path()
    bob.page.clock.install()
    bob.open_conversation("Engines").page.locator(".conversation__link").click()
    members = bob.page.get_by_role("list", name="Members")
    expect(members.get_by_role("listitem", name="Ada")).to_be_visible()
    asked = []
    bob.page.on("request", lambda request: asked.append(request.url) if f"{path}/participants" in request.url else None)
    for number in range(3):
        ada.say(f"Number {number}")
        expect(bob.conversation("Engines")).to_contain_text(f"Number {number}")
        bob.page.clock.fast_forward("00:05")
    # What changes of the group is shown, and its members are the same.
    assert ada.fetch("PATCH", path, {"groupName": "Looms"})["status"] == 200
    expect(bob.page.locator("parley-info")).to_contain_text("Looms")
    bob.page.clock.fast_forward("00:05")
    assert asked == []
    me = bob.fetch("GET", "/v1/me")["body"]["id"]
    assert ada.fetch("PUT", f"{path}/participants/{me}", {"role": "admin"})["status"] == 200
    expect(members.get_by_role("listitem", name="You")).to_contain_text("Admin")
    bob.page.clock.fast_forward("00:05")
    expect(bob.page.get_by_role("button", name="Make an invite link")).to_be_visible()
    assert len(asked) == 1, asked


@pytest.mark.parametrize("language, hour", [("en", "1 hour"), ("de", "1 Stunde"), ("ar", "ساعة")])
def test_slow_mode_of_an_hour_is_told_in_hours(people, language, hour):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"], locale=language)
    words = catalogue(language)
    ada.page.goto(f"{make_group(ada, 'Engines', bob, eve).removeprefix('/v1')}/info")
    slow = ada.page.get_by_role("combobox", name=words["group.slowMode"])
    slow.select_option("3600")
    expect(slow.locator("option:checked")).to_have_text(hour)


def test_what_leaders_decide_holds_for_members(people):
    ada, bob, eve = people("Ada", "Bob", away=["Eve"])
    ada.make_group("Engines", bob, eve)
    ada.open_info()
    with ada.page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        ada.page.get_by_label("Who can write").select_option("admins")
    bob.link("Chats").click()
    bob.conversation("Engines").click()
    expect(bob.page.get_by_text("Only admins write here.")).to_be_visible()
    expect(bob.textbox("Message")).to_be_hidden()


# Whether words have been anywhere in the page at any time, also for a moment.
NOTICE = """(() => {
    window.hasShown = false;
    const look = () => (window.hasShown ||= document.documentElement.outerHTML.includes("Nobody wants this"));
    new MutationObserver(look).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
})();"""


def test_what_a_blocked_person_says_shows_for_no_moment(people, stranger):
    ada, bob, eve = people("Ada", "Bob", away=["Eve"])
    ada.make_group("Engines", bob, eve)
    group = ada.page.url
    blocked = bob.fetch("GET", "/v1/me")["body"]["id"]
    assert ada.fetch("PUT", f"/v1/blocks/{blocked}")["status"] == 201
    ada.keeps("account", f'"blocks":["{blocked}"]')
    bob.link("Chats").click()
    bob.open_conversation("Engines").say("Nobody wants this")
    hidden = "Message of somebody whom you have blocked"
    expect(ada.message(hidden)).to_be_visible()
    ada.keeps("timelines", "Nobody wants this")
    # The history and the list as this browser has kept them, and a browser that has kept nothing.
    phone = stranger("Phone", storage_state=ada.context.storage_state())
    for person, path in ((ada, group), (ada, "/"), (phone, group)):
        held = []
        person.context.add_init_script(NOTICE)
        person.page.route("**/v1/blocks?*", lambda route: held.append(route))
        person.page.goto(path)
        person.until(lambda: held)
        if person is ada:
            expect(person.conversation("Engines")).to_contain_text(hidden)
        for route in list(held):
            route.continue_()
        person.page.unroute("**/v1/blocks?*")
        person.is_live()
        expect(person.conversation("Engines")).to_contain_text(hidden)
        if path == group:
            expect(person.message(hidden)).to_be_visible()
        assert not person.page.evaluate("window.hasShown"), path


def test_a_group_whose_answer_was_lost_becomes_what_is_wanted_by_then(people):
    ada, bob, eve, dan = people("Ada", away=["Bob", "Eve", "Dan"])
    ada.open_people()
    ada.button("New group").click()
    ada.textbox("Group name").fill("First name")
    ada.choose(bob)
    ada.choose(eve)
    ada.loses_an_answer("**/v1/conversations/*")
    ada.button("Create").click()
    expect(ada.page.get_by_role("alert").filter(has_text="offline").first).to_be_visible()
    ada.textbox("Group name").fill("Better name")
    ada.choose(dan)
    ada.people.get_by_role("checkbox").first.wait_for()
    ada.button("Create").click()
    expect(ada.textbox("Message")).to_be_visible()
    group = ada.fetch("GET", ada.conversation_path())["body"]
    assert group["groupName"] == "Better name" and group["participantCount"] == 4
    assert [each["groupName"] for each in ada.fetch("GET", "/v1/conversations")["body"]["items"]] == ["Better name"]


def test_a_term_that_another_program_has_set_is_shown_as_it_is(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    assert ada.fetch("PATCH", ada.conversation_path(), {"retentionSeconds": 7_200})["status"] == 200
    ada.open_info()
    expect(ada.page.get_by_role("combobox", name="Messages disappear").locator("option:checked")).to_have_text("2 hours")


def test_who_is_removed_while_writing_is_told_where_the_writing_was(people):
    ada, bob, eve = people("Ada", "Bob", away=["Eve"])
    ada.make_group("Engines", bob, eve)
    bob.open_conversation("Engines")
    bob.textbox("Message").press_sequentially("I only wan")
    member = bob.fetch("GET", "/v1/me")["body"]["id"]
    assert ada.fetch("DELETE", f"{ada.conversation_path()}/participants/{member}")["status"] in (200, 204)
    words = bob.page.get_by_role("status").filter(has_text="no longer a member")
    expect(words).to_be_focused()
