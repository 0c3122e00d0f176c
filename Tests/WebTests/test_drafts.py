"""What somebody has begun to write, or to change: it is there again, here and elsewhere, until it is sent; and never after that."""

import re

from playwright.sync_api import expect


def draft_of(person):
    """What the server holds of it."""
    return person.fetch("GET", person.conversation_path())["body"]["me"]["draft"]


def writes(person, text):
    """Writes something, and waits until the server has it."""
    person.textbox("Message").fill(text)
    person.until(lambda: draft_of(person) == text)


def test_what_is_sent_without_a_network_is_no_draft_any_more(people, stranger):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    writes(ada, "sent in a tunnel")
    ada.context.set_offline(True)
    ada.textbox("Message").press("Enter")
    ada.sees_state("sent in a tunnel", "Sending")
    # Longer than it takes for a draft to go to the server, had it a way.
    ada.page.wait_for_timeout(4_000)
    ada.context.set_offline(False)
    ada.sees_state("sent in a tunnel", "Sent")
    ada.until(lambda: draft_of(ada) is None)
    ada.page.reload()
    ada.is_live().sees("sent in a tunnel")
    expect(ada.textbox("Message")).to_have_value("")
    phone = stranger("Ada")
    phone.email = ada.email
    phone.sign_in().is_live()
    phone.open_conversation("Bob").sees("sent in a tunnel")
    expect(phone.textbox("Message")).to_have_value("")


