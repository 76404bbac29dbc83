#!/usr/bin/env python3
"""Runs the tests of Ray in a process of their own and says how that process ended.

    test_ray.py LOG TEST_FILE...

Ray's client is native code with threads of its own: if it ends the process, no test's report tells. So the whole
output goes to LOG as well, Python prints its stack on a signal, and after an end that is no verdict of pytest's this
prints the signal and the last lines of Ray's own logs. Any end but 0 is a failure.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> int:
    log = Path(sys.argv[1])
    log.parent.mkdir(parents=True, exist_ok=True)
    # A short path: Ray makes sockets there, whose names may have 107 bytes.
    with tempfile.TemporaryDirectory(prefix="ray-") as folder, log.open("wb") as out:
        with subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", "pytest", "-q", "-p", "no:xdist", *sys.argv[2:]],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "RAY_TMPDIR": folder},
        ) as child:
            for line in child.stdout:
                out.write(line)
                sys.stdout.buffer.write(line)
                sys.stdout.flush()
            status = child.wait()
        if status in (0, 1):  # the tests passed, or some failed
            return status
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        print(f"== the process of Ray's tests ended by {name}; Ray's logs, the newest last:")
        for path in sorted(Path(folder).glob("session_2*/logs/*"), key=lambda path: path.stat().st_mtime)[-8:]:
            lines = path.read_text(errors="replace").splitlines()[-20:] if path.is_file() else []
            if lines:
                print(f"-- {path.name}", *lines, sep="\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
