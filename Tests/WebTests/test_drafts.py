"""What somebody has begun to write, or to change: it is there again, here and elsewhere, until it is sent; and never after that."""

import re

from playwright.sync_api import expect


def draft_of(person):
    """What the server holds of it."""
    return person.fetch("GET", person.conversation_path())["body"]["me"]["draft"]


def is_draft(request):
    return request.method == "PATCH" and request.url.endswith("/me")


def writes(person, text):
    """Writes something, and waits until the server has it."""
    person.textbox("Message").fill(text)
    person.until(lambda: draft_of(person) == text)


def test_what_is_sent_without_a_network_is_no_draft_any_more(people, stranger):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    writes(ada, "sent in a tunnel")
    ada.context.set_offline(True)
    with ada.page.expect_event("requestfailed", is_draft):
        ada.textbox("Message").press("Enter")
        ada.sees_state("sent in a tunnel", "Sending")
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
    ada, bob = people("Ada", away=["Bob"])
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
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.context.set_offline(True)
    with ada.page.expect_event("requestfailed", is_draft):
        ada.textbox("Message").fill("written in a tunnel")
    ada.context.set_offline(False)
    ada.until(lambda: draft_of(ada) == "written in a tunnel")


def test_what_one_tab_has_sent_does_not_wait_in_the_other(people):
    ada, bob = people("Ada", away=["Bob"])
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
    ada, bob = people("Ada", away=["Bob"])
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
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
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
    ada, bob = people("Ada", away=["Bob"])
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
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Engines", bob, eve).say("plain").sees_state("plain", "Sent")
    ada.textbox("Message").press_sequentially("@Bo")
    expect(ada.page.get_by_role("option", name="Bob")).to_be_visible()
    ada.textbox("Message").fill("")
    ada.chooses("plain", "Edit")
    # In an edit the contract has no mentions.
    ada.textbox("Message").press_sequentially(" @Bo")
    expect(ada.textbox("Message")).to_have_value("plain @Bo")
    expect(ada.page.get_by_role("option")).to_have_count(0)


