"""Runs a command and prints the peak memory, in MiB, of its largest ended process as the last line
of stderr. It is a process of its own because that figure covers all children of a process."""

import resource
import subprocess
import sys

code = subprocess.run(sys.argv[1:], check=False).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr)
sys.exit(code)
