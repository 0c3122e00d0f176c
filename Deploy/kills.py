"""Has a server killed in a state that is certain: its private PostgreSQL says what the state is, and holds it."""

import contextlib
import signal
import subprocess
import time
import uuid

from checks import postgres_program

# What whoever stands at the gate waits for.
GATE = 7_261_943


class Database:
    """The private PostgreSQL of a server, as the account that runs it may ask it."""

    def __init__(self, server):
        self.server = server

    @property
    def command(self):
        with open(f"{self.server.directory}/data/postgres/postmaster.pid") as file:
            socket = file.read().splitlines()[4]
        return [postgres_program("psql"), "-h", socket, "-U", "postgres", "-d", "parley", "-qAtX", "-v", "ON_ERROR_STOP=1"]

    def ask(self, statements):
        done = subprocess.run([*self.command, "-c", statements], capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def is_so(self, condition):
        return self.ask(f"SELECT {condition}") == "t"

    def wait(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not self.is_so(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.05)

    def wait_until_caught_up(self, consumer):
        """Until a reactor has passed all that has happened."""
        self.wait(f"""NOT EXISTS (
            SELECT FROM parley.consumers c WHERE c.name = '{consumer}' AND c.position < (
                SELECT e.position FROM parley.events e WHERE e.partition = c.partition ORDER BY e.position DESC LIMIT 1))""")

    def wait_until_seen(self):
        """Until what the server claims bears its key, and is given back at once: a claim without one lasts for its time."""
        self.wait("""EXISTS (
            SELECT FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND l.locktype = 'advisory' AND l.granted
            WHERE a.application_name = 'parley-process' AND a.backend_start < now() - interval '3 s')""")

    @contextlib.contextmanager
    def holding(self, statement):
        """Holds the locks that a statement takes, for as long as PostgreSQL runs at the most."""
        session = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
        )
        word = f"held {uuid.uuid4()}"
        try:
            session.stdin.write(f"BEGIN;\n{statement};\nSELECT '{word}';\n")
            session.stdin.flush()
            self.wait(f"""EXISTS (
                SELECT FROM pg_stat_activity a
                WHERE a.state = 'idle in transaction' AND a.query LIKE 'SELECT ''{word}''%')""")
            yield
        finally:
            with contextlib.suppress(BrokenPipeError):
                session.stdin.close()
            session.wait(timeout=60)

    @contextlib.contextmanager
    def gate(self, table, event, condition="true"):
        """Holds whoever inserts or updates such a row of a table, before that is done. There is one gate at a time."""
        self.ask(f"""
            DROP FUNCTION IF EXISTS public.wait_at_gate() CASCADE;
            CREATE FUNCTION public.wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN PERFORM pg_advisory_xact_lock_shared({GATE}); RETURN NEW; END $$;
            CREATE TRIGGER gate BEFORE {event} ON {table} FOR EACH ROW WHEN ({condition})
                EXECUTE FUNCTION public.wait_at_gate()""")
        with self.holding(f"SELECT pg_advisory_xact_lock({GATE})"):
            yield

    def wait_at_gate(self):
        """Until somebody stands there."""
        self.wait(f"""EXISTS (
            SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objid = {GATE} AND l.objsubid = 1 AND NOT l.granted)""")

    def kill(self, condition):
        """Kills the server and starts it again. What it has not committed is rolled back.

        Returns whether that was so at that moment.
        """
        # It stands still first: so nothing changes while it is looked at, and what waits in PostgreSQL is ended before it.
        self.server.process.send_signal(signal.SIGSTOP)
        was_so = self.is_so(condition)
        self.ask("SELECT count(pg_terminate_backend(l.pid)) FROM pg_locks l WHERE NOT l.granted")
        self.wait("NOT EXISTS (SELECT FROM pg_locks l WHERE NOT l.granted)")
        self.server.kill()
        self.server.resume()
        return was_so
