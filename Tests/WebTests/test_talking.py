"""Two people and three, from the first address to the receipts."""

from playwright.sync_api import expect


def test_two_strangers_sign_up_and_talk(stranger):
    ada, bob = stranger("Ada").sign_up(), stranger("Bob").sign_up()
    ada.talk_to(bob).say("Hello, Bob")
    ada.sees("Hello, Bob")
    bob.link("Chats").click()
    bob.open_conversation("Ada").sees("Hello, Bob")
    ada.sees_state("Hello, Bob", "Read")
    bob.say("Hello, Ada")
    ada.sees("Hello, Ada")
    expect(ada.messages.get_by_role("listitem").filter(has_text="Hello")).to_have_count(2)
