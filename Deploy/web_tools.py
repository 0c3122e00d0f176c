"""What drives the web client: Playwright and its neighbours from PyPI, in an environment of their own."""

import os
import subprocess
import sys

from checks import ROOT

PACKAGES = [
    "pytest==9.2.0", "pytest-xdist==3.8.0", "pytest-rerunfailures==16.7", "pytest-timeout==2.4.0",
    "playwright==1.65.2", "axe-playwright-python==0.1.8"]
NAME = "web-" + "-".join(package.split("==")[1] for package in PACKAGES)
TOOLS = os.environ.get("PARLEY_WEB_TOOLS", f"{ROOT}/.build/checks/{NAME}")


def use():
    """Goes on as the Python that has Playwright, which is installed where it is missing."""
    if sys.prefix == TOOLS:
        return
    if not os.path.exists(f"{TOOLS}/bin/pytest"):
        subprocess.run([sys.executable, "-m", "venv", TOOLS], check=True)
        subprocess.run([f"{TOOLS}/bin/pip", "install", "-q", *PACKAGES], check=True)
    os.execv(f"{TOOLS}/bin/python", [f"{TOOLS}/bin/python", os.path.abspath(sys.argv[0]), *sys.argv[1:]])
