"""Voice notes: recorded, played, paused, and pointed into."""

import io
import re
import wave

from playwright.sync_api import expect
from test_conversation_files import attach


def silence(seconds):
    """A recording of nothing, of a kind that every browser plays."""
    recording = io.BytesIO()
    with wave.open(recording, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8_000)
        file.writeframes(b"\x80" * 8_000 * seconds)
    return recording.getvalue()


# What is heard grows louder from one moment to the next, and begins anew: the device of this browser beeps when it likes.
LOUDER = """{
    let level = 0;
    AnalyserNode.prototype.getByteTimeDomainData = (samples) => samples.fill(128 + (level = (level + 30) % 120));
}"""

# Says when something was played to its end.
PLAYED = """{
    const play = HTMLMediaElement.prototype.play;
    HTMLMediaElement.prototype.play = function () {
        this.addEventListener('ended', () => (window.isPlayed = true), {once: true});
        return play.call(this);
    };
}"""


def test_a_voice_note_is_recorded_and_can_be_played(people):
    ada, bob = people("Ada", "Bob", permissions=["microphone"])
    ada.context.add_init_script(LOUDER)
    bob.context.add_init_script(PLAYED)
    for person in (ada, bob):
        person.page.reload()
        person.is_live()
    ada.talk_to(bob)
    ada.button("Record a voice message").click()
    # At least a second of it; a later look sees a later time.
    expect(ada.page.get_by_role("timer")).to_have_text(re.compile("^0:(0[1-9]|[1-5][0-9])$"))
    ada.button("Send the recording").click()
    bob.open_conversation("Ada")
    note = bob.messages.get_by_role("group", name="Voice message")
    expect(note).to_be_visible()
    heights = note.locator(".voice__wave > *").evaluate_all("bars => bars.map((bar) => bar.style.getPropertyValue('--height'))")
    assert len(heights) == 40 and len(set(heights)) > 1, heights
    note.get_by_role("button", name="Play").click()
    bob.page.wait_for_function("() => window.isPlayed === true")
    expect(note.get_by_role("button", name="Play")).to_be_visible()


def voice_note(person):
    return person.messages.get_by_role("group", name="Voice message")


