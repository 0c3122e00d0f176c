"""A mail server for tests. Says on its output, one JSON object per line, on which port it listens and what it takes.

It ends when its input does. How it treats a mail is said by the start of the recipient's name: `refused`, `later` (taken
at the second try), `drop` (the connection, before the mail is taken), `lost` (takes the mail, then drops the connection
without an answer), `hang`.
"""

import argparse
import asyncio
import base64
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


def say(thing):
    print(json.dumps(thing), flush=True)


class Handler:
    def __init__(self):
        self.postponed = set()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("refused"):
            return "550 5.1.1 No such mailbox"
        if address.startswith("later") and address not in self.postponed:
            self.postponed.add(address)
            return "451 4.3.0 Try again later"
        if address.startswith("drop"):
            server.transport.abort()
        if address.startswith("hang"):
            say({"hanging": address})
            await asyncio.Event().wait()
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        say(
            {
                "from": envelope.mail_from,
                "to": envelope.rcpt_tos,
                "content": base64.b64encode(envelope.original_content).decode(),
                "encrypted": server.transport.get_extra_info("ssl_object") is not None,
                "user": session.auth_data.decode() if session.auth_data else None,
            }
        )
        if envelope.rcpt_tos[0].startswith("lost"):
            server.transport.abort()
        return "250 Taken"


def authenticator(user, password):
    def check(server, session, envelope, mechanism, data):
        known = isinstance(data, LoginPassword) and (data.login, data.password) == (user.encode(), password.encode())
        # `handled` where the answer is left to the server.
        return AuthResult(success=known, handled=known, auth_data=data.login if known else None)

    return check


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tls", choices=["none", "starttls", "implicit"], default="none")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--user")
    parser.add_argument("--password")
    options = parser.parse_args()
    context = None
    if options.tls != "none":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options.certificate, options.key)
    handler = Handler()

    def connection():
        return SMTP(
            handler,
            enable_SMTPUTF8=True,
            hostname="localhost",
            tls_context=context if options.tls == "starttls" else None,
            require_starttls=options.tls == "starttls",
            authenticator=authenticator(options.user, options.password) if options.user else None,
            auth_required=options.user is not None,
            auth_require_tls=options.tls == "starttls",
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(connection, "127.0.0.1", 0, ssl=context if options.tls == "implicit" else None)
    say({"port": server.sockets[0].getsockname()[1]})
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
