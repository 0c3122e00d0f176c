"""One server and one browser for a run, and people who use them: `people("Ada", "Bob")`."""

import json
import os
import shutil
import sys

import pytest
from playwright.sync_api import expect, sync_playwright

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from checks import ROOT, Server, free_port  # noqa: E402
from issuer import Issuer  # noqa: E402
from person import Account, Person  # noqa: E402

# What is waited for, on a machine that is busy.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def server():
    """A server on an empty data directory."""
    with Server("--limits", "off", *client_files()) as running:
        yield running


@pytest.fixture
def own_server():
    """A server for one test alone: one that is stopped, or that nobody else may be on."""
    with Server("--limits", "off", *client_files()) as running:
        yield running


@pytest.fixture(scope="module")
def issuer(tmp_path_factory):
    """An issuer that people may sign in with at `issuers_server`."""
    with Issuer(tmp_path_factory.mktemp("issuer")) as running:
        yield running


@pytest.fixture(scope="module")
def issuers_server(issuer, tmp_path_factory):
    """A server that takes the issuer's word, as ACME, and would take that of another, Lost, which nobody reaches."""
    lost = issuer.provider("Lost") | {"issuer": f"https://localhost:{free_port()}"}
    file = tmp_path_factory.mktemp("providers") / "providers.json"
    file.write_text(json.dumps({"acme": issuer.provider("ACME"), "lost": lost}))
    with Server("--limits", "off", "--oidc-file", str(file), *client_files()) as running:
        yield running


@pytest.fixture(scope="module")
def server_of_large_files():
    """A server that takes larger files than usual, 30 MiB, and smaller pictures, 1 MiB."""
    with Server("--limits", "off", "--max-file-size", "30", "--max-image-size", "1", *client_files()) as running:
        yield running


def client_files():
    folder = os.environ.get("PARLEY_WEB_DIR")
    return ["--web-dir", os.path.join(ROOT, folder)] if folder else []


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright):
    """Chromium without what draws its windows, where that is installed: the same pages for half of the processor time."""
    with launch(playwright, "chromium-headless-shell", "chromium") as running:
        yield running


@pytest.fixture(scope="module")
def whole_browser(playwright):
    """What shows notifications, which need somebody who allows them."""
    with launch(playwright, "chromium") as running:
        yield running


def launch(playwright, *names):
    return playwright.chromium.launch(
        executable_path=next(filter(None, map(shutil.which, names))),
        args=["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"],
    )


@pytest.fixture
def stranger(browser, server):
    """Makes browsers of people without an account: `stranger("Ada")`. What their pages complain of fails the test."""
    met = []

    def meet(name, at=server, **context):
        met.append(Person(browser, at, name, **context))
        return met[-1]

    yield meet
    complaints = [f"{person.name}: {complaint}" for person in met for complaint in person.complaints]
    for person in met:
        person.context.close()
    # Tried again or not: that a page complained once is enough (Deploy/test).
    assert not complaints, "\n".join(["A page complained:", *complaints])


@pytest.fixture
def people(stranger, server):
    """Makes people who have an account and are signed in, and others with an account alone, who are away:
    `ada, bob = people("Ada", away=["Bob"])`."""

    def make(*names, away=(), at=server, **context):
        present = [stranger(name, at=at, **context).join() for name in names]
        return [*present, *(Account(at, name).join() for name in away)]

    return make
