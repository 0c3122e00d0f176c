"""Groups of more people than one answer of the server has."""

import re
import uuid

from playwright.sync_api import expect
from test_conversation_writing import group_of, ids_of


def by_pages_of(size, person, pattern):
    """Has the page that somebody looks at get so few at once of what the server would tell on one page."""

    def cut(route):
        begin = int((re.search("cursor=([0-9]+)", route.request.url) or [0, 0])[1])
        answer = route.fetch(url=re.sub("&?cursor=[0-9]+", "", route.request.url))
        items = answer.json()["items"]
        more = str(begin + size) if begin + size < len(items) else None
        route.fulfill(response=answer, json={"items": items[begin:begin + size], "nextCursor": more})

    person.page.route(pattern, cut)


def test_all_who_have_read_a_message_are_shown_page_by_page(people):
    ada, *others = people("Ada", away=["Bob", "Cleo", "Dora"])
    ada.make_group("Engine", *others)
    ada.say("attention").sees_state("attention", "Sent")
    path, seq = ada.conversation_path(), ada.said("attention")["seq"]
    for other in others:
        receipt = {"conversationId": path.split("/")[-1], "readSeq": seq}
        assert other.fetch("POST", "/v1/receipts", {"receipts": [receipt]})["status"] == 200
    ada.sees_state("attention", "Read")
    by_pages_of(2, ada, re.compile("/receipts[?]"))
    ada.chooses("attention", "Message info")
    info = ada.page.get_by_role("dialog")
    shown = info.get_by_role("list", name="Read by 3 of 3").get_by_role("listitem")
    expect(shown).to_have_count(2)
    more = info.get_by_role("button", name="Show more")
    more.press("Enter")
    expect(shown).to_have_count(3)
    assert {row.get_attribute("aria-label") for row in shown.all()} == {"Bob", "Cleo", "Dora"}
    expect(more).to_have_count(0)
    # The button has gone, and the focus is still in the dialog.
    expect(info.get_by_role("button", name="Close")).to_be_focused()


def test_who_has_read_a_message_has_a_name_also_where_nobody_has_told_it(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Engine", bob, eve)
    ada.say("attention").sees_state("attention", "Sent")
    stranger = str(uuid.uuid4())

    def add(route, **fields):
        answer = route.fetch()
        page = answer.json()
        page["items"].append({**page["items"][-1], "userId": stranger, **fields})
        route.fulfill(response=answer, json=page)

    # Of a large group a page knows only who has said something.
    ada.page.route(re.compile("/receipts[?]"), lambda route: add(route))
    ada.page.route(re.compile("/participants[?]"), lambda route: add(route, displayName="Zoe"))
    ada.chooses("attention", "Message info")
    expect(ada.page.get_by_role("dialog").get_by_role("listitem", name="Zoe")).to_be_visible()


def test_members_beyond_a_thousand_are_shown_when_more_are_asked_for(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Engine", bob, eve)
    size, count = 200, 1_150

    def crowd(route):
        begin = int((re.search("cursor=([0-9]+)", route.request.url) or [0, 0])[1])
        answer = route.fetch(url=re.sub("&?cursor=[0-9]+", "", route.request.url))
        members = answer.json()["items"]
        while len(members) < count:
            number = len(members)
            member = {**members[1], "userId": str(uuid.UUID(int=number)), "displayName": f"Person {number}", "role": "member"}
            members.append(member)
        more = str(begin + size) if begin + size < count else None
        route.fulfill(response=answer, json={"items": members[begin:begin + size], "nextCursor": more})

    def many(route):
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "participantCount": count})

    ada.page.route(re.compile("/participants[?]"), crowd)
    ada.page.route(re.compile("/v1/conversations/[0-9a-f-]+$"), many)
    ada.open_info()
    members = ada.page.get_by_role("list", name="Members").get_by_role("listitem")
    expect(members).to_have_count(1_000)
    more = ada.button("Show more", exact=False)
    expect(more).to_contain_text("And 150 more")
    more.press("Enter")
    expect(members).to_have_count(count)
    expect(members.last).to_have_accessible_name("Person 1149")
    expect(more).to_have_count(0)
    # What happens in the group takes none of them away.
    bob.write(ada.conversation_path(), "hello")
    expect(ada.conversation("Engine")).to_contain_text("hello")
    ada.button("Leave group").focus()
    expect(members).to_have_count(count)
    ada.page.unroute_all(behavior="ignoreErrors")


def test_members_of_a_large_group_are_mentioned_by_name(people):
    ada, bob, *others = people("Ada", away=["Bob", *[f"Guest {number}" for number in range(50)]])
    group_of(ada, bob, *others, name="Crowd")
    ada.open_conversation("Crowd")
    box = ada.textbox("Message")
    box.press_sequentially("look @bo")
    # Nobody has told the page of him: he has said nothing.
    expect(ada.page.get_by_role("option", name="Bob")).to_be_visible()
    box.press("Enter")
    expect(box).to_have_value("look @Bob ")
    box.press("Enter")
    ada.sees_state("look @Bob", "Sent")
    assert ada.said("look @Bob")["mentions"] == ids_of(bob)
