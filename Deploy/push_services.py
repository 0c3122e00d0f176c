"""Stand-ins for the services that push notifications go to: strict, HTTP/2 over TLS of a certificate authority of their own."""

import base64
import datetime
import ipaddress
import json
import secrets
import ssl
import time
import urllib.parse

import http_ece
import py_vapid
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from push_http2 import GOAWAY, SILENCE, Service


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def unbase64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


class Authority:
    """Certificates for this machine."""

    def __init__(self, directory):
        self.path, self.certificate, self.key = (f"{directory}/{name}.pem" for name in ("authority", "server", "key"))
        now = datetime.datetime.now(datetime.timezone.utc)
        own, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Test authority")])

        def build(subject, public):
            return (x509.CertificateBuilder().subject_name(subject).issuer_name(name).public_key(public)
                    .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
                    .not_valid_after(now + datetime.timedelta(days=2)))

        root = build(name, own.public_key()).add_extension(x509.BasicConstraints(True, None), True).sign(own, hashes.SHA256())
        here = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        leaf = build(here, key.public_key()).add_extension(names, False).sign(own, hashes.SHA256())
        for path, text in [(self.path, root), (self.certificate, leaf)]:
            with open(path, "wb") as file:
                file.write(text.public_bytes(serialization.Encoding.PEM))
        with open(self.key, "w") as file:
            file.write(pem(key))

    def context(self, *protocols):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        if protocols:
            context.set_alpn_protocols(list(protocols))
        return context


