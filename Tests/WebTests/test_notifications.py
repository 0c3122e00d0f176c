"""What draws attention, and what takes it away again."""

import base64
import json
import os
import re

import pytest
from playwright.sync_api import expect


@pytest.fixture(scope="module")
def browser(whole_browser):
    return whole_browser


def test_a_message_elsewhere_shows_a_banner_that_opens_it(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.link("Profile").click()
    bob.write_to(ada, "Look here")
    banner = ada.page.locator(".banner")
    # One wait and no second look: it goes by itself after six seconds.
    banner.get_by_role("button").filter(has_text="Look here").click()
    ada.sees("Look here")
    expect(banner).to_have_count(0)


# What the stream tells reaches the page in pieces of a second and a half, as on a machine that is busy.
IN_ONE_PIECE = """{
    const ask = window.fetch;
    window.fetch = async (...question) => {
        const answer = await ask(...question);
        if (!answer.ok || !String(question[0]).endsWith('/v1/stream')) return answer;
        const reader = answer.body.getReader();
        const body = new ReadableStream({
            start(controller) {
                let held = [];
                const pass = () => {
                    for (const piece of held.length > 0 ? [held.flatMap((each) => [...each])] : []) controller.enqueue(Uint8Array.from(piece));
                    held = [];
                };
                const timer = setInterval(pass, 1_500);
                (async () => {
                    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) held.push(piece.value);
                    clearInterval(timer);
                    pass();
                    controller.close();
                })().catch((error) => {
                    clearInterval(timer);
                    controller.error(error);
                });
            },
        });
        return new Response(body, {status: answer.status, headers: answer.headers});
    };
}"""


def test_a_banner_shows_where_a_conversation_and_its_message_come_in_one_piece(people, stranger):
    [bob] = people(away=["Bob"])
    ada = stranger("Ada")
    ada.context.add_init_script(IN_ONE_PIECE)
    ada.join()
    ada.link("Profile").click()
    bob.write_to(ada, "All at once")
    ada.page.locator(".banner").get_by_role("button").filter(has_text="All at once").click()
    ada.sees("All at once")


def test_no_banner_shows_in_the_conversation_itself_or_where_it_is_muted(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    bob.talk_to(ada).say("You see this")
    ada.sees("You see this")
    expect(ada.page.locator(".banner")).to_have_count(0)
    ada.open_info()
    with ada.page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        ada.page.get_by_label("Mute").select_option("always")
    ada.link("People").click()
    bob.say("You do not hear this")
    ada.link("Chats").click()
    expect(ada.conversation("Bob")).to_contain_text("You do not hear this")
    expect(ada.page.locator(".banner")).to_have_count(0)


def test_the_title_and_the_badge_have_the_count_until_it_is_read(people):
    ada, bob = people("Ada", away=["Bob"])
    # Badges are for what is installed: here it is only noted what would be shown.
    ada.context.add_init_script("""
        window.badge = null;
        Navigator.prototype.setAppBadge = async (count) => { window.badge = count; };
        Navigator.prototype.clearAppBadge = async () => { window.badge = 0; };
    """)
    ada.page.goto("/")
    path = bob.write_to(ada, "One")
    expect(ada.page).to_have_title(re.compile(r"^\(1\) "))
    bob.write(path, "Two")
    expect(ada.page).to_have_title(re.compile(r"^\(2\) "))
    ada.until(lambda: ada.page.evaluate("badge") == 2)
    ada.open_conversation("Bob").sees("Two")
    expect(ada.page).to_have_title(re.compile(r"^[^(]"))
    ada.until(lambda: ada.page.evaluate("badge") == 0)


def test_a_count_of_two_digits_stays_in_one_line(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.page.goto("/")
    path = bob.write_to(ada, "0")
    texts = [{"text": str(number)} for number in range(1, 30)]
    assert bob.fetch("POST", f"{path}/messages", {"messages": texts})["status"] == 201
    expect(ada.page).to_have_title(re.compile(r"^\(30\) "))
    badge = ada.link("Chats").locator(".badge")
    expect(badge).to_have_text("30")
    lines = badge.evaluate("""(badge) => {
        const range = document.createRange();
        range.selectNodeContents(badge);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    }""")
    assert lines == 1


def worker_of(person):
    person.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    # The browser tells of it when it likes.
    person.until(lambda: person.context.service_workers)
    worker = person.context.service_workers[0]
    person.until(lambda: worker.evaluate("registration.active?.state") == "activated")
    return worker


def shown(worker):
    return worker.evaluate(
        "registration.getNotifications().then((all) => all.map(({title, body, tag}) => ({title, body, tag})))")


def push(person, data):
    """Has the browser's own push service bring a message."""
    devtools = person.context.new_cdp_session(person.page)
    registrations = []
    devtools.on("ServiceWorker.workerRegistrationUpdated", lambda event: registrations.extend(event["registrations"]))
    devtools.send("ServiceWorker.enable")
    person.until(lambda: registrations)
    devtools.send("ServiceWorker.deliverPushMessage", {
        "origin": person.server.url, "registrationId": registrations[0]["registrationId"], "data": data,
    })
    devtools.detach()


def test_a_push_shows_when_no_page_is_open_and_never_breaks(people):
    (ada,) = people("Ada")
    ada.context.grant_permissions(["notifications"], origin=ada.server.url)
    worker = worker_of(ada)
    # Another page, which the worker does not know; it forgets the one before a moment later.
    ada.page.goto("about:blank")
    ada.until(lambda: worker.evaluate("clients.matchAll({type: 'window', includeUncontrolled: true}).then((all) => all.length)") == 0)
    # Badges are for what is installed: here it is only noted what would be shown.
    worker.evaluate("""() => {
        self.badges = [];
        WorkerNavigator.prototype.setAppBadge = async (count) => { self.badges.push(count); };
        WorkerNavigator.prototype.clearAppBadge = async () => { self.badges.push(0); };
    }""")
    conversation = "0195f3ab-c0de-7abc-8def-0123456789ab"
    push(ada, json.dumps({"kind": "alert", "title": "Bob", "body": "Are you there?", "conversationId": conversation, "badge": 3}))
    ada.until(lambda: shown(worker) == [{"title": "Bob", "body": "Are you there?", "tag": conversation}])
    push(ada, json.dumps({"kind": "alert", "title": "Bob", "body": "Hello?", "conversationId": conversation}))
    ada.until(lambda: [each["body"] for each in shown(worker)] == ["Hello?"])
    push(ada, json.dumps({"kind": "clear", "conversationId": conversation, "badge": 0}))
    ada.until(lambda: shown(worker) == [])
    ada.until(lambda: worker.evaluate("self.badges") == [3, 0])
    push(ada, "not JSON")
    ada.until(lambda: [each["title"] for each in shown(worker)] == ["Parley"])


def test_what_was_read_on_another_device_disappears_here(people, stranger):
    ada, bob = people("Ada", "Bob")
    ada.context.grant_permissions(["notifications"], origin=ada.server.url)
    worker = worker_of(ada)
    bob.talk_to(ada).say("Read me anywhere")
    expect(ada.page).to_have_title(re.compile(r"^\(1\) "))
    worker.evaluate("(tag) => registration.showNotification('Bob', {tag})", bob.page.url.split("/")[-1].split("?")[0])
    ada.until(lambda: len(shown(worker)) == 1)
    phone = stranger("Ada")
    phone.email = ada.email
    phone.sign_in()
    phone.open_conversation("Bob").sees("Read me anywhere")
    ada.until(lambda: shown(worker) == [])
    expect(ada.page).to_have_title(re.compile(r"^[^(]"))


# A press on a notification, as the browser tells the worker of it; without a real one it lets nobody take the focus.
PRESS = """async (conversationId) => {
    let work;
    const notification = {data: {conversationId}, close() {}};
    dispatchEvent(Object.assign(new Event('notificationclick'), {notification, waitUntil: (promise) => (work = promise)}));
    await work.catch(() => {});
}"""


def test_a_press_on_a_notification_opens_its_conversation_in_the_page_that_is_there(people):
    ada, bob = people("Ada", away=["Bob"])
    worker = worker_of(ada)
    path = bob.write_to(ada, "Open me")
    worker.evaluate(PRESS, path.split("/")[-1])
    ada.sees("Open me")
    # What is no conversation leads to the list.
    worker.evaluate(PRESS, "/example.org")
    expect(ada.page).to_have_url(f"{ada.server.url}/")


# The base point of the curve P-256: as good as the key of any browser.
POINT = bytes.fromhex(
    "04"
    "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")


def subscription(person):
    """What a browser is given by its push service, as `toJSON()` has it."""
    keys = {"p256dh": POINT, "auth": os.urandom(16)}
    encoded = {name: base64.urlsafe_b64encode(key).decode().rstrip("=") for name, key in keys.items()}
    return {"endpoint": f"https://push.example.org/{person.new_id()}", "expirationTime": None, "keys": encoded}


def device(person, address):
    registration = {"platform": "webpush", "subscription": address, "preview": "sender", "locale": "en"}
    answer = person.fetch("PUT", f"/v1/devices/{person.new_id()}", registration)
    assert answer["status"] == 201, answer


def devices(person):
    return [(each["id"], each["preview"]) for each in person.fetch("GET", "/v1/devices")["body"]["items"]]


# Without a push service the browser never has another address: the worker is told as the browser would tell it.
CHANGE = """async ([subscription, isGiven]) => {
    let work;
    const asked = [];
    const present = {...subscription, toJSON: () => subscription};
    registration.pushManager.subscribe = async (options) => {
        asked.push(options);
        return present;
    };
    dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), {
        oldSubscription: {options: {userVisibleOnly: true}}, newSubscription: isGiven ? present : null, waitUntil: (promise) => (work = promise),
    }));
    await work;
    return asked;
}"""


@pytest.mark.parametrize("is_given", [True, False])
def test_a_new_address_of_the_browser_is_told_to_the_server_by_the_worker(people, is_given):
    ada, bob = people("Ada", "Bob")
    before, after = subscription(ada), subscription(ada)
    device(ada, before)
    known = devices(ada)
    assert len(known) == 1
    worker = worker_of(ada)
    asked = worker.evaluate(CHANGE, [after, is_given])
    assert asked == ([] if is_given else [{"userVisibleOnly": True}])
    # The same device, as it was set; its former address is nobody's, and the new one its own, until somebody else has it.
    assert devices(ada) == known
    device(bob, before)
    assert devices(ada) == known
    device(bob, after)
    assert devices(ada) == []


# A push service for a browser that has none: it gives out one address, and forgets it.
PUSH_SERVICE = """{
    const subscription = %s;
    let present = null;
    const given = (options) => ({...subscription, options, toJSON: () => subscription, unsubscribe: async () => { present = null; return true; }});
    PushManager.prototype.subscribe = async (options) => (present = given(options));
    PushManager.prototype.getSubscription = async () => present;
    Object.defineProperty(Notification, 'permission', {get: () => 'granted'});
    Notification.requestPermission = async () => 'granted';
}"""


def test_notifications_are_switched_on_and_off_and_say_as_much_as_is_chosen(people):
    (ada,) = people("Ada")
    address = subscription(ada)
    ada.context.add_init_script(PUSH_SERVICE % json.dumps(address))

    def offer(route):
        answer = route.fetch()
        body = answer.json()
        body["push"] = (body.get("push") or {}) | {"webPushKey": address["keys"]["p256dh"]}
        route.fulfill(response=answer, json=body)

    ada.page.route("**/v1/server", offer)
    ada.page.goto("/profile")
    switch = ada.page.get_by_role("switch", name="Notify me on this device")
    expect(switch).to_be_enabled()
    expect(switch).not_to_be_checked()
    preview = ada.page.get_by_label("In notifications")
    expect(preview).to_be_disabled()
    switch.click()
    expect(preview).to_be_enabled()
    expect(switch).to_be_checked()
    assert [how for _, how in devices(ada)] == ["full"]
    preview.select_option("sender")
    ada.until(lambda: [how for _, how in devices(ada)] == ["sender"])
    switch.click()
    expect(preview).to_be_disabled()
    expect(switch).not_to_be_checked()
    assert devices(ada) == []


def test_who_wants_no_notifications_has_none_after_a_change_of_the_address(people):
    (ada,) = people("Ada")
    assert worker_of(ada).evaluate(CHANGE, [subscription(ada), True]) == []
    assert devices(ada) == []


def test_the_page_is_installable(people):
    (ada,) = people("Ada")
    manifest = ada.fetch("GET", ada.page.locator('link[rel="manifest"]').get_attribute("href"))["body"]
    assert manifest["display"] == "standalone" and manifest["start_url"] == "/"
    for icon in manifest["icons"]:
        assert ada.page.evaluate("async (path) => (await fetch(path)).ok", icon["src"]), icon


def test_who_signs_out_leaves_no_notification_and_gets_no_more_also_without_a_network(people):
    (ada,) = people("Ada")
    ada.context.grant_permissions(["notifications"], origin=ada.server.url)
    worker = worker_of(ada)
    worker.evaluate("registration.showNotification('Bob', {body: 'For Ada alone', tag: 'bob'})")
    ada.until(lambda: len(shown(worker)) == 1)
    ada.page.evaluate("""() => {
        PushManager.prototype.getSubscription = async () => ({ unsubscribe: async () => (window.isUnsubscribed = true) });
    }""")
    ada.page.route("**/v1/auth/logout", lambda route: route.abort())
    ada.leave()
    ada.until(lambda: shown(worker) == [])
    ada.until(lambda: ada.page.evaluate("window.isUnsubscribed === true"))
