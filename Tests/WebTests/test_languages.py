"""Catalogues that say the same in every language, and a page that turns round for those that run the other way."""

import glob
import json
import os
import re
import string

import pytest
from checks import ROOT
from playwright.sync_api import expect

CLIENT = f"{ROOT}/Sources/Web/Client"
PLURALS = {"en": {"one", "other"}, "de": {"one", "other"}, "ar": {"zero", "one", "two", "few", "many", "other"}}


def catalogue(language):
    pairs = json.load(open(f"{CLIENT}/text/{language}.json"), object_pairs_hook=list)
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"twice in {language}: {sorted(key for key in keys if keys.count(key) > 1)}"
    return {key: dict(value) if isinstance(value, list) else value for key, value in pairs}


def forms(text):
    return list(text.values()) if isinstance(text, dict) else [text]


def placeholders(text):
    return {name for form in forms(text) for _, name, _, _ in string.Formatter().parse(form) if name}


@pytest.mark.parametrize("language", ["de", "ar"])
def test_a_catalogue_has_what_the_english_one_has(language):
    english, other = catalogue("en"), catalogue(language)
    assert english.keys() == other.keys()
    for key, text in english.items():
        assert isinstance(text, dict) == isinstance(other[key], dict), key
        assert placeholders(text) == placeholders(other[key]), key
        if isinstance(text, dict):
            assert set(other[key]) == PLURALS[language], key


ONE_CHOSEN = {"en": "1 person chosen", "de": "1 Person gewählt", "ar": "اختير شخص واحد"}


@pytest.mark.parametrize("language", ONE_CHOSEN)
def test_one_who_is_chosen_for_a_group_is_spoken_of_as_one(people, language):
    [bob] = people(away=["Bob"])
    (ada,) = people("Ada", locale=language)
    words = catalogue(language)
    # Who has just come is in the directory a moment later.
    ada.until(lambda: ada.fetch("GET", f"/v1/users?query={bob.email}")["body"]["items"])
    ada.page.goto("/group/new")
    screen = ada.page.locator("parley-new-group")
    expect(screen.get_by_text(words["group.choose"], exact=True)).to_be_visible()
    screen.get_by_role("textbox", name=words["field.search"], exact=True).fill(bob.email)
    found = screen.get_by_role("list", name=words["people.list"]).get_by_role("listitem")
    expect(found).to_have_count(1)
    found.get_by_role("checkbox", name="Bob").check()
    expect(screen.get_by_text(ONE_CHOSEN[language], exact=True)).to_be_visible()


def test_what_the_client_says_is_in_the_catalogue():
    english = catalogue("en")
    missing = {}
    for path in glob.glob(f"{CLIENT}/**/*.js", recursive=True):
        for key in re.findall(r"\bt\('([^']+)'", open(path).read()):
            if key not in english:
                missing.setdefault(key, os.path.relpath(path, CLIENT))
    assert not missing


def test_what_is_in_the_catalogue_is_said():
    sources = [open(path).read() for path in glob.glob(f"{CLIENT}/**/*.js", recursive=True)]
    words = {word for source in sources for word in re.findall(r"'([\w.-]+)'", source)} | codes_of_problems()
    templates = [built(text) for source in sources for text in re.findall(r"`(\w+\.[\w.]*\$\{[^`]*)`", source)]

    def is_said(text):
        fitting = filter(None, (template.fullmatch(text) for template in templates))
        return text in words or any(all(map(is_said, each.groups())) for each in fitting)

    unused = [key for key in catalogue("en") if not is_said(key)]
    assert not unused, unused


def built(template):
    """What a text is like that is put together from parts, each of which has to be a word of the client or the server."""
    pieces = re.split(r"\$\{[^}]*\}", template)
    return re.compile(r"([\w.-]+)".join(map(re.escape, pieces)))