class APNs(Service):
    """Apple's service: one request at once until a token is believed, tokens that may be neither old nor many."""

    KEY_ID, TEAM, APP = "ABC1234567", "TEAM123456", "org.example.chat"
    FIRST_STREAMS, ECHOED = 1, ("apns-id",)

    def __init__(self, authority):
        self.signing = ec.generate_private_key(ec.SECP256R1())
        # Device tokens that something else than 200 happens to: a status with its body, "silence", or "goaway".
        self.scripts, self.tokens = {}, {}
        super().__init__(authority)

    def answer(self, connection, headers, body):
        device = headers[":path"].removeprefix("/3/device/")
        if refusal := self.refusal(headers):
            return refusal[0], {"reason": refusal[1]}
        connection.believe()
        thing = {
            "device": device, "id": headers["apns-id"], "headers": headers, "message": self.inspect(headers, body),
        }
        script = self.scripts.get(device)
        if script == "silence":
            self.leave_unanswered(thing)
            return SILENCE
        if script == "goaway":
            # Once.
            del self.scripts[device]
            return GOAWAY
        if script:
            return script
        self.take(thing)
        return 200, None

    def refusal(self, headers):
        """What Apple says of a token that it does not believe."""
        kind, _, token = headers.get("authorization", "").partition(" ")
        parts = token.split(".")
        if kind != "bearer" or len(parts) != 3:
            return 403, "MissingProviderToken"
        header, claims = (json.loads(unbase64url(part)) for part in parts[:2])
        signature = unbase64url(parts[2])
        try:
            der = encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
            self.signing.public_key().verify(der, ".".join(parts[:2]).encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return 403, "InvalidProviderToken"
        if header.get("alg") != "ES256" or header.get("kid") != self.KEY_ID or claims.get("iss") != self.TEAM:
            return 403, "InvalidProviderToken"
        if type(claims.get("iat")) is not int or not -60 <= time.time() - claims["iat"] < 3600:
            return 403, "ExpiredProviderToken"
        if token not in self.tokens and any(time.time() - at < 1200 for at in self.tokens.values()):
            return 429, "TooManyProviderTokenUpdates"
        self.tokens.setdefault(token, time.time())
        return None

    def inspect(self, headers, body):
        """Notes what Apple does not say, or not so clearly."""
        kind, priority = headers.get("apns-push-type"), headers.get("apns-priority")
        message = json.loads(body)
        for name in ["apns-id", "apns-topic", "apns-expiration", "apns-priority", "apns-push-type"]:
            if name not in headers:
                self.fault(f"no {name}")
        if headers.get("apns-topic") != self.APP:
            self.fault("another topic")
        if len(body) > 4096 or len(headers.get("apns-collapse-id", "")) > 64 or not headers["apns-expiration"].isdigit():
            self.fault("bounds")
        if kind == "background" and (priority != "5" or message["aps"] != {"content-available": 1}):
            self.fault(f"no background notification: {message['aps']}")
        if kind == "alert" and "alert" in message["aps"] and priority != "10":
            self.fault("an alert that waits")
        return message


class FCM(Service):
    """Google's tokens, and Firebase Cloud Messaging."""

    PROJECT, EMAIL = "parley-check", "push@parley-check.example"

    def __init__(self, authority):
        self.signing = rsa.generate_private_key(65537, 2048)
        self.access, self.bought = set(), 0
        super().__init__(authority)

    @property
    def account(self):
        return {
            "type": "service_account", "project_id": self.PROJECT, "client_email": self.EMAIL, "private_key_id": "one",
            "private_key": pem(self.signing), "token_uri": f"{self.url}/token",
        }

    def answer(self, connection, headers, body):
        if headers[":path"] == "/token":
            return self.sell(body)
        if headers[":path"] != f"/v1/projects/{self.PROJECT}/messages:send":
            return 404, None
        if headers.get("authorization", "").removeprefix("Bearer ") not in self.access:
            return 401, {"error": {"code": 401, "status": "UNAUTHENTICATED"}}
        message = json.loads(body)["message"]
        data = message["data"]
        if set(message) - {"token", "fid", "data", "android"} or any(type(value) is not str for value in data.values()):
            self.fault(f"no message: {sorted(message)}")
        if set(message["android"]) != {"priority", "ttl"} or not message["android"]["ttl"].endswith("s"):
            self.fault("android")
        if (message["android"]["priority"] == "HIGH") != (data["kind"] == "alert"):
            self.fault("priority")
        self.take({"device": message.get("token") or message.get("fid"), "message": data})
        return 200, {"name": f"projects/{self.PROJECT}/messages/{secrets.token_hex(4)}"}

    def sell(self, body):
        form = dict(urllib.parse.parse_qsl(body.decode()))
        parts = form.get("assertion", "").split(".")
        refusal = 400, {"error": "invalid_grant"}
        if form.get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" or len(parts) != 3:
            return refusal
        header, claims = (json.loads(unbase64url(part)) for part in parts[:2])
        try:
            self.signing.public_key().verify(
                unbase64url(parts[2]), ".".join(parts[:2]).encode(), padding.PKCS1v15(), hashes.SHA256()
            )
        except InvalidSignature:
            return refusal
        times = claims.get("iat"), claims.get("exp")
        if (header["alg"], claims.get("iss"), claims.get("aud")) != ("RS256", self.EMAIL, f"{self.url}/token") or \
                any(type(time) is not int for time in times) or not 0 < times[1] - times[0] <= 3600 or \
                claims.get("scope") != "https://www.googleapis.com/auth/firebase.messaging":
            return refusal
        token = secrets.token_urlsafe(64)
        self.access.add(token)
        self.bought += 1
        return 200, {"access_token": token, "expires_in": 3599, "token_type": "Bearer"}


class WebPush(Service):
    """A browser's push service, and the browsers that open what it is sent."""

    def __init__(self, authority):
        self.browsers, self.gone, self.server_key = {}, set(), None
        super().__init__(authority)

    def subscribe(self):
        """A browser's subscription, as its `toJSON()` gives it."""
        name, key, auth = secrets.token_hex(8), ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16)
        self.browsers[name] = key, auth
        point = key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        return name, {
            "endpoint": f"{self.url}/push/{name}", "expirationTime": None,
            "keys": {"p256dh": base64url(point), "auth": base64url(auth)},
        }

    def answer(self, connection, headers, body):
        name = headers[":path"].removeprefix("/push/")
        if name in self.gone:
            return 410, None
        authorization = headers.get("authorization", "")
        if not py_vapid.Vapid02.verify(authorization):
            return 403, None
        token, key = (part.partition("=")[2] for part in authorization.removeprefix("vapid ").split(","))
        claims = json.loads(unbase64url(token.split(".")[1]))
        if key != self.server_key or claims["aud"] != self.url or not 0 < claims["exp"] - time.time() <= 86400 or \
                not claims["sub"].startswith("mailto:"):
            return 403, None
        if headers.get("content-encoding") != "aes128gcm" or not headers.get("ttl", "").isdigit() or \
                headers.get("urgency") != "high" or len(headers.get("topic", "")) > 32:
            self.fault("headers")
        if len(body) > 3070:
            self.fault("size")
        browser, auth = self.browsers[name]
        text = http_ece.decrypt(body, private_key=browser, auth_secret=auth, version="aes128gcm")
        self.take({"device": name, "message": json.loads(text)})
        return 201, None
