"""What is sent arrives: once, in order, whatever happens to the network, the tab and the server's mind."""

from playwright.sync_api import expect
from test_next_person import GIVE_UP


def cut_off(person):
    person.page.context.set_offline(True)
    # What was open stays open in Chromium: the stream is asked to look again.
    person.page.evaluate("dispatchEvent(new Event('offline'))")


def test_twenty_fast_ones_arrive_once_and_in_order(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    box = ada.textbox("Message")
    texts = [f"fast {number}" for number in range(20)]
    for text in texts:
        box.fill(text)
        box.press("Enter")
    bob.open_conversation("Ada").sees("fast 19")
    bob.sees_all(*texts)
    bob.message("fast 19").scroll_into_view_if_needed()
    ada.sees_state("fast 19", "Read")
    ada.sees_all(*texts)


def test_what_is_written_offline_goes_out_in_order_when_the_network_is_back(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("online").sees_state("online", "Sent")
    bob.open_conversation("Ada").sees("online")
    cut_off(ada)
    for number in range(5):
        ada.say(f"offline {number}")
    ada.sees_state("offline 4", "Sending")
    expect(ada.page.get_by_text("You are offline")).to_be_visible()
    ada.page.context.set_offline(False)
    bob.sees("offline 4", timeout=30_000)
    bob.sees_all("online", *[f"offline {number}" for number in range(5)])
    ada.sees_state("offline 4", "Read")
    ada.sees_all(*bob.texts())


def test_a_tab_that_is_closed_while_offline_sends_when_it_is_opened_again(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("first").sees_state("first", "Sent")
    bob.open_conversation("Ada").sees("first")
    address = ada.page.url
    ada.page.route("**/v1/**", lambda route: route.abort())
    ada.say_unsent("kept").sees_state("kept", "Sending")
    ada.page.close()
    ada.page = ada.context.new_page()
    ada.page.goto(address)
    bob.sees("kept")
    ada.sees_state("kept", "Read")
    bob.sees_all("first", "kept")
    ada.sees_all("first", "kept")


def test_an_answer_that_is_lost_does_not_send_twice(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    lost = ada.loses_an_answer("**/messages/*")
    ada.say("only once")
    ada.say("and this behind it")
    bob.open_conversation("Ada").sees("and this behind it")
    ada.sees_state("and this behind it", "Read")
    assert lost
    bob.sees_all("only once", "and this behind it")
    ada.sees_all(*bob.texts())


def test_what_the_server_refuses_says_failed_and_holds_up_what_was_written_after_it(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    problem = {"type": "about:blank", "title": "Forbidden", "status": 403, "code": "forbidden", "retryable": False}
    ada.page.route("**/messages/*", lambda route: route.fulfill(status=403, json=problem, content_type="application/problem+json"))
    ada.say("refused").sees_state("refused", "Failed")
    ada.say("waits").sees_state("waits", "Sending")
    expect(ada.message("refused").get_by_text("You are not allowed to do this.")).to_be_visible()
    # Also after a reload.
    ada.keeps("outbox", '"failed"')
    ada.page.reload()
    ada.sees_state("refused", "Failed")
    ada.page.unroute("**/messages/*")
    ada.message("refused").get_by_role("button", name="Try again").click()
    bob.open_conversation("Ada").sees("waits")
    bob.sees_all("refused", "waits")


def test_a_refused_message_can_be_removed_and_the_others_go_on(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    problem = {"type": "about:blank", "title": "Invalid", "status": 422, "code": "validationFailed", "detail": "No.", "retryable": False}

    def refuse(route):
        if route.request.method == "PUT" and "refused" in (route.request.post_data or ""):
            return route.fulfill(status=422, json=problem, content_type="application/problem+json")
        return route.continue_()

    ada.page.route("**/messages/*", refuse)
    ada.say("refused").sees_state("refused", "Failed")
    ada.say("goes on")
    ada.message("refused").click(button="right")
    ada.page.get_by_role("menuitem", name="Delete").click()
    bob.open_conversation("Ada").sees("goes on")
    bob.sees_all("goes on")
    ada.sees_all("goes on")


def test_a_busy_server_is_asked_again_until_it_takes_the_message(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    asked = []

    def busy(route):
        if route.request.method != "PUT" or len(asked) >= 2:
            return route.continue_()
        asked.append(route.request.post_data)
        problem = {"type": "about:blank", "title": "Busy", "status": 503, "code": "overloaded", "retryable": True}
        return route.fulfill(status=503, json=problem, headers={"Retry-After": "1", "Content-Type": "application/problem+json"})

    ada.page.route("**/messages/*", busy)
    ada.say("patience")
    ada.sees_state("patience", "Sending")
    bob.open_conversation("Ada").sees("patience")
    assert len(asked) == 2
    # The same content each time: the payload is frozen at the first try.
    assert asked[0] == asked[1]


def test_a_message_that_was_tried_is_changed_behind_it_not_in_place(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("before").sees_state("before", "Sent")
    cut_off(ada)
    ada.say("draft of a thought")
    ada.sees_state("draft of a thought", "Sending")
    ada.message("draft of a thought").click(button="right")
    ada.page.get_by_role("menuitem", name="Edit").click()
    ada.textbox("Message").fill("a thought")
    ada.textbox("Message").press("Enter")
    expect(ada.messages.get_by_role("listitem", name="a thought", exact=True)).to_be_visible()
    ada.page.context.set_offline(False)
    bob.open_conversation("Ada")
    expect(bob.messages.get_by_role("listitem", name="a thought", exact=True)).to_be_visible(timeout=30_000)
    bob.sees_all("before", "a thought")


def test_an_own_message_shows_at_once_also_where_the_server_takes_its_time(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    held = []
    ada.page.route("**/messages/*", lambda route: held.append(route) if route.request.method == "PUT" else route.continue_())
    ada.say("slow road").sees_state("slow road", "Sending")
    expect(ada.textbox("Message")).to_have_value("")
    ada.until(lambda: held)
    held[0].continue_()
    ada.sees_state("slow road", "Delivered")


def test_without_storage_everything_works_but_keeping(people):
    ada, bob = people("Ada", "Bob")
    ada.context.add_init_script("Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('no', 'SecurityError'); } });")
    ada.page.goto("/")
    ada.talk_to(bob).say("from memory")
    bob.open_conversation("Ada").sees("from memory")
    ada.sees_state("from memory", "Read")
    ada.page.reload()
    ada.sees("from memory")


def test_what_is_withdrawn_or_written_after_the_database_was_given_up_is_so_for_the_next_page(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("before").sees_state("before", "Sent")
    address = ada.page.url
    ada.page.route("**/messages/*", lambda route: route.abort())
    ada.say_unsent("first").say("withdrawn").keeps("outbox", "first").keeps("outbox", "withdrawn")
    ada.page.evaluate(GIVE_UP)
    ada.chooses("withdrawn", "Delete")
    ada.sees_all("before", "first")
    ada.say("last").sees_all("before", "first", "last")
    ada.page.close()
    ada.page = ada.context.new_page()
    ada.page.goto(address)
    bob.open_conversation("Ada").sees("last")
    bob.sees_all("before", "first", "last")
    ada.sees_all("before", "first", "last")
    # Nothing is left of what has been done with.
    ada.until(lambda: ada.page.evaluate("Object.keys(localStorage).filter((key) => /^parley.(over|unsent)/.test(key)).length") == 0)
