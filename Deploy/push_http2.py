"""Services of HTTP/2 over TLS, for stand-ins: what they take, and how they answer."""

import json
import socket
import threading
import time

import h2.config
import h2.connection
import h2.events
import h2.settings

# Instead of an answer: none, ever; or the connection ends, and the request is not taken.
SILENCE, GOAWAY = object(), object()


class Inbox:
    """What a service has taken, or read without an answer, and what was wrong with what it was sent."""

    def __init__(self):
        self.taken, self.unanswered, self.faults = [], [], []
        self.changed = threading.Condition()

    def take(self, thing):
        self.note(thing, self.taken)

    def leave_unanswered(self, thing):
        self.note(thing, self.unanswered)

    def note(self, thing, things):
        with self.changed:
            things.append({**thing, "at": time.monotonic()})
            self.changed.notify_all()

    def fault(self, what):
        with self.changed:
            self.faults.append(what)

    def wait(self, is_it, seconds=30, among=None):
        """The first thing that is so, of what was taken as a rule; None where none comes."""
        end = time.monotonic() + seconds
        with self.changed:
            while True:
                for thing in self.taken if among is None else among:
                    if is_it(thing):
                        return thing
                if (left := end - time.monotonic()) <= 0:
                    return None
                self.changed.wait(left)

    def all(self, is_it, among=None):
        with self.changed:
            return [thing for thing in (self.taken if among is None else among) if is_it(thing)]


class Service(Inbox):
    """A service that speaks nothing but HTTP/2."""

    # Requests at once on a connection, until the service believes who asks; and the headers that it says again.
    FIRST_STREAMS, ECHOED = 1000, ()

    def __init__(self, authority):
        super().__init__()
        self.connections = 0
        self.context = authority.context("h2")
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.url = f"https://127.0.0.1:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            with self.context.wrap_socket(client, server_side=True) as stream:
                if stream.selected_alpn_protocol() != "h2":
                    return self.fault("no HTTP/2 was offered")
                self.connections += 1
                Connection(self, stream).run()
        except OSError:
            pass

    def answer(self, connection, headers, body):
        """Says what becomes of a request: a status and what is said as JSON, if anything; or `SILENCE`, or `GOAWAY`."""
        raise NotImplementedError


class Connection:
    """One connection to a service."""

    STREAMS = h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS

    def __init__(self, service, stream):
        self.service, self.stream = service, stream
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.h2.local_settings = h2.settings.Settings(client=False, initial_values={self.STREAMS: service.FIRST_STREAMS})
        self.requests, self.is_believed = {}, False

    def believe(self):
        """From now on there may be many requests at once."""
        if not self.is_believed:
            self.is_believed = True
            self.h2.update_settings({self.STREAMS: 1000})

    def run(self):
        self.h2.initiate_connection()
        self.flush()
        while data := self.stream.recv(65536):
            for event in self.h2.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    self.requests[event.stream_id] = (dict(event.headers), bytearray())
                elif isinstance(event, h2.events.DataReceived):
                    self.requests[event.stream_id][1].extend(event.data)
                    self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    if not self.reply(event.stream_id, *self.requests.pop(event.stream_id)):
                        return
            self.flush()

    def flush(self):
        if data := self.h2.data_to_send():
            self.stream.sendall(data)

    def reply(self, stream, headers, body):
        """Says whether the connection goes on."""
        answer = self.service.answer(self, headers, bytes(body))
        if answer is GOAWAY:
            self.h2.close_connection(last_stream_id=max(0, stream - 2))
            self.flush()
        elif answer is not SILENCE:
            status, content = answer
            echoed = [(name, headers[name]) for name in self.service.ECHOED if name in headers]
            self.h2.send_headers(stream, [(":status", str(status)), *echoed], end_stream=content is None)
            if content is not None:
                self.h2.send_data(stream, json.dumps(content).encode(), end_stream=True)
        return answer is not GOAWAY
