"""The mails of a server without a mail server: files in its data directory."""

import email
import email.policy
import glob
import os
import re
import time


def token_of(server, address, path):
    """The token of the newest mail to somebody whose text leads to `path` or just holds it; waits for it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for name in sorted(glob.glob(f"{server.directory}/data/mail/*.eml"), reverse=True):
            token = _token_in(name, address, path)
            if token:
                return token
        time.sleep(0.05)
    raise AssertionError(f"no mail for {path}")


def _token_in(name, address, path):
    if not os.path.exists(name):
        return None
    with open(name, "rb") as file:
        mail = email.message_from_binary_file(file, policy=email.policy.default)
    if address not in str(mail["To"]):
        return None
    text = mail.get_body(("plain",)).get_content()
    subject = str(mail["Subject"]).lower()
    if ("password" in subject) != (path == "reset-password"):
        return None
    found = re.search(r"[A-Za-z0-9_-]{20,}", text)
    return found[0] if found else None