def test_a_voice_note_is_played_paused_and_pointed_into(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    attach(ada, ("note.wav", "audio/wav", silence(60)))
    ada.button("Send").click()
    bob.open_conversation("Ada")
    note = voice_note(bob)
    play, pause = (note.get_by_role("button", name=name) for name in ("Play", "Pause"))
    position = note.get_by_role("slider", name="Position")
    play.click()
    expect(pause).to_be_visible()
    bob.until(lambda: int(position.input_value()) > 0)
    pause.click()
    expect(play).to_be_visible()
    assert int(position.input_value()) > 0
    # Shortly before its end: played on it is over, and stands at its beginning.
    position.fill("990")
    play.click()
    expect(position).to_have_value("0")
    expect(play).to_be_visible()
    expect(note).to_contain_text("1:00")


def test_a_voice_note_plays_on_while_its_message_is_drawn_anew(people):
    ada, bob = people("Ada", "Bob")
    ada.talk_to(bob)
    attach(ada, ("note.wav", "audio/wav", silence(60)))
    ada.button("Send").click()
    ada.sees_state("", "Sent")
    note = voice_note(ada)
    note.get_by_role("button", name="Play").click()
    expect(note.get_by_role("button", name="Pause")).to_be_visible()
    bob.open_conversation("Ada")
    ada.sees_state("", "Read")
    before = int(note.get_by_role("slider", name="Position").input_value())
    ada.until(lambda: int(note.get_by_role("slider", name="Position").input_value()) > before)
    note.get_by_role("button", name="Pause").click()
    expect(note.get_by_role("button", name="Play")).to_be_visible()


# The browser asks for the microphone, and nobody answers until `answer()`. Notes the track that is given then.
ASKED = """{
    const ask = MediaDevices.prototype.getUserMedia;
    MediaDevices.prototype.getUserMedia = async function (...question) {
        await new Promise((resolve) => (window.answer = resolve));
        const stream = await ask.apply(this, question);
        [window.track] = stream.getTracks();
        return stream;
    };
}"""


def test_whoever_leaves_while_the_microphone_is_asked_for_is_not_recorded(people):
    ada, bob = people("Ada", away=["Bob"], permissions=["microphone"])
    ada.context.add_init_script(ASKED)
    ada.page.reload()
    ada.is_live()
    ada.talk_to(bob)
    ada.button("Record a voice message").click()
    ada.page.wait_for_function("() => window.answer")
    ada.link("People").click()
    expect(ada.textbox("Message")).to_have_count(0)
    ada.page.evaluate("window.answer()")
    ada.page.wait_for_function("() => window.track?.readyState === 'ended'")
    # Who stays is recorded, and is not asked twice.
    ada.page.evaluate("window.track = window.answer = undefined")
    ada.talk_to(bob)
    ada.button("Record a voice message").click()
    ada.page.wait_for_function("() => window.answer")
    ada.page.evaluate("window.answer()")
    expect(ada.page.get_by_role("timer")).to_be_visible()
    ada.button("Discard the recording").click()
    ada.page.wait_for_function("() => window.track?.readyState === 'ended'")


def test_a_recording_answers_what_is_answered_though_a_change_was_begun_meanwhile(people):
    ada, bob = people("Ada", away=["Bob"], permissions=["microphone"])
    ada.talk_to(bob).say("my words").sees_state("my words", "Sent")
    path, quoted = ada.conversation_path(), ada.page.locator(".composer__quote")
    bob.write(path, "a question")
    ada.sees("a question").chooses("a question", "Reply")
    ada.button("Record a voice message").click()
    expect(ada.page.get_by_role("timer")).to_have_text(re.compile("^0:(0[1-9]|[1-5][0-9])$"))
    ada.chooses("my words", "Edit")
    expect(quoted).to_contain_text("my words")
    # Where one writes is not to be seen.
    expect(ada.button("Send the recording")).to_be_focused()
    ada.page.keyboard.press("Enter")
    expect(voice_note(ada)).to_be_visible()
    expect(ada.messages.get_by_role("listitem", name="Voice message")).to_contain_text("a question")
    # The change goes on, and nothing is answered twice.
    expect(ada.textbox("Message")).to_have_value("my words")
    expect(ada.textbox("Message")).to_be_focused()
    ada.page.keyboard.press("Escape")
    expect(ada.textbox("Message")).to_have_value("")
    expect(quoted).to_be_hidden()


# Keeps what is played, which is nowhere in the page.
KEPT_PLAYING = """() => {
    const play = HTMLMediaElement.prototype.play;
    HTMLMediaElement.prototype.play = function () {
        window.played = this;
        return play.call(this);
    };
}"""


def plays(person):
    """Plays a voice note of a minute, which is the only one of the conversation."""
    person.page.evaluate(KEPT_PLAYING)
    voice_note(person).get_by_role("button", name="Play").click()
    person.page.wait_for_function("() => window.played && !window.played.paused && window.played.currentTime > 0")


def send_note(person):
    attach(person, ("note.wav", "audio/wav", silence(60)))
    person.button("Send").click()
    person.sees_state("", "Sent")


def test_a_voice_note_that_is_deleted_plays_no_more(people):
    ada, bob = people("Ada", "Bob")
    send_note(ada.talk_to(bob))
    plays(bob.open_conversation("Ada"))
    path = bob.conversation_path()
    [note] = bob.fetch("GET", f"{path}/messages")["body"]["items"]
    assert ada.fetch("DELETE", f"{path}/messages/{note['id']}?for=everyone")["status"] == 204
    # There is no button any more by which it could be paused.
    bob.sees("This message was deleted")
    bob.page.wait_for_function("() => window.played.paused")


def test_a_voice_note_plays_on_where_one_looks_elsewhere_and_not_when_one_signs_out(people):
    ada, bob = people("Ada", away=["Bob"])
    send_note(ada.talk_to(bob))
    plays(ada)
    ada.link("Profile").click()
    expect(ada.button("Sign out")).to_be_visible()
    assert not ada.page.evaluate("window.played.paused")
    ada.leave()
    ada.page.wait_for_function("() => window.played.paused")


def test_no_newer_page_is_loaded_while_a_voice_note_plays(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.page.clock.install()
    send_note(ada.talk_to(bob))
    plays(ada)
    ada.page.route("**/app/version", lambda route: route.fulfill(json={"version": "another"}))
    # It is asked for with the next stream.
    for is_offline, event in ((True, "offline"), (False, "online")):
        ada.context.set_offline(is_offline)
        ada.page.evaluate("event => dispatchEvent(new Event(event))", event)
    expect(ada.page.get_by_text("There is a newer version of this page")).to_be_visible()
    is_loaded = "() => sessionStorage.getItem('parley.renewedFor') !== null"
    ada.page.clock.fast_forward("00:10")
    assert not ada.page.evaluate(is_loaded)
    assert not ada.page.evaluate("window.played.paused")
    voice_note(ada).get_by_role("button", name="Pause").click()
    ada.page.clock.fast_forward("00:10")
    ada.page.wait_for_function(is_loaded)