def codes_of_problems():
    """What the server names as the reason of a refusal."""
    files = [open(f"{ROOT}/Sources/ParleyWire/Problems/{name}.swift").read() for name in ("ProblemCode", "FieldProblemCode")]
    return {code for file in files for code in re.findall(r"^ +(?:case|public static let) `?(\w+)`?(?: =|$)", file, re.MULTILINE)}


def test_no_file_of_the_client_is_longer_than_a_person_reads_at_once():
    paths = [path for kind in ("js", "css", "html") for path in glob.glob(f"{CLIENT}/**/*.{kind}", recursive=True)]
    long = {os.path.relpath(path, CLIENT): len(open(path).readlines()) for path in paths}
    assert not {path: lines for path, lines in long.items() if lines > 300}


def test_arabic_runs_from_right_to_left_and_fits(people):
    (ada,) = people("Ada", locale="ar", width=360, height=740)
    root = ada.page.locator("html")
    expect(root).to_have_attribute("dir", "rtl")
    expect(root).to_have_attribute("lang", "ar")
    for path in ("/", "/people", "/profile", "/search", "/group/new"):
        ada.page.goto(path)
        expect(ada.page.get_by_role("heading", level=1).first).to_be_visible()
        assert ada.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


# Whether all of the children lie within their parent and the window, and none is narrower than its words.
WHOLE = """group => {
    const { left, right } = group.getBoundingClientRect();
    const isWithin = ({ left: from, right: to }) => from >= Math.max(left, 0) - 0.5 && to <= Math.min(right, innerWidth) + 0.5;
    return group.scrollWidth <= group.clientWidth
        && [...group.children].every((each) => isWithin(each.getBoundingClientRect()) && each.scrollWidth <= each.clientWidth);
}"""


@pytest.mark.parametrize("language", PLURALS)
def test_no_filter_of_the_list_is_cut_on_a_phone(people, language):
    (ada,) = people("Ada", locale=language, width=390, height=740)
    filters = ada.page.get_by_role("group", name=catalogue(language)["chats.filters"], exact=True)
    expect(filters.get_by_role("button")).to_have_count(5)
    for width in (390, 320):
        ada.page.set_viewport_size({"width": width, "height": 740})
        ada.until(lambda: ada.page.evaluate("innerWidth") == width)
        assert filters.evaluate(WHOLE), width


def test_a_language_is_chosen_and_stays(people):
    (ada,) = people("Ada")
    ada.link("Profile").click()
    ada.page.get_by_label("Language").select_option("de")
    expect(ada.page.get_by_role("heading", name="Profil")).to_be_visible()
    ada.page.reload()
    expect(ada.page.get_by_role("heading", name="Profil")).to_be_visible()
    expect(ada.page.locator("html")).to_have_attribute("lang", "de")


