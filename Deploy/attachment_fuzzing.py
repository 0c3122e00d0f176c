"""What parley-image makes of broken pictures: the program itself, with the rights that it has, is given the pictures of the
tests and so many that were changed at random, the same in each run. For hours `Deploy/fuzz-images` does this, by libFuzzer and
with sanitizers."""

import os
import random
import signal
import struct
import subprocess
import zlib
from concurrent.futures import ThreadPoolExecutor

from attachment_parts import check
from checks import ROOT

# By count, as time says nothing of what was tried: about 20 s on two cores.
RUNS = 600
MARK = b"PIM1"
# As long as the server waits, and then ends it.
PATIENCE = 20
# What it may take ends it by these, as it is meant to: how often is said.
LIMITS = {-signal.SIGXCPU, -signal.SIGKILL}
MADE, UNSUPPORTED, UNREADABLE = range(3)
BEGINNINGS = {1: b"\xff\xd8\xff", 2: b"\x89PNG\r\n\x1a\n", 3: b"RIFF"}
NUMBERS = [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


def fault(answer):
    """What is wrong with an answer; nothing where a server would take it."""
    if answer[:4] != MARK:
        return "it does not say that it is there"
    if len(answer) < 24:
        return "its answer is cut short"
    verdict, kind, small_kind, hash_length, width, height, length, small = struct.unpack(">4B4I", answer[4:24])
    if verdict in (UNSUPPORTED, UNREADABLE):
        return None if len(answer) == 24 else "it refuses a picture, and says more"
    if verdict != MADE:
        return f"its verdict is {verdict}"
    if len(answer) != 24 + hash_length + length + small:
        return "its answer has another length than it says"
    pictures = answer[24 + hash_length :]
    if not (1 <= width <= 1_920 and 1 <= height <= 1_920 and 6 <= hash_length <= 40):
        return f"its picture is {width} by {height}, with a hash of {hash_length} characters"
    for number, content in [(kind, pictures[:length]), (small_kind, pictures[length:])]:
        if number not in BEGINNINGS or not content.startswith(BEGINNINGS[number]):
            return "what it has made is none of its pictures"
    return None


def run(program, content):
    """What is wrong, or None; and what became of the picture: MADE and the like, or None where a limit has ended it."""
    process = subprocess.Popen([program], env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        answer, _ = process.communicate(MARK + struct.pack(">I", len(content)) + content, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    if process.returncode in LIMITS:
        return None, None
    if process.returncode < 0:
        return f"it is ended by {signal.Signals(-process.returncode).name}", UNREADABLE
    if process.returncode:
        return f"it ends with {process.returncode}", UNREADABLE
    what = fault(answer)
    return what, UNREADABLE if what else answer[4]


def mended(content):
    """A PNG whose check sums are right again: else most changes of one would be found out by those alone."""
    if not content.startswith(BEGINNINGS[2]):
        return content
    out, place = bytearray(content), 8
    while place + 12 <= len(out):
        (length,) = struct.unpack(">I", out[place : place + 4])
        end = place + 8 + length
        if end + 4 > len(out):
            break
        out[end : end + 4] = struct.pack(">I", zlib.crc32(out[place + 4 : end]))
        place = end + 4
    return bytes(out)


def changed(pictures, number):
    """One of the pictures, and what is made of it: the same for each number."""
    dice = random.Random(number)
    name = dice.choice(sorted(pictures))
    out = bytearray(pictures[name])
    for _ in range(dice.choice([1, 1, 2, 4, 8])):
        place = dice.randrange(len(out))
        match dice.randrange(6):
            case 0:
                out[place] ^= 1 << dice.randrange(8)
            case 1:
                out[place] = dice.choice([0, 1, 0x7F, 0x80, 0xFE, 0xFF])
            case 2:
                size, order = dice.choice([2, 4]), dice.choice(["big", "little"])
                value = dice.choice(NUMBERS) % (1 << 8 * size)
                out[place : place + size] = value.to_bytes(size, order)
            case 3:
                del out[place : place + dice.randrange(1, 64)]
            case 4:
                out[place:place] = out[place : place + dice.randrange(1, 256)]
            case 5:
                other = pictures[dice.choice(sorted(pictures))]
                start = dice.randrange(len(other))
                out[place:place] = other[start : start + dice.randrange(1, 256)]
        # Something is left to be changed.
        if not out:
            out = bytearray(pictures[name])
    return name, mended(bytes(out)) if dice.randrange(4) else bytes(out)


def fuzz(program, directory, refused):
    corpus = {}
    for name in sorted(os.listdir(directory)):
        with open(f"{directory}/{name}", "rb") as file:
            corpus[name] = file.read()
    # Those that are made to take all that there is take it in most of their changes, too: the long run has them.
    seeds = {name: content for name, content in corpus.items() if name not in refused}
    cases = list(corpus.items()) + [changed(seeds, number) for number in range(RUNS)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(lambda case: run(program, case[1]), cases))
    faults = []
    for number, ((name, content), (what, _)) in enumerate(zip(cases, results)):
        if what is None:
            continue
        path = f"{ROOT}/.build/fuzz/found-{number}-{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        faults.append(f"{path}: {what}")
    made, ended = (sum(verdict == kind for _, verdict in results) for kind in [MADE, None])
    check(not faults, f"{len(corpus)} pictures and {RUNS} broken ones do nothing to what makes pictures {faults or ''}")
    # Where no broken one was made, or many ran into a limit, the decoders were hardly tried.
    check(made > len(seeds) and ended * 10 < len(cases), f"and they are decoded: {made} are made, {ended} are ended by a limit")
