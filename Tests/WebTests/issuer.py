"""An OpenID Connect issuer on this machine, over TLS with a certificate of its own. It is strict: a code counts once, and only
with the verifier, the address and the client that it was given out for."""

import base64
import hashlib
import html
import json
import secrets
import ssl
import subprocess
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CLIENT, SECRET = "parley-web", "client secret/+"


class Issuer:
    """Whoever comes is `person`: what the token is to say of whom, which is for a test to set."""

    def __init__(self, directory):
        self.key, self.certificate = f"{directory}/key.pem", f"{directory}/certificate.pem"
        openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", self.key, "-out", self.certificate)
        self.modulus = bytes.fromhex(openssl("rsa", "-in", self.key, "-noout", "-modulus").decode().strip().partition("=")[2])
        self.person, self.codes = {}, {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"issuer": self}))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        # Whoever connects and says nothing holds up nobody else: each has a thread to say hello in.
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"https://localhost:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def provider(self, name):
        """What the server is told of it."""
        return {"name": name, "issuer": self.url, "clientIds": [CLIENT], "clientSecret": SECRET, "caFile": self.certificate}

    @property
    def documents(self):
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.url, "authorization_endpoint": f"{self.url}/authorize", "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys", "id_token_signing_alg_values_supported": ["RS256"],
            },
            "/keys": {"keys": [{
                "kty": "RSA", "kid": "one", "use": "sig", "alg": "RS256", "n": base64url(self.modulus), "e": "AQAB",
            }]},
        }

    def permit(self, asked):
        """A person agrees: the address that the browser is sent back to."""
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked, dict(self.person)
        return self.back(asked, code=code)

    def back(self, asked, **answer):
        return f"{asked['redirect_uri']}?{urllib.parse.urlencode(answer | {'state': asked['state']})}"

    def redeem(self, form, authorization):
        """A token for a code; None where anything is not as it was asked for."""
        asked, person = self.codes.pop(form.get("code"), (None, None))
        if asked is None or form.get("grant_type") != "authorization_code" or not is_client(authorization):
            return None
        challenge = base64url(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if challenge != asked["code_challenge"] or any(form.get(name) != asked[name] for name in ("redirect_uri", "client_id")):
            return None
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"], **person}
        return {"access_token": secrets.token_urlsafe(16), "token_type": "Bearer", "expires_in": 300, "id_token": self.token(claims)}

    def token(self, claims):
        parts = {"alg": "RS256", "kid": "one", "typ": "JWT"}, claims
        signed = ".".join(base64url(json.dumps(part).encode()) for part in parts)
        return f"{signed}.{base64url(openssl('dgst', '-sha256', '-sign', self.key, given=signed.encode()))}"


class Handler(BaseHTTPRequestHandler):
    """The issuer's addresses."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked = dict(urllib.parse.parse_qsl(query))
        if path in self.issuer.documents:
            return self.answer(200, json.dumps(self.issuer.documents[path]))
        if path not in ("/authorize", "/permit", "/refuse") or not is_question(asked):
            return self.answer(404)
        if path == "/authorize":
            return self.answer(200, page(query), "text/html")
        if path == "/permit":
            return self.answer(303, location=self.issuer.permit(asked))
        return self.answer(303, location=self.issuer.back(asked, error="access_denied"))

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()))
        token = self.path == "/token" and self.issuer.redeem(form, self.headers.get("Authorization", ""))
        return self.answer(200, json.dumps(token)) if token else self.answer(400, json.dumps({"error": "invalid_grant"}))

    def answer(self, status, text="", kind="application/json", location=None):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def page(query):
    ways = "".join(f'<a href="{path}?{html.escape(query)}">{name}</a> ' for path, name in [("/permit", "Allow"), ("/refuse", "Cancel")])
    return f'<!doctype html><html lang="en"><title>Issuer</title><h1>Parley wants to know who you are</h1>{ways}</html>'


def is_question(asked):
    """Whether a browser was sent with all that belongs to the code flow with PKCE."""
    expected = {"response_type": "code", "client_id": CLIENT, "code_challenge_method": "S256"}
    return (
        all(asked.get(name) == value for name, value in expected.items())
        and all(asked.get(name) for name in ("redirect_uri", "state", "nonce", "code_challenge"))
        and "openid" in asked.get("scope", "").split())


def is_client(authorization):
    """Whether both are there, each encoded by itself (RFC 6749 §2.3.1)."""
    kind, _, pair = authorization.partition(" ")
    if kind != "Basic":
        return False
    return [urllib.parse.unquote_plus(part) for part in base64.b64decode(pair).decode().split(":")] == [CLIENT, SECRET]


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def openssl(*arguments, given=None):
    return subprocess.run(["openssl", *arguments], input=given, capture_output=True, check=True).stdout
