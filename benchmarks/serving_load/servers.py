"""``ferryman serve`` in a process of its own, watched from outside."""

import os
import subprocess
import sys
import threading
from pathlib import Path


class ServerProcess:
    """A server that runs while the block does."""

    def __init__(self, model: Path, settings: list[str]) -> None:
        self.command = [sys.executable, "-m", "ferryman", "serve", str(model), "--port", "0", *settings]
        self.address = ("", 0)

    def __enter__(self) -> "ServerProcess":
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if "listening at" in line:
                host, _, port = line.split()[2].removeprefix("http://").rpartition(":")
                self.address = (host, int(port))
                break
        else:
            raise RuntimeError("the server did not start")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()  # so that its log never stops it
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(90)

    def figure(self, name: str) -> int:
        """Read a figure of the process, such as VmRSS (in kilobytes) or Threads; 0 where there are none."""
        try:
            lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8").splitlines()
        except OSError:
            return 0
        return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)

    def cpu_seconds(self) -> float:
        """Tell how long processors have worked for it; 0 where that cannot be told."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
