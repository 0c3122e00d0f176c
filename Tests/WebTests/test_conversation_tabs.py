"""The tabs of one browser: one stream for all of them, and another tab takes over."""

from playwright.sync_api import expect


class Tab:
    """Another page of the same person."""

    def __init__(self, person, path):
        self.page = person.context.new_page()
        self.streams = []
        self.page.on("request", lambda request: self.streams.append(request) if "/v1/stream" in request.url else None)
        self.page.goto(path)

    def message(self, text):
        return self.page.get_by_role("list", name="Messages").get_by_role("listitem").filter(has_text=text)

    def sees(self, text):
        expect(self.message(text).first).to_be_visible(timeout=30_000)


def test_seven_tabs_have_one_stream_and_all_see_what_happens(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    address = ada.page.url
    tabs = [Tab(ada, address) for _ in range(6)]
    for tab in tabs:
        tab.sees("hello")
    bob.open_conversation("Ada").say("to all seven")
    ada.sees("to all seven")
    for tab in tabs:
        tab.sees("to all seven")
    assert all(tab.streams == [] for tab in tabs)


def test_another_tab_takes_over_when_the_leading_one_goes(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    second, third = Tab(ada, ada.page.url), Tab(ada, ada.page.url)
    second.sees("hello")
    third.sees("hello")
    ada.page.close()
    bob.open_conversation("Ada").say("who leads now?")
    second.sees("who leads now?")
    third.sees("who leads now?")
    assert len(second.streams) + len(third.streams) == 1
    ada.page = second.page


def test_what_is_sent_in_a_tab_that_does_not_lead_goes_out_and_shows_in_the_others(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("hello").sees_state("hello", "Sent")
    second = Tab(ada, ada.page.url)
    second.sees("hello")
    second.page.get_by_role("textbox", name="Message").fill("from the second")
    second.page.get_by_role("textbox", name="Message").press("Enter")
    second.sees("from the second")
    ada.sees("from the second")
    bob.open_conversation("Ada").sees("from the second")
    ada.sees_state("from the second", "Read")
    expect(second.message("from the second").first.get_by_role("img", name="Read")).to_be_attached()


def test_signing_out_in_one_tab_signs_out_in_all(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob).say("secret").sees_state("secret", "Sent")
    second = Tab(ada, ada.page.url)
    second.sees("secret")
    ada.leave()
    expect(second.page.get_by_role("button", name="Sign in")).to_be_visible()
    expect(second.page.get_by_text("secret")).to_have_count(0)
    # Nothing of it is left in the browser.
    kept = ada.page.evaluate("""async () => {
        const db = await new Promise((done) => { const open = indexedDB.open('parley'); open.onsuccess = () => done(open.result); });
        let count = 0;
        for (const name of db.objectStoreNames) {
            count += await new Promise((done) => { const ask = db.transaction(name).objectStore(name).count(); ask.onsuccess = () => done(ask.result); });
        }
        db.close();
        return count;
    }""")
    assert kept == 0
