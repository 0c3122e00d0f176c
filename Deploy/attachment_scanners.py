"""What looks at files: ClamAV's daemon with two signatures of its own, or a stand-in where it is not installed."""

import hashlib
import os
import shutil
import socketserver
import struct
import subprocess
import tempfile
import threading

from checks import free_port, wait_for_port

# Found wherever they are, in an archive, too; and a file that is these bytes and no others.
WORD = b"parley-looks-for-this-word"
FILE = b"a file that is known as a whole, by its length and its digest"


class ClamAV:
    """The daemon, which reads signatures from a directory of its own and asks nobody else."""

    MOST = 4 << 20

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="parley-clamav-")
        os.mkdir(f"{self.directory}/signatures")
        with open(f"{self.directory}/signatures/parley.ndb", "w") as file:
            file.write(f"Parley.Test.Word:0:*:{WORD.hex()}\n")
        with open(f"{self.directory}/signatures/parley.hdb", "w") as file:
            file.write(f"{hashlib.md5(FILE).hexdigest()}:{len(FILE)}:Parley.Test.File\n")
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        with open(f"{self.directory}/clamd.conf", "w") as file:
            file.write(f"TCPAddr 127.0.0.1\nTCPSocket {port}\nDatabaseDirectory {self.directory}/signatures\n"
                       f"StreamMaxLength {self.MOST}\nForeground yes\n")
        self.process = subprocess.Popen([self.program(), "-c", f"{self.directory}/clamd.conf"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(port, self.process, "clamd")

    @staticmethod
    def program():
        return shutil.which("clamd", path=os.environ.get("PATH", "") + ":/usr/sbin")

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory)


class StandIn(socketserver.ThreadingTCPServer):
    """Speaks ClamAV's INSTREAM, and finds the same."""

    MOST = None
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.address = f"127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            command = b""
            while not command.endswith(b"\0"):
                byte = self.rfile.read(1)
                if not byte:
                    return
                command += byte
            if command == b"zPING\0":
                return self.wfile.write(b"PONG\0")
            content = b""
            while (size := struct.unpack(">I", self.rfile.read(4))[0]) > 0:
                content += self.rfile.read(size)
            self.wfile.write(b"stream: Parley.Test FOUND\0" if WORD in content or content == FILE else b"stream: OK\0")


def scanner():
    if ClamAV.program():
        return ClamAV()
    print("  ClamAV is not installed: a stand-in speaks its protocol")
    return StandIn()
