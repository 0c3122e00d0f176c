"""What is found again: by search, by a star, by a filter, at its time; and what goes to others or away."""

import datetime
import re

from person import PASSWORD
from playwright.sync_api import expect
from test_conversation_files import attach


def chat_menu(person, name, action):
    person.conversation(name).click(button="right")
    person.page.get_by_role("menuitem", name=action, exact=True).click()


def test_a_message_is_found_by_its_words_marked_and_opened_in_its_place(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    path = ada.conversation_path()
    texts = [{"text": "the quixotic engine"}] + [{"text": f"number {number}"} for number in range(99)]
    assert ada.fetch("POST", f"{path}/messages", {"messages": texts})["status"] == 201
    # What is searched may know it a moment later.
    ada.until(lambda: ada.fetch("POST", "/v1/search", {"query": "quixotic"})["body"]["items"])
    ada.page.goto("/search?q=quixotic")
    results = ada.page.get_by_role("list", name="Results")
    expect(results.locator("mark")).to_have_text("quixotic")
    results.get_by_role("link").first.click()
    expect(ada.message("the quixotic engine").first).to_be_in_viewport()
    # Where two talk, the name of who has written is said once.
    bob.page.goto("/search?q=quixotic")
    expect(bob.page.get_by_role("list", name="Results").get_by_text("Ada", exact=True)).to_have_count(1)


def test_a_search_finds_groups_and_people_by_their_names_and_messages_by_filters(people):
    ada, eve, sancho = people("Ada", "Eve", away=["Sancho Windmill"])
    ada.make_group("Windmills of Spain", sancho, eve)
    ada.say("the windmill of words").sees_state("the windmill of words", "Sent")
    attach(ada, ("mill.txt", "text/plain", b"on mills"))
    ada.say("the windmill of files").sees_state("the windmill of files", "Sent")
    eve.open_conversation("Windmills").say("whose windmill?").sees_state("whose windmill?", "Sent")
    # What is searched may know all of it a moment later.
    ada.until(lambda: len(ada.fetch("POST", "/v1/search", {"query": "windmill"})["body"]["items"]) == 3)
    ada.until(lambda: ada.fetch("GET", "/v1/users?query=windmill")["body"]["items"])
    ada.page.goto("/search?q=windmill")
    found = ada.page.get_by_role("list", name="Results").get_by_role("listitem")
    expect(found).to_have_count(3)
    ada.button("With files").click()
    expect(found).to_have_count(1)
    expect(found).to_have_accessible_name("the windmill of files")
    ada.button("With files").click()
    ada.button("From me").click()
    expect(found).to_have_count(2)
    group = ada.page.get_by_role("list", name="Conversations").get_by_role("listitem", name="Windmills of Spain")
    expect(group).to_be_visible()
    ada.people.get_by_role("listitem", name="Sancho Windmill").first.get_by_role("button").click()
    expect(ada.textbox("Message")).to_be_visible()
    expect(ada.page.get_by_role("heading", name="Sancho Windmill")).to_be_visible()


def test_a_search_in_one_conversation_says_what_it_finds(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.button("Find in this conversation").click()
    screen = ada.page.locator("parley-search")
    expect(screen).to_contain_text("Find messages in this conversation")
    expect(screen).not_to_contain_text("people")
    expect(screen.get_by_placeholder("Words in messages")).to_be_focused()
    ada.page.goto("/search")
    expect(screen).to_contain_text("Find messages, people and conversations")
    expect(screen.get_by_placeholder("Names, or words in messages")).to_be_focused()


def test_what_is_starred_is_found_again_and_can_be_taken_back(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("remember this").sees_state("remember this", "Sent")
    ada.chooses("remember this", "Star")
    expect(ada.page.get_by_text("The message is starred.")).to_be_visible()
    # The message shows it, also in another visit, and its menu takes the star back.
    star = ada.message("remember this").get_by_role("img", name="Starred")
    expect(star).to_be_visible()
    ada.page.reload()
    expect(star).to_be_visible()
    ada.chooses("remember this", "Take the star back")
    expect(star).to_have_count(0)
    ada.chooses("remember this", "Star")
    expect(star).to_be_visible()
    ada.page.goto("/starred")
    expect(ada.page.get_by_role("list", name="Starred messages").get_by_role("listitem", name="remember this")).to_be_visible()
    ada.button("Take the star back").click()
    expect(ada.page.get_by_text("No starred messages")).to_be_visible()


def test_lists_name_somebody_whose_account_is_deleted_as_the_conversation_does(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("the last words").sees_state("the last words", "Sent")
    bob.open_conversation("Ada").say("and mine").sees_state("and mine", "Sent")
    conversation = ada.conversation_path().split("/")[-1]
    tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    assert ada.fetch("PUT", f"/v1/scheduled/{ada.new_id()}", {
        "conversationId": conversation, "text": "much later", "sendAt": tomorrow.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    })["status"] == 201
    assert bob.fetch("DELETE", "/v1/me", {"password": PASSWORD})["status"] == 204
    ada.link("Chats").click()
    expect(ada.conversation("Deleted account")).to_be_visible()
    # What is searched may know it a moment later.
    ada.until(lambda: ada.fetch("POST", "/v1/search", {"query": "words"})["body"]["items"])
    ada.page.get_by_role("textbox", name="Search", exact=True).fill("words")
    ada.link("Search messages").click()
    found = ada.page.get_by_role("list", name="Results").get_by_role("listitem", name="the last words")
    expect(found.get_by_text("to Deleted account", exact=True)).to_be_visible()
    ada.link("Profile").click()
    ada.link("Scheduled messages").click()
    later = ada.page.get_by_role("list", name="Scheduled messages").get_by_role("listitem", name="much later")
    expect(later.get_by_text("Deleted account", exact=True)).to_be_visible()


def test_a_message_is_scheduled_and_withdrawn(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.textbox("Message").fill("good morning")
    ada.button("Schedule").click()
    dialog = ada.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Tomorrow at 9").click()
    dialog.get_by_role("button", name="Schedule").click()
    expect(dialog).to_have_count(0)
    expect(ada.textbox("Message")).to_have_value("")
    ada.page.goto("/scheduled")
    expect(ada.page.get_by_role("list", name="Scheduled messages").get_by_role("listitem", name="good morning")).to_be_visible()
    ada.button("Withdraw").click()
    expect(ada.page.get_by_text("Nothing is scheduled")).to_be_visible()


def test_a_time_that_is_over_is_told_at_its_field(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.textbox("Message").fill("good morning")
    ada.button("Schedule").click()
    dialog = ada.page.get_by_role("dialog")
    when = dialog.get_by_label("When")
    for time in ("2020-01-01T09:00", ""):
        when.fill(time)
        dialog.get_by_role("button", name="Schedule").click()
        expect(when).to_be_focused()
        expect(when).to_have_attribute("aria-invalid", "true")
        expect(when).to_have_accessible_description("This time is over.")
    dialog.get_by_role("button", name="Tomorrow at 9").click()
    dialog.get_by_role("button", name="Schedule").click()
    expect(dialog).to_have_count(0)


def test_a_scheduled_message_goes_out_at_its_time(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    conversation = ada.conversation_path().split("/")[-1]
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=3)
    answer = ada.fetch("PUT", f"/v1/scheduled/{ada.new_id()}", {
        "conversationId": conversation, "text": "right now", "sendAt": soon.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    })
    assert answer["status"] == 201, answer
    ada.sees("right now", timeout=60_000)
    bob.open_conversation("Ada").sees("right now")


def test_a_conversation_is_pinned_muted_and_archived_by_its_menu(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.talk_to(bob).say("older").sees_state("older", "Sent")
    ada.talk_to(eve).say("newer").sees_state("newer", "Sent")
    ada.link("Chats").click()
    rows = ada.conversations.get_by_role("listitem")
    expect(rows.first).to_have_accessible_name("Eve")
    chat_menu(ada, "Bob", "Pin to the top")
    expect(rows.first).to_have_accessible_name("Bob")
    expect(rows.first.get_by_label("Pinned")).to_be_attached()
    chat_menu(ada, "Bob", "Mute")
    ada.page.get_by_role("menuitem", name="Always").click()
    expect(rows.first.get_by_label("Muted")).to_be_attached()
    chat_menu(ada, "Eve", "Archive")
    expect(rows).to_have_count(1)
    ada.button("Archived").click()
    expect(rows).to_have_count(1)
    expect(rows.first).to_have_accessible_name("Eve")


def test_the_list_is_filtered_and_searched_by_name(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Engines", bob, eve)
    ada.talk_to(bob).say("to one").sees_state("to one", "Sent")
    eve.write_to(ada, "unread")
    ada.link("Chats").click()
    rows = ada.conversations.get_by_role("listitem")
    expect(rows).to_have_count(3)
    ada.button("Groups").click()
    expect(rows).to_have_count(1)
    expect(rows.first).to_have_accessible_name("Engines")
    ada.button("Unread").click()
    expect(rows).to_have_count(1)
    expect(rows.first).to_have_accessible_name("Eve")
    expect(rows.first.get_by_text("1 unread message")).to_be_attached()
    ada.button("All").click()
    ada.textbox("Search").first.fill("engi")
    expect(rows).to_have_count(1)
    expect(rows.first).to_have_accessible_name("Engines")


def test_a_message_is_forwarded_to_another_conversation(people):
    ada, eve, bob = people("Ada", "Eve", away=["Bob"])
    ada.talk_to(eve).say("hello, Eve").sees_state("hello, Eve", "Sent")
    ada.talk_to(bob).say("pass this on").sees_state("pass this on", "Sent")
    ada.chooses("pass this on", "Forward")
    dialog = ada.page.get_by_role("dialog")
    dialog.get_by_role("listitem", name="Eve").get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Forward", exact=True).click()
    expect(ada.page.get_by_text("Forwarded to 1 conversation")).to_be_visible()
    eve.open_conversation("Ada").sees("pass this on")
    expect(eve.message("pass this on").get_by_text("Forwarded")).to_be_visible()


def test_a_message_is_forwarded_once_where_the_answer_is_lost(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.talk_to(eve).say("hello, Eve").sees_state("hello, Eve", "Sent")
    path = ada.conversation_path()
    ada.talk_to(bob).say("pass this on").sees_state("pass this on", "Sent")
    ada.loses_an_answer("**/forward", "POST")
    for words in ("You are offline.", "Forwarded to 1 conversation"):
        ada.chooses("pass this on", "Forward")
        dialog = ada.page.get_by_role("dialog")
        dialog.get_by_role("listitem", name="Eve").get_by_role("checkbox").check()
        dialog.get_by_role("button", name="Forward", exact=True).click()
        expect(ada.page.locator(".toast").filter(has_text=words)).to_be_visible()
    texts = [message["text"] for message in ada.fetch("GET", f"{path}/messages")["body"]["items"]]
    assert texts.count("pass this on") == 1, texts


def test_what_one_deletes_for_oneself_stays_for_the_other(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("too much").sees_state("too much", "Sent")
    ada.say("enough").sees_state("enough", "Sent")
    ada.chooses("too much", "Delete")
    ada.button("Delete for me").click()
    ada.sees_all("This message was deleted", "enough")
    ada.page.reload()
    ada.sees_all("This message was deleted", "enough")
    bob.open_conversation("Ada").sees_all("too much", "enough")


def test_a_message_is_copied(people):
    ada, bob = people("Ada", away=["Bob"], permissions=["clipboard-read", "clipboard-write"])
    ada.talk_to(bob).say("word for word").sees_state("word for word", "Sent")
    ada.chooses("word for word", "Copy")
    expect(ada.page.get_by_text("Copied", exact=True)).to_be_visible()
    assert ada.page.evaluate("navigator.clipboard.readText()") == "word for word"


def test_days_have_their_names(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("a day is a day").sees_state("a day is a day", "Sent")
    expect(ada.messages.get_by_text("Today", exact=True)).to_be_visible()
    # A day later; the server, which knows that it is not, is not asked.
    ada.keeps("timelines", "a day is a day")
    ada.page.route("**/v1/**", lambda route: route.abort())
    ada.context.add_init_script("""{
        const Present = Date;
        const day = 86_400_000;
        globalThis.Date = class extends Present {
            constructor(...parts) { parts.length > 0 ? super(...parts) : super(Present.now() + day); }
            static now() { return Present.now() + day; }
        };
    }""")
    ada.page.reload()
    expect(ada.messages.get_by_text("Yesterday", exact=True)).to_be_visible()


def test_the_other_one_is_seen_to_be_there(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    expect(ada.page.locator(".conversation__words").get_by_text("Online", exact=True)).to_be_visible()


def test_other_accounts_are_offered_and_what_failed_with_one_is_said(stranger):
    ada = stranger("Ada")
    ada.page.route("**/v1/auth/providers", lambda route: route.fulfill(json={"items": [{"provider": "acme", "name": "ACME"}], "nextCursor": None}))
    ada.page.goto("/sign-in")
    expect(ada.link("Continue with ACME")).to_have_attribute("href", re.compile(r"^/v1/auth/oidc/acme/start\?returnTo=%2F&"))
    ada.page.goto("/sign-in?failed=unavailable&provider=ACME")
    expect(ada.page.get_by_role("alert")).to_contain_text("ACME cannot be reached")
    # What the address says is no more than the words that there are, and a name: who made the link has no say.
    ada.page.goto("/sign-in?failed=constructor&provider=Support%3A+call+555")
    expect(ada.page.get_by_role("alert")).to_contain_text("did not work")
    expect(ada.page.get_by_text("555")).to_have_count(0)


def test_a_message_is_scheduled_once_where_the_answer_is_lost(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.loses_an_answer("**/v1/scheduled/*")
    ada.textbox("Message").fill("happy birthday")
    for words in ("You are offline.", "It goes out"):
        ada.button("Schedule").click()
        dialog = ada.page.get_by_role("dialog")
        dialog.get_by_role("button", name="Tomorrow at 9").click()
        dialog.get_by_role("button", name="Schedule").click()
        expect(ada.page.locator(".toast").filter(has_text=words)).to_be_visible()
    expect(ada.textbox("Message")).to_have_value("")
    assert len(ada.fetch("GET", "/v1/scheduled")["body"]["items"]) == 1
