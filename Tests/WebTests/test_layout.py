"""What is on the screen can be seen whole, and is large enough to be met by a finger."""

from playwright.sync_api import expect

def test_no_emoji_lies_outside_of_its_picker_on_a_phone(people):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", width=320, height=640)
    ada.talk_to(bob)
    ada.button("Emoji").click()
    picker = ada.page.get_by_role("dialog")
    expect(picker).to_be_visible()
    # A sign that this machine draws wide, as those without a font for emoji draw some.
    picker.locator("button").last.evaluate("button => (button.textContent = 'WWWW')")
    assert picker.evaluate("picker => picker.scrollWidth <= picker.clientWidth")
