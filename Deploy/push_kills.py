"""Kills a server in each state that a notification may be in: it comes, and twice only where the answer was not noted."""

import secrets

from kills import Database
from push_parts import Person, check, of

IS_CLAIMED = "NEW.claim IS NOT NULL AND NEW.claim IS DISTINCT FROM OLD.claim"
IS_GIVEN_BACK = "OLD.claim IS NOT NULL AND NEW.claim IS NULL"
FAILING = 500, {"reason": "InternalServerError"}


class Scene:
    """Somebody who is away, with one of Apple's devices, and those who write to it, each in a conversation of its own."""

    def __init__(self, world, database, number, writers):
        self.world, self.database, self.apns = world, database, world.apns
        self.person, self.token = Person(world.server, f"Away{number}"), secrets.token_hex(32)
        self.person.device(platform="apns", token=self.token, app=world.apns.APP)
        self.writers = [(writer, writer.talk(self.person)) for writer in writers]
        self.messages = []

    def say(self, writers=1):
        for writer, talk in self.writers[:writers]:
            self.messages.append(writer.say(talk, "Are you there?")["id"])

    def row(self, condition):
        return f"EXISTS (SELECT FROM parley.push_notifications n WHERE n.person_id = '{self.person.id}' AND {condition})"

    def answers(self, script):
        self.apns.scripts[self.token] = script

    def wait_until_asked(self):
        if self.apns.wait(of(self.token), among=self.apns.unanswered) is None:
            raise TimeoutError("nothing is sent")

    def wait_until_taken(self):
        if self.apns.wait(of(self.token)) is None:
            raise TimeoutError("nothing is taken")

    def kill(self, condition):
        # From then on everything is taken.
        self.apns.scripts.pop(self.token, None)
        check(self.database.kill(condition), "it is killed in that state")


def committed(scene):
    with scene.database.gate("parley.push_notifications", "INSERT"):
        scene.say()
        scene.database.wait_at_gate()
        scene.kill(f"NOT {scene.row('true')}")


def queued(scene):
    with scene.database.gate("parley.push_notifications", "UPDATE", IS_CLAIMED):
        scene.say()
        scene.database.wait_at_gate()
        scene.kill(scene.row("claim IS NULL AND due_at <= now()"))


def claimed(scene):
    scene.database.wait_until_seen()
    # Whoever has claimed something asks for the device next, and for the times at which its owner wants no notification.
    with scene.database.holding("LOCK TABLE parley.quiet_hours IN ACCESS EXCLUSIVE MODE"):
        scene.say()
        scene.database.wait(scene.row("claim IS NOT NULL"))
        scene.kill(scene.row("claim IS NOT NULL"))
    check(not scene.apns.all(of(scene.token), among=scene.apns.unanswered), "nothing was sent before")


def asked(scene):
    scene.database.wait_until_seen()
    scene.answers("silence")
    scene.say()
    scene.wait_until_asked()
    scene.kill(scene.row("claim IS NOT NULL"))


def accepted(scene):
    scene.database.wait_until_seen()
    with scene.database.gate("parley.push_notifications", "UPDATE", IS_GIVEN_BACK):
        scene.say()
        scene.wait_until_taken()
        scene.database.wait_at_gate()
        scene.kill(scene.row("claim IS NOT NULL"))


def noted(scene):
    is_noted = scene.row("claim IS NULL AND due_at IS NULL AND shown_seq IS NOT NULL")
    scene.say()
    scene.wait_until_taken()
    scene.database.wait(is_noted)
    scene.kill(is_noted)


def held_back(scene):
    # Whoever does something is told 5 s later.
    scene.person.talk(scene.world.bob)
    scene.say()
    scene.database.wait(scene.row("claim IS NULL AND due_at > now() + interval '1 s'"))
    scene.kill(scene.row("claim IS NULL AND due_at > now()"))


def backing_off(scene):
    scene.answers(FAILING)
    scene.say()
    # The second pause is 2 s at least.
    scene.database.wait(scene.row("attempts >= 2 AND claim IS NULL AND due_at > now() + interval '1 s'"))
    scene.kill(scene.row("attempts >= 2 AND claim IS NULL AND due_at > now()"))


def left_alone(scene):
    is_open = "EXISTS (SELECT FROM parley.push_pauses p WHERE p.until > now())"
    scene.answers(FAILING)
    scene.say(writers=len(scene.writers))
    scene.database.wait(f"{is_open} AND NOT {scene.row('claim IS NOT NULL')}")
    scene.kill(f"{is_open} AND NOT {scene.row('claim IS NOT NULL')}")


def digest(scene):
    scene.database.wait_until_seen()
    scene.answers(FAILING)
    scene.say()
    scene.database.wait(scene.row("attempts >= 2 AND claim IS NULL AND due_at > now() + interval '1 s'"))
    scene.answers("silence")
    # As after an outage of an hour.
    scene.database.ask(f"""
        UPDATE parley.push_notifications SET newest_at = newest_at - interval '1 hour', due_at = now()
        WHERE person_id = '{scene.person.id}'""")
    scene.wait_until_asked()
    scene.kill(scene.row("claim IS NOT NULL"))
    scene.database.wait(f"""EXISTS (
        SELECT FROM parley.push_outcomes o
        WHERE o.person_id = '{scene.person.id}' AND o.kind = 'digest' AND o.outcome = 'accepted')""")


# What the state is, how it comes about, and how often a notification is taken then.
STATES = [
    ("in the log and not in the outbox", committed, 1),
    ("in the outbox", queued, 1),
    ("claimed", claimed, 1),
    ("sent, and not answered", asked, 1),
    ("accepted, and that not noted", accepted, 2),
    ("accepted, and that noted", noted, 1),
    ("held back from somebody who is active", held_back, 1),
    ("waiting for another try", backing_off, 1),
    ("waiting for a service that is left alone", left_alone, 1),
    ("a digest that is sent, and not answered", digest, 1),
]


def run(world):
    print("A server that is killed loses no notification, in whatever state it is")
    database = Database(world.server)
    # A service is left alone after four failures.
    writers = [world.ada, *(Person(world.server, f"Writer{number}") for number in range(3))]
    scenes = [Scene(world, database, number, writers) for number in range(len(STATES))]
    # Whoever has just registered a device would be told later; the process that has noted it must not write it any more.
    database.kill("true")
    database.ask("UPDATE parley.devices SET active_at = NULL")
    for scene, (state, provoke, times) in zip(scenes, STATES):
        print(f"  {state}:", flush=True)
        provoke(scene)
        database.wait_until_caught_up("push")
        database.wait(f"NOT {scene.row('due_at IS NOT NULL')}")
        for message in scene.messages:
            things = scene.apns.all(of(scene.token, lambda thing: thing["message"].get("messageId") == message))
            ids = {thing["id"] for thing in things}
            check(len(things) == times and len(ids) == 1, f"it comes {'once' if times == 1 else 'twice, under one id'}")