def test_times_are_remembered_for_the_language_that_they_were_made_in(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("At some time")
    ada.sees_state("At some time", "Sent")
    ada.link("Chats").click()
    time = ada.conversations.locator("time")
    shown = time.inner_text()
    kept = "JSON.parse(localStorage.getItem('parley.formatted') ?? '{\"texts\": []}')"
    # What is kept is what is shown the next time, while it is of this language and browser, and not too old.
    for change in ("", "kept.since -= 8 * 86_400_000", "kept.locale = 'de'", "kept.browser = 'another'"):
        ada.until(lambda: shown in dict(ada.page.evaluate(f"{kept}.texts")).values())
        ada.page.evaluate(f"""shown => {{
            const kept = {kept};
            {change};
            kept.texts = kept.texts.map(([key, text]) => [key, text === shown ? "kept" : text]);
            localStorage.setItem('parley.formatted', JSON.stringify(kept));
        }}""", shown)
        ada.page.reload()
        expect(time).to_have_text(shown if change else "kept")
        if not change:
            ada.page.evaluate("localStorage.removeItem('parley.formatted')")
            ada.page.reload()
            expect(time).to_have_text(shown)
    # What is kept and makes no sense keeps no page from opening.
    ada.until(lambda: shown in dict(ada.page.evaluate(f"{kept}.texts")).values())
    ada.page.evaluate(f"() => localStorage.setItem('parley.formatted', JSON.stringify({{...{kept}, texts: [1]}}))")
    ada.page.reload()
    expect(time).to_have_text(shown)


def test_texts_are_kept_for_the_version_that_they_are_of(people):
    (ada,) = people("Ada")
    kept = "JSON.parse(localStorage.getItem('parley.texts'))"
    title = ada.page.get_by_role("heading", level=1)
    expect(title).to_have_text("Chats")
    ada.until(lambda: ada.page.evaluate(kept))
    for change, shown in (("", "Kept"), ("kept.address += '?'", "Chats"), ("kept.texts = 1", "Chats")):
        ada.page.evaluate(f"() => {{ const kept = {kept}; kept.texts['chats.title'] = 'Kept'; {change};"
                          " localStorage.setItem('parley.texts', JSON.stringify(kept)); }")
        ada.page.reload()
        expect(title).to_have_text(shown)


def test_a_message_runs_in_its_own_direction(people):
    ada, bob = people("Ada", away=["Bob"])
    ada.talk_to(bob).say("مرحبًا يا بوب")
    ada.sees("مرحبًا يا بوب")
    text = ada.message("مرحبًا").first.get_by_text("مرحبًا يا بوب").first
    expect(text).to_have_css("direction", "rtl")


def make_group(maker, name, *members):
    """Returns the path of a new group, of the API."""
    path = f"/v1/conversations/{maker.new_id()}"
    ids = [member.fetch("GET", "/v1/me")["body"]["id"] for member in members]
    assert maker.fetch("PUT", path, {"groupName": name, "participantIds": ids})["status"] == 201
    return path


def open_group(person, path):
    person.page.goto(path.removeprefix("/v1"))
    return person.page.locator(".system")


def test_numbers_in_the_midst_of_a_text_are_written_as_all_others_are(people, stranger):
    bob, eve = people(away=["Bob", "Eve"])
    nobody = stranger("Nobody", locale="ar-EG")
    nobody.page.goto("/sign-up")
    password = nobody.page.get_by_label(catalogue("ar")["field.password"], exact=True)
    expect(password).to_have_accessible_description("٨ أحرف على الأقل")
    (ada,) = people("Ada", locale="ar-EG")
    path = make_group(ada, "Engines", bob, eve)
    assert ada.fetch("PATCH", path, {"retentionSeconds": 7 * 86_400})["status"] == 200
    expect(open_group(ada, path).last).to_contain_text("٧ أيام")


def test_a_length_of_time_has_the_case_of_its_sentence(people):
    bob, eve = people(away=["Bob", "Eve"])
    (ada,) = people("Ada", locale="de")
    path = make_group(ada, "Engines", bob, eve)
    assert ada.fetch("PATCH", path, {"retentionSeconds": 7 * 86_400})["status"] == 200
    expect(open_group(ada, path).last).to_have_text("Du hast eingestellt: Nachrichten bleiben 7 Tage, dann verschwinden sie")


def test_what_has_happened_to_a_group_runs_as_the_page_does_whoever_did_it(people):
    laila, eve = people(away=["ليلى", "Eve"])
    (ada,) = people("Ada")
    system = open_group(ada, make_group(laila, "Engines", ada, eve)).first
    expect(system).to_have_text("ليلى created the group “Engines”")
    expect(system).to_have_css("direction", "ltr")


def test_a_name_in_the_head_of_a_conversation_runs_in_its_own_direction(people):
    [zoe] = people(away=["Zoë (Köln)"])
    (ada,) = people("Ada", locale="ar")
    ada.page.goto(zoe.write_to(ada, "Hallo").removeprefix("/v1"))
    name = ada.page.get_by_role("heading", name="Zoë (Köln)", exact=True)
    expect(name).to_have_css("direction", "ltr")
    # It begins where the page does, all the same.
    expect(name).to_have_css("text-align", "right")
