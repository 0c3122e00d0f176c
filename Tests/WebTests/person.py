"""A person with a browser of her own, who does what people do: by the roles and names that everybody can see. And one who has an
account alone, whom others write to: a page that nobody looks at would cost a second of the processor."""

import json
import re
import time
import urllib.error
import urllib.request
import uuid

from playwright.sync_api import expect

PASSWORD = "correct horse"

# A picture of a person or a group that is there, in place of initials.
PHOTO = ".avatar__image:not(.avatar__image--waiting)"

# What pages must never do: their own policy says so, and Chromium tells.
COMPLAINTS = """
window.complaints = [];
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""

# What a store of the page's database has, as pairs of keys and values. It is only opened where there is one.
KEPT = """async (store) => {
    if (!(await indexedDB.databases()).some(({ name }) => name === 'parley')) return [];
    const answer = (asked) => new Promise((resolve, reject) => {
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(asked.error);
    });
    const database = await answer(indexedDB.open('parley'));
    const kept = database.transaction(store).objectStore(store);
    const [keys, values] = await Promise.all([answer(kept.getAllKeys()), answer(kept.getAll())]);
    database.close();
    return keys.map((key, index) => [key, JSON.stringify(values[index])]);
}"""

# What a browser says of a request that failed, which tests cause on purpose.
EXPECTED = re.compile(r"Failed to load resource|net::ERR_|the server responded with a status")


class Account:
    """Somebody who has an account, and no browser open."""

    def __init__(self, server, name, email=None):
        self.name = name
        self.server = server
        self.email = email or f"{re.sub('[^a-z]', '', name.lower()) or 'person'}-{uuid.uuid4().hex[:10]}@example.org"
        self.token = None

    def join(self):
        return self._begin("register", {"displayName": self.name})

    def sign_in(self):
        return self._begin("login", {})

    def _begin(self, how, fields):
        answer = self.fetch("POST", f"/v1/auth/{how}", {"email": self.email, "password": PASSWORD, **fields})
        assert answer["status"] in (200, 201), answer
        self.token = answer["body"]["accessToken"]
        return self

    def fetch(self, method, path, body=None):
        """What the server answers, as it would another program."""
        request = urllib.request.Request(self.server.url + path, method=method)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            answer = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as refusal:
            answer = refusal
        with answer:
            is_json = "json" in answer.headers.get("Content-Type", "")
            return {"status": answer.status, "body": json.load(answer) if is_json else None}

    def write(self, path, text):
        """Sends a message to the conversation of this path of the API."""
        assert self.fetch("PUT", f"{path}/messages/{self.new_id()}", {"text": text})["status"] == 201

    def write_to(self, other, text):
        """Sends a message to somebody, and returns the path of their conversation."""
        whom = other.fetch("GET", "/v1/me")["body"]["id"]
        answer = self.fetch("PUT", f"/v1/conversations/direct/{whom}")
        assert answer["status"] in (200, 201), answer
        path = f"/v1/conversations/{answer['body']['id']}"
        self.write(path, text)
        return path

    def new_id(self):
        return str(uuid.uuid4())


class Person(Account):
    def __init__(self, browser, server, name, width=1280, height=800, **context):
        super().__init__(server, name)
        self.complaints = []
        # Other servers that a page may lead to.
        self.neighbours = []
        context.setdefault("locale", "en-GB")
        self.context = browser.new_context(base_url=server.url, viewport={"width": width, "height": height}, **context)
        self.context.set_default_timeout(30_000)
        self.context.add_init_script(COMPLAINTS)
        self.context.on("page", self._watch)
        self.page = self.context.new_page()

    def _watch(self, page):
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("console", self._hear)
        page.on("request", self._see)

    def _hear(self, message):
        if message.type == "error" and not EXPECTED.search(message.text):
            self.complaints.append(message.text)

    def _see(self, request):
        if not request.url.startswith((self.server.url, *self.neighbours, "data:", "blob:", "chrome")):
            self.complaints.append(f"asked another server: {request.url}")

    # Finding things

    def button(self, name, exact=True):
        return self.page.get_by_role("button", name=name, exact=exact)

    def textbox(self, name):
        return self.page.get_by_role("textbox", name=name, exact=True)

    def link(self, name):
        return self.page.get_by_role("link", name=name, exact=True)

    @property
    def password(self):
        return self.page.get_by_label("Password", exact=True)

    @property
    def people(self):
        return self.page.get_by_role("list", name="People")

    @property
    def conversations(self):
        return self.page.get_by_role("list", name="Conversations")

    @property
    def messages(self):
        return self.page.get_by_role("list", name="Messages")

    def message(self, text):
        return self.messages.get_by_role("listitem").filter(has_text=text)

    def choose_photo(self, button, photo):
        """Picks a picture of a person or a group."""
        with self.page.expect_file_chooser() as chooser:
            self.button(button).click()
        chooser.value.set_files({"name": "photo.png", "mimeType": "image/png", "buffer": photo})

    def chooses(self, text, action):
        """An action of a message's menu."""
        self.message(text).first.click(button="right")
        self.page.get_by_role("menuitem", name=action, exact=True).click()

    def conversation(self, name):
        return self.conversations.get_by_role("listitem").filter(has_text=name)

    # Coming and going

    def sign_up(self):
        """By the screens, as a stranger does."""
        self.page.goto("/")
        self.button("Create account").click()
        self.fill_account()
        self.textbox("Name").fill(self.name)
        self.button("Continue").click()
        return self.is_live()

    def fill_account(self):
        expect(self.page).to_have_url(re.compile("/sign-up"))
        self.textbox("Email").fill(self.email)
        self.password.fill(PASSWORD)
        self.button("Create account").click()

    def join(self):
        """The quick way: the browser has the cookie of a new account before any of its pages asks for one."""
        answer = self.context.request.post(
            "/v1/auth/register", headers={"Origin": self.server.url},
            data={"email": self.email, "password": PASSWORD, "displayName": self.name, "session": "cookie"})
        assert answer.status == 201, answer.status
        self.page.goto("/")
        return self.is_live()

    def is_live(self):
        """Waits until the page knows all that has happened, and hears what happens."""
        expect(self.page.locator("parley-shell[data-live]")).to_be_visible()
        return self

    def sign_in(self, password=PASSWORD):
        self.page.goto("/sign-in")
        self.textbox("Email").fill(self.email)
        self.password.fill(password)
        self.button("Sign in").click()
        return self

    def leave(self):
        """Signs out, also where that asks first since something would be lost."""
        self.link("Profile").click()
        self.button("Sign out").click()
        if self.asks_before_signing_out():
            self.page.get_by_role("dialog").get_by_role("button", name="Sign out").click()
        expect(self.page).to_have_url(re.compile("/sign-in"))

    def asks_before_signing_out(self):
        dialog = self.page.get_by_role("dialog")
        expect(dialog.or_(self.button("Sign in"))).to_be_visible()
        return dialog.is_visible()

    # Talking

    def open_people(self):
        # On a phone a conversation has the window for itself.
        if self.link("People").is_visible():
            self.link("People").click()
        else:
            self.page.goto("/people")
        # The list of conversations has a field for searching, too.
        expect(self.page.get_by_role("heading", name="People")).to_be_visible()

    def talk_to(self, other):
        """Opens the conversation with somebody by the screen of people."""
        self.open_people()
        self.search_for(other)
        self.people.get_by_role("listitem", name=other.name).click()
        expect(self.textbox("Message")).to_be_visible()
        return self

    def make_group(self, name, *members):
        """By the screen for it; the conversation is open then."""
        self.open_people()
        self.button("New group").click()
        self.textbox("Group name").fill(name)
        for member in members:
            self.choose(member)
        self.button("Create").click()
        expect(self.textbox("Message")).to_be_visible()
        return self

    def choose(self, member):
        self.search_for(member)
        self.people.get_by_role("checkbox", name=member.name).check()

    def search_for(self, other, search=None):
        """Searches the people for somebody. Who has just come is in the directory a moment later: then one looks again."""
        for _ in range(8):
            (search or self.textbox("Search")).fill(other.email)
            try:
                return expect(self.people.get_by_role("listitem")).to_have_count(1, timeout=4_000)
            except AssertionError:
                continue
        raise AssertionError(f"{other.name} is not in the directory")

    def conversation_path(self):
        return "/v1" + re.search("/conversations/[0-9a-f-]{36}", self.page.url)[0]

    def open_info(self):
        """The page about the conversation that is open."""
        self.page.goto(re.search("/conversations/[0-9a-f-]{36}", self.page.url)[0] + "/info")
        expect(self.page.get_by_role("combobox", name="Mute")).to_be_visible()

    def member_action(self, name, action):
        self.button(f"What to do with {name}").click()
        self.page.get_by_role("menuitem", name=action).click()

    def open_conversation(self, name):
        self.conversation(name).click()
        expect(self.textbox("Message")).to_be_visible()
        return self

    def say(self, text):
        self.textbox("Message").fill(text)
        self.button("Send").click()
        return self

    def say_unsent(self, text):
        """Says something that cannot be sent, and waits until it was tried: what is tried is kept."""
        with self.page.expect_request(lambda request: request.method == "PUT" and "/messages/" in request.url):
            self.say(text)
        return self

    def sees(self, text, timeout=30_000):
        expect(self.message(text).first).to_be_visible(timeout=timeout)
        return self

    def sees_state(self, text, state, timeout=30_000):
        """That an own message has come at least this far: Sending, Sent, Delivered, Read; or Failed."""
        states = ["Sending", "Sent", "Delivered", "Read"]
        further = states[states.index(state):] if state in states[1:] else [state]
        message = self.message(text).first
        pattern = re.compile(f"^({'|'.join(further)})$")
        expect(message.get_by_label(pattern).or_(message.get_by_text(pattern)).first).to_be_attached(timeout=timeout)
        return self

    def texts(self):
        """What the messages are called, in their order; all at one moment."""
        return self.messages.get_by_role("listitem").evaluate_all("rows => rows.map((row) => row.getAttribute('aria-label'))")

    def sees_all(self, *texts):
        """That the messages come to be these, and no others."""
        self.until(lambda: self.texts() == list(texts), what=lambda: f"{self.texts()} in place of {list(texts)}")
        return self

    def keeps(self, store, text):
        """Waits until the browser has kept something with these words."""
        self.until(lambda: any(text in value for _, value in self.page.evaluate(KEPT, store)))
        return self

    def kept_keys(self, store):
        """The keys of all that the browser has kept in a store."""
        return [key for key, _ in self.page.evaluate(KEPT, store)]

    def tab_to(self, target, most=60):
        """Presses Tab until something has the focus, as a person without a pointer does."""
        expect(target).to_be_visible()
        for _ in range(most):
            if target.evaluate("node => node === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError("no Tab leads there")

    def until(self, holds, seconds=30, what=lambda: "it never came to hold"):
        """Waits until something holds that no element tells."""
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, what()
            self.page.wait_for_timeout(20)

    def loses_an_answer(self, pattern, method="PUT"):
        """The first such request reaches the server, and what that answers is lost. Returns what fills with its address then."""
        lost = []

        def lose(route):
            if route.request.method != method or lost:
                return route.continue_()
            route.fetch()
            lost.append(route.request.url)
            return route.abort()

        self.page.route(pattern, lose)
        return lost

    def said(self, text):
        """A message of the open conversation, as the server has it. A history may lag behind what is sent: it is waited for."""
        found = []

        def find():
            items = self.fetch("GET", f"{self.conversation_path()}/messages")["body"]["items"]
            found.extend(item for item in items if item.get("text") == text)
            return found

        self.until(find)
        return found[0]

    def fetch(self, method, path, body=None):
        """What the page's own session answers: for what a test wants to have without the screens."""
        return self.page.evaluate(
            """async ([method, path, body]) => {
                const options = {method, headers: body === null ? {} : {"Content-Type": "application/json"}};
                if (body !== null) options.body = JSON.stringify(body);
                const answer = await fetch(path, options);
                return {status: answer.status, body: answer.headers.get("Content-Type")?.includes("json") ? await answer.json() : null};
            }""",
            [method, path, body])