def test_what_was_sent_is_no_draft_after_the_page_is_loaded_at_once(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    writes(ada, "sent and gone")
    ada.page.route("**/me", lambda route: route.abort() if route.request.method == "PATCH" else route.continue_())
    ada.textbox("Message").press("Enter")
    ada.sees_state("sent and gone", "Sent")
    ada.page.reload()
    ada.is_live().sees("sent and gone")
    expect(ada.textbox("Message")).to_have_value("")
    ada.page.unroute("**/me")
    ada.until(lambda: draft_of(ada) is None)


def test_what_is_written_without_a_network_comes_to_the_other_devices(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    ada.context.set_offline(True)
    ada.textbox("Message").fill("written in a tunnel")
    ada.page.wait_for_timeout(4_000)
    ada.context.set_offline(False)
    ada.until(lambda: draft_of(ada) == "written in a tunnel")


def test_what_one_tab_has_sent_does_not_wait_in_the_other(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    address = ada.page.url
    writes(ada, "once is enough")
    second = ada.context.new_page()
    second.goto(address)
    text = second.get_by_role("textbox", name="Message", exact=True)
    expect(text).to_have_value("once is enough")
    ada.textbox("Message").press("Enter")
    ada.sees_state("once is enough", "Sent")
    expect(text).to_have_value("")
    # What is being written there stays.
    text.fill("something else")
    writes(ada, "and here")
    expect(text).to_have_value("something else")


def test_what_another_device_has_sent_meanwhile_does_not_wait_here(people, stranger):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    address = ada.page.url
    writes(ada, "begun on the laptop")
    ada.keeps("conversations", "begun on the laptop")
    ada.page.close()
    phone = stranger("Ada")
    phone.email = ada.email
    phone.sign_in().is_live()
    phone.open_conversation("Bob")
    expect(phone.textbox("Message")).to_have_value("begun on the laptop")
    phone.textbox("Message").press("Enter")
    phone.sees_state("begun on the laptop", "Sent")
    phone.until(lambda: draft_of(phone) is None)
    ada.page = ada.context.new_page()
    ada.page.goto(address)
    ada.is_live().sees("begun on the laptop")
    expect(ada.textbox("Message")).to_have_value("")


def test_an_answer_in_place_of_a_change_leaves_the_draft(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("mine").sees_state("mine", "Sent")
    bob.open_conversation("Ada").say("yours")
    ada.sees("yours")
    ada.textbox("Message").fill("not to be lost")
    ada.chooses("mine", "Edit")
    expect(ada.textbox("Message")).to_have_value("mine")
    ada.chooses("yours", "Reply")
    expect(ada.textbox("Message")).to_have_value("not to be lost")
    ada.textbox("Message").press("Enter")
    bob.sees("not to be lost")
    bob.sees_all("mine", "yours", "not to be lost")


def test_a_change_that_somebody_is_at_is_there_again(people, stranger):
    ada, bob, eve = people("Ada", "Bob", "Eve")
    ada.talk_to(bob).say("tpyo").sees_state("tpyo", "Sent")
    ada.textbox("Message").fill("what comes next")
    ada.chooses("tpyo", "Edit")
    ada.textbox("Message").fill("typo, with an effort")
    ada.talk_to(eve)
    expect(ada.textbox("Message")).to_have_value("")
    ada.open_conversation("Bob")
    expect(ada.textbox("Message")).to_have_value("typo, with an effort")
    # Also for who is signed out in the middle of it.
    ada.keeps("drafts", "typo, with an effort")
    phone = stranger("Ada")
    phone.email = ada.email
    phone.sign_in().is_live()
    assert phone.fetch("DELETE", "/v1/sessions")["status"] == 204
    expect(ada.page.get_by_text("You have been signed out.")).to_be_visible()
    ada.sign_in().is_live()
    expect(ada.textbox("Message")).to_have_value("typo, with an effort")
    ada.textbox("Message").press("Enter")
    ada.sees_all("typo, with an effort")
    expect(ada.textbox("Message")).to_have_value("what comes next")


def test_a_change_goes_out_when_the_network_is_back(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("tpyo").sees_state("tpyo", "Sent")
    bob.open_conversation("Ada").sees("tpyo")
    ada.context.set_offline(True)
    ada.chooses("tpyo", "Edit")
    ada.textbox("Message").fill("typo")
    ada.textbox("Message").press("Enter")
    ada.sees_all("typo")
    ada.context.set_offline(False)
    bob.sees("typo")
    ada.sees_all("typo").sees_state("typo", "Read")


def test_a_change_that_is_refused_can_be_mended(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("tpyo").sees_state("tpyo", "Sent")
    problem = {"type": "about:blank", "title": "Too late", "status": 403, "code": "forbidden", "retryable": False}
    refuse = lambda route: route.fulfill(status=403, json=problem) if route.request.method == "PATCH" else route.continue_()
    ada.page.route("**/messages/*", refuse)
    ada.chooses("tpyo", "Edit")
    ada.textbox("Message").fill("typo, at length")
    ada.textbox("Message").press("Enter")
    expect(ada.page.get_by_role("alert").filter(has_text="You are not allowed to do this.")).to_be_visible()
    ada.sees_all("tpyo")
    expect(ada.textbox("Message")).to_have_value("typo, at length")
    ada.page.unroute("**/messages/*")
    ada.textbox("Message").press("Enter")
    ada.sees_all("typo, at length").sees_state("typo, at length", "Sent")


def test_a_message_that_was_refused_holds_up_no_change_of_another(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("tpyo").sees_state("tpyo", "Sent")
    bob.open_conversation("Ada").sees("tpyo")
    problem = {"type": "about:blank", "title": "Invalid", "status": 422, "code": "validationFailed", "retryable": False}
    ada.page.route("**/messages/*", lambda route: route.fulfill(status=422, json=problem) if route.request.method == "PUT" else route.continue_())
    ada.say("refused").sees_state("refused", "Failed")
    ada.chooses("tpyo", "Edit")
    ada.textbox("Message").fill("typo")
    ada.textbox("Message").press("Enter")
    expect(bob.messages.get_by_role("listitem", name=re.compile("^typo$"))).to_be_visible()


def test_whom_a_change_would_name_is_not_offered(people):
    ada, bob, eve = people("Ada", "Bob", "Eve")
    ada.make_group("Engines", bob, eve).say("plain").sees_state("plain", "Sent")
    ada.textbox("Message").press_sequentially("@Bo")
    expect(ada.page.get_by_role("option", name="Bob")).to_be_visible()
    ada.textbox("Message").fill("")
    ada.chooses("plain", "Edit")
    # In an edit the contract has no mentions.
    ada.textbox("Message").press_sequentially(" @Bo")
    expect(ada.textbox("Message")).to_have_value("plain @Bo")
    expect(ada.page.get_by_role("option")).to_have_count(0)
