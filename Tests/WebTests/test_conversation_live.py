"""What others see at once: typing, changes, deletions, answers, reactions, pins, mentions, and how many have read."""

import re

from playwright.sync_api import expect
from test_conversation_files import attach, png


def test_typing_shows_and_is_gone_three_seconds_later(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("hello")
    bob.open_conversation("Ada").sees("hello")
    # The page looks at each frame: what shows for three seconds may be over before a busy driver looks.
    bob.page.evaluate("""() => {
        const isTyping = () => [...document.querySelectorAll('[role=status]')].some((each) => each.textContent.includes('typing…') && each.checkVisibility());
        const change = (shown) => new Promise((resolve) => {
            const check = () => (isTyping() === shown ? resolve(performance.now()) : requestAnimationFrame(check));
            check();
        });
        const measure = async () => {
            const began = await change(true);
            return (await change(false)) - began;
        };
        window.typed = Promise.race([measure(), new Promise((resolve) => setTimeout(resolve, 30_000, Infinity))]);
    }""")
    ada.textbox("Message").press_sequentially("hm")
    shown = bob.page.evaluate("window.typed")
    assert 1_000 < shown < 6_000, shown


def test_of_three_who_type_one_is_named(people):
    ada, *others = people("Ada", "Bob", "Cleo", "Dora")
    ada.make_group("Engine", *others)
    path = ada.conversation_path()
    words = ada.page.get_by_role("status").filter(has_text=re.compile("(Bob|Cleo|Dora) and 2 others are typing…"))

    def are_shown():
        for person in others:
            assert person.fetch("POST", f"{path}/typing", {"typing": True})["status"] == 202
        return words.first.is_visible()

    ada.until(are_shown)


def test_a_change_a_deletion_and_an_answer_reach_the_other_one(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("frist").sees_state("frist", "Sent")
    bob.open_conversation("Ada").sees("frist")
    ada.chooses("frist", "Edit")
    ada.textbox("Message").fill("first")
    ada.textbox("Message").press("Enter")
    bob.sees("first")
    bob.chooses("first", "Reply")
    bob.say("indeed")
    expect(ada.message("indeed").get_by_role("button", name="Show the message that this answers")).to_be_visible()
    ada.chooses("first", "Delete")
    ada.button("Delete for everyone").click()
    bob.sees("This message was deleted")
    # The quote says no more than the message does.
    expect(bob.message("indeed").first).not_to_contain_text("first")


def test_reactions_of_any_kind_and_taking_them_back(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("party").sees_state("party", "Sent")
    bob.open_conversation("Ada").sees("party")
    bob.chooses("party", "React")
    bob.textbox("Any emoji").fill("🦩")
    reaction = ada.message("party").get_by_role("button", name="reacted with 🦩")
    expect(reaction).to_be_visible()
    bob.message("party").get_by_role("button", name="reacted with 🦩").click()
    expect(reaction).to_have_count(0)


def test_a_reaction_that_is_refused_goes_and_leaves_those_of_others(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("party").sees_state("party", "Sent")
    bob.open_conversation("Ada").sees("party")
    held = []
    ada.page.route("**/reactions/*", lambda route: held.append(route))
    ada.chooses("party", "React")
    ada.textbox("Any emoji").fill("🦩")
    reactions = ada.message("party").get_by_role("group", name="Reactions").get_by_role("button")
    expect(reactions).to_have_accessible_name("You reacted with 🦩")
    bob.chooses("party", "React")
    bob.textbox("Any emoji").fill("🎈")
    expect(reactions.and_(ada.button("Bob reacted with 🎈"))).to_be_visible()
    ada.until(lambda: held)
    held[0].fulfill(status=403, content_type="application/problem+json", body='{"code": "forbidden"}')
    expect(ada.page.get_by_text("You are not allowed to do this.")).to_be_visible()
    expect(reactions).to_have_accessible_name("Bob reacted with 🎈")


def test_a_group_says_by_how_many_it_was_read_and_when(people):
    ada, bob, eve = people("Ada", "Bob", "Eve")
    ada.make_group("Engine", bob, eve)
    bob.open_conversation("Engine")
    ada.say("attention")
    expect(ada.message("attention").get_by_text("Read by 1 of 2", exact=True)).to_be_visible()
    ada.chooses("attention", "Message info")
    info = ada.page.get_by_role("dialog")
    expect(info.get_by_role("list", name="Read by 1 of 2").get_by_role("listitem", name="Bob")).to_have_text(re.compile(r"Bob.*\d\d:\d\d"))
    expect(info.get_by_role("listitem", name="Eve")).to_be_visible()
    ada.button("Close").click()
    eve.open_conversation("Engine").sees("attention")
    ada.sees_state("attention", "Read")
    # All have: the marks say so.
    expect(ada.message("attention").get_by_text("Read by")).to_have_count(0)


def test_by_how_many_a_message_was_read_fits_into_its_bubble_on_a_phone(people):
    bob, eve = people("Bob", away=["Eve"])
    (ada,) = people("Ada", width=320, height=640)
    ada.make_group("Engine", bob, eve)
    bob.open_conversation("Engine")
    attach(ada, ("narrow.png", "image/png", png(40, 120)))
    ada.button("Send").click()
    ada.say("a")
    for name in ("Photo", "a"):
        message = ada.messages.get_by_role("listitem", name=name, exact=True)
        expect(message.get_by_text("Read by 1 of 2", exact=True)).to_be_visible()
        assert message.evaluate(
            """row => {
                const [bubble, words] = ['.bubble', '.meta'].map((each) => row.querySelector(each).getBoundingClientRect());
                return bubble.left <= words.left && words.right <= bubble.right;
            }"""), name


def test_a_mention_is_completed_by_keys_and_marked_for_whom_it_is(people):
    ada, bob, eve = people("Ada", "Bob", "Eve")
    ada.make_group("Engine", bob, eve)
    expect(bob.conversation("Engine")).to_be_visible()
    ada.textbox("Message").press_sequentially("look @bo")
    expect(ada.page.get_by_role("option", name="Bob")).to_be_visible()
    ada.textbox("Message").press("Enter")
    expect(ada.textbox("Message")).to_have_value("look @Bob ")
    ada.textbox("Message").press("Enter")
    expect(bob.conversation("Engine").get_by_role("link")).to_have_accessible_name(re.compile("You are mentioned"))
    expect(eve.conversation("Engine")).to_contain_text("look @Bob")
    expect(eve.conversation("Engine").get_by_role("link")).not_to_have_accessible_name(re.compile("You are mentioned"))


def test_a_mention_is_chosen_by_arrows_left_by_escape_and_named_to_who_listens(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.make_group("Engine", bob, eve)
    box, options = ada.textbox("Message"), ada.page.get_by_role("option")
    box.press_sequentially("@")
    # All, whom an owner may mention, and the two others.
    expect(options).to_have_count(3)
    for key, place in [("ArrowDown", 1), ("ArrowDown", 2), ("ArrowDown", 0), ("ArrowUp", 2)]:
        box.press(key)
        expect(options.nth(place)).to_have_attribute("aria-selected", "true")
        expect(box).to_have_attribute("aria-activedescendant", options.nth(place).get_attribute("id"))
    chosen = options.nth(2).locator("bdi").inner_text()
    box.press("Tab")
    expect(box).to_have_value(f"@{chosen} ")
    expect(box).to_be_focused()
    box.press_sequentially("and @e")
    expect(options.locator("bdi")).to_have_text(["Eve"])
    box.press("Escape")
    expect(options).to_have_count(0)
    # The list alone was left.
    expect(box).to_be_focused()
    expect(box).to_have_value(f"@{chosen} and @e")


def test_what_is_pinned_stands_above_the_messages_of_all(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("the address").sees_state("the address", "Sent")
    bob.open_conversation("Ada").sees("the address")
    ada.chooses("the address", "Pin")
    expect(bob.page.get_by_role("button", name="Pinned message the address")).to_be_visible()


def test_a_draft_is_there_again_and_shows_in_the_list(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    ada.textbox("Message").fill("not finished")
    ada.talk_to(eve)
    expect(ada.textbox("Message")).to_have_value("")
    expect(ada.conversation("Bob")).to_contain_text("not finished")
    ada.open_conversation("Bob")
    expect(ada.textbox("Message")).to_have_value("not finished")


def test_a_change_that_comes_while_a_page_of_before_is_on_its_way_is_not_lost(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("tpyo").sees_state("tpyo", "Sent")
    path, held = ada.conversation_path(), []
    message = next(item for item in ada.fetch("GET", f"{path}/messages")["body"]["items"] if item.get("text") == "tpyo")
    bob.page.goto("/")
    bob.is_live()
    # Nothing of it is known here, and the server has read the page that is on its way.
    bob.page.evaluate("""async () => {
        const db = await new Promise((done) => { const open = indexedDB.open('parley'); open.onsuccess = () => done(open.result); });
        await new Promise((done) => { db.transaction('timelines', 'readwrite').objectStore('timelines').clear().onsuccess = done; });
        db.close();
    }""")
    bob.page.goto("/")
    bob.is_live()
    bob.page.route(re.compile("/messages[?]limit"), lambda route: held.append((route, route.fetch())) if not held else route.continue_())
    bob.open_conversation("Ada")
    bob.until(lambda: held)
    assert ada.fetch("PATCH", f"{path}/messages/{message['id']}", {"text": "typo mended"})["status"] == 200
    expect(bob.conversations).to_contain_text("typo mended")
    route, answer = held[0]
    route.fulfill(response=answer)
    bob.sees("typo mended")


# What the stream brings waits on its way for as long as the page says so.
SLOW_STREAM = """(() => {
    const ask = window.fetch;
    window.fetch = async (...asked) => {
        const answer = await ask(...asked);
        if (!String(asked[0]).includes('/v1/stream') || !answer.ok) return answer;
        const slow = new TransformStream({async transform(chunk, controller) {
            while (window.isStreamHeld) await new Promise((resolve) => setTimeout(resolve, 20));
            controller.enqueue(chunk);
        }});
        return new Response(answer.body.pipeThrough(slow), {status: answer.status, headers: answer.headers});
    };
})()"""


def test_what_happened_in_a_group_before_an_own_message_stands_above_it(people):
    ada, bob, eve = people("Ada", away=["Bob", "Eve"])
    ada.page.add_init_script(SLOW_STREAM)
    ada.page.reload()
    ada.is_live()
    ada.make_group("Engine", bob, eve).say("hello").sees_state("hello", "Sent")
    path = ada.conversation_path()
    ada.keeps("timelines", "hello")
    ada.page.evaluate("window.isStreamHeld = true")
    assert ada.fetch("PATCH", path, {"groupName": "Difference"})["status"] == 200
    ada.say("after").sees_state("after", "Sent").keeps("timelines", "after")
    ada.page.evaluate("window.isStreamHeld = false")
    ada.until(lambda: any("Difference" in text for text in ada.texts()), what=ada.texts)
    order = ["You changed the group’s name to “Difference”", "after"]
    ada.until(lambda: ada.texts()[-2:] == order, seconds=5, what=ada.texts)
    ada.keeps("timelines", "Difference")
    ada.page.route("**/v1/**", lambda route: route.abort())
    ada.page.reload()
    ada.until(lambda: ada.texts()[-2:] == order, seconds=5, what=ada.texts)