def test_what_one_tab_sends_takes_nothing_from_what_the_other_has_gone_on_with(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    writes(ada, "a thought")
    second = ada.context.new_page()
    second.goto(ada.page.url)
    text = second.get_by_role("textbox", name="Message", exact=True)
    expect(text).to_have_value("a thought")
    text.fill("a thought, and much more of it")
    ada.until(lambda: draft_of(ada) == "a thought, and much more of it")
    ada.textbox("Message").press("Enter")
    ada.sees_state("a thought", "Sent")
    # What is going on elsewhere is the draft.
    expect(ada.textbox("Message")).to_have_value("a thought, and much more of it")
    second.reload()
    expect(text).to_have_value("a thought, and much more of it")
    assert draft_of(ada) == "a thought, and much more of it"


def test_a_change_in_one_tab_takes_nothing_from_what_is_written_in_another(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("tpyo").sees_state("tpyo", "Sent")
    second = ada.context.new_page()
    second.goto(ada.page.url)
    text = second.get_by_role("textbox", name="Message", exact=True)
    expect(text).to_be_visible()
    ada.chooses("tpyo", "Edit")
    text.fill("written meanwhile")
    ada.until(lambda: draft_of(ada) == "written meanwhile")
    ada.textbox("Message").fill("typo")
    ada.textbox("Message").press("Enter")
    ada.sees_all("typo").sees_state("typo", "Sent")
    # Given up, or sent, the change gives way to the draft.
    expect(ada.textbox("Message")).to_have_value("written meanwhile")
    expect(text).to_have_value("written meanwhile")
    assert draft_of(ada) == "written meanwhile"


def test_a_draft_of_another_device_shows_in_the_list_of_who_has_sent_something_here(people, stranger):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.talk_to(bob).say("sent here").sees_state("sent here", "Sent")
    ada.talk_to(eve)
    phone = stranger("Ada")
    phone.email = ada.email
    phone.sign_in().is_live()
    phone.open_conversation("Bob")
    writes(phone, "begun on the phone")
    expect(ada.conversation("Bob")).to_contain_text("begun on the phone")


def test_what_another_device_sends_while_there_is_no_network_does_not_wait_here(people, stranger):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    writes(ada, "begun on the laptop")
    phone = stranger("Ada")
    phone.email = ada.email
    phone.sign_in().is_live()
    phone.open_conversation("Bob")
    expect(phone.textbox("Message")).to_have_value("begun on the laptop")
    ada.context.set_offline(True)
    expect(ada.page.get_by_text("You are offline").first).to_be_visible()
    phone.textbox("Message").press("Enter")
    phone.sees_state("begun on the laptop", "Sent")
    phone.until(lambda: draft_of(phone) is None)
    ada.context.set_offline(False)
    ada.sees("begun on the laptop")
    expect(ada.textbox("Message")).to_have_value("")


def test_an_answer_outlives_a_change_that_is_given_up(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("mine").sees_state("mine", "Sent")
    bob.open_conversation("Ada").say("yours")
    ada.sees("yours")
    ada.chooses("yours", "Reply")
    ada.textbox("Message").fill("to yours")
    ada.chooses("mine", "Edit")
    ada.textbox("Message").press("Escape")
    expect(ada.textbox("Message")).to_have_value("to yours")
    ada.textbox("Message").press("Enter")
    ada.sees_state("to yours", "Sent")
    assert ada.said("to yours")["replyTo"]["text"] == "yours"


def test_a_message_that_was_refused_goes_out_once_it_is_changed(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    problem = {"type": "about:blank", "title": "Invalid", "status": 422, "code": "validationFailed", "retryable": False}

    def refuse(route):
        is_bad = route.request.method == "PUT" and "bad words" in (route.request.post_data or "")
        return route.fulfill(status=422, json=problem) if is_bad else route.continue_()

    ada.page.route("**/messages/*", refuse)
    ada.say("bad words").sees_state("bad words", "Failed")
    ada.chooses("bad words", "Edit")
    ada.textbox("Message").fill("good words")
    ada.textbox("Message").press("Enter")
    bob.open_conversation("Ada").sees("good words")
    ada.sees_all("good words").sees_state("good words", "Read")


def test_a_change_that_is_refused_is_told_in_the_tab_in_which_it_was_made(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("tpyo").sees_state("tpyo", "Sent")
    address = ada.page.url
    problem = {"type": "about:blank", "title": "Too late", "status": 403, "code": "forbidden", "retryable": False}
    ada.page.route("**/messages/*", lambda route: route.fulfill(status=403, json=problem) if route.request.method == "PATCH" else route.continue_())
    leading, ada.page = ada.page, ada.context.new_page()
    ada.page.goto(address)
    ada.is_live().sees("tpyo")
    ada.chooses("tpyo", "Edit")
    ada.textbox("Message").fill("typo")
    ada.textbox("Message").press("Enter")
    words = "You are not allowed to do this."
    expect(ada.page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    expect(ada.textbox("Message")).to_have_value("typo")
    expect(leading.get_by_role("alert").filter(has_text=words)).to_have_count(0)
    expect(leading.get_by_role("textbox", name="Message", exact=True)).to_have_value("")


def test_a_change_that_is_refused_leaves_what_is_written_alone_and_is_offered(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("tpyo").sees_state("tpyo", "Sent")
    held = []
    problem = {"type": "about:blank", "title": "Too late", "status": 403, "code": "forbidden", "retryable": False}
    ada.page.route("**/messages/*", lambda route: held.append(route) if route.request.method == "PATCH" else route.continue_())
    ada.chooses("tpyo", "Edit")
    ada.textbox("Message").fill("typo")
    ada.textbox("Message").press("Enter")
    ada.until(lambda: held)
    ada.textbox("Message").fill("the next one")
    held[0].fulfill(status=403, json=problem)
    refusal = ada.page.get_by_role("alert").filter(has_text="You are not allowed to do this.")
    expect(refusal).to_be_visible()
    expect(ada.textbox("Message")).to_have_value("the next one")
    refusal.get_by_role("button", name="Edit").click()
    expect(ada.textbox("Message")).to_have_value("typo")
    ada.textbox("Message").press("Escape")
    expect(ada.textbox("Message")).to_have_value("the next one")


def test_a_draft_that_has_ended_elsewhere_takes_nothing_that_the_server_never_had(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob)
    ada.page.route("**/me", lambda route: route.abort() if route.request.method == "PATCH" else route.continue_())
    ada.textbox("Message").fill("kept here alone")
    ada.keeps("drafts", "kept here alone")
    later = "2999-01-01T00:00:00.000Z"

    def ended(route):
        answer = route.fetch()
        body = answer.json()
        body["me"] |= {"draft": None, "draftUpdatedAt": later}
        return route.fulfill(response=answer, json=body)

    ada.page.route(re.compile("/v1/conversations/[0-9a-f-]{36}$"), ended)
    ada.page.reload()
    ada.keeps("conversations", later)
    expect(ada.textbox("Message")).to_have_value("kept here alone")
    # What is written from now on is later than that, whatever this clock says.
    with ada.page.expect_request(is_draft) as asked:
        ada.textbox("Message").fill("and more of it")
    assert asked.value.post_data_json["draftUpdatedAt"] > later
