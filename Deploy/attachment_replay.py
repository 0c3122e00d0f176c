"""A short chat that `parley-load replay` plays as its people, with real pictures: those that scikit-image is tested with."""

import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from attachment_parts import check
from checks import ROOT, Server

PACKAGE = "scikit-image==0.26.0"
PICTURES = f"{ROOT}/.build/checks/scikit-image-pictures-1"
PROGRAM = os.environ.get("PARLEY_LOAD_PROGRAM", f"{ROOT}/.build/debug/parley-load")
# Of which every twentieth has a picture, by chance; the seed makes it the same ones each time.
MESSAGES = 200
SEED = 17
NAMES = ["Ada", "Bob", "Cleo", "Dora"]
WORDS = "the boat leaves at seven who brings bread look how blue it was yesterday and nobody slept 🌊 ja schön".split()


def fetch():
    """Takes the photographs out of the package, of which nothing is installed."""
    if os.path.isdir(PICTURES):
        return
    os.makedirs(os.path.dirname(PICTURES), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(PICTURES)) as directory:
        # Of one version of Python, whichever runs this: the pictures are the same.
        options = ["-q", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11"]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, "-d", directory, PACKAGE], check=True)
        (wheel,) = glob.glob(f"{directory}/*.whl")
        os.mkdir(f"{directory}/pictures")
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if re.fullmatch(r"skimage/data/\w+\.(jpg|png)", name):
                    with open(f"{directory}/pictures/{os.path.basename(name)}", "wb") as file:
                        file.write(archive.read(name))
        shutil.move(f"{directory}/pictures", PICTURES)


def chat(path):
    dice = random.Random(SEED)
    with open(path, "w") as file:
        for number in range(MESSAGES):
            line = {
                "line": number,
                "at": f"2026-01-01T{12 + number // 60:02}:{number % 60:02}:00Z",
                "kind": "message",
                "sender": dice.choice(NAMES),
                "text": " ".join(dice.choices(WORDS, k=dice.randrange(1, 12))),
            }
            if number and dice.random() < 0.2:
                line["replyTo"] = dice.randrange(number)
            file.write(json.dumps(line) + "\n")


def replay():
    fetch()
    with Server("--limits", "off") as server:
        chat(f"{server.directory}/chat.jsonl")
        command = [PROGRAM, "replay", f"{server.directory}/chat.jsonl", "--pictures", PICTURES, "--server", server.url,
                   "--seed", str(SEED), "--journal", f"{server.directory}/journal.jsonl", "--listeners", "2"]
        ended = subprocess.run(command, capture_output=True, text=True)
    counts = [int(re.search(rf"^{what}.*? (\d+) ", ended.stdout, re.M)[1]) if what in ended.stdout else 0
              for what in ["pictures taken in", "pictures: there with their messages"]]
    why = "" if ended.returncode == 0 else f"{ended.stdout[-3000:]} {ended.stderr[-1000:]}"
    check(ended.returncode == 0, f"a chat of {MESSAGES} messages is played, and everything of it holds {why}")
    check(min(counts) > 0, f"{counts[0]} of them brought a real picture, and {counts[1]} were looked at")
