"""Runs the cases of a script, functions named `case_NAME`, each in a process of its own that begins with what the
script has imported. Prints the name and the process of each."""
import atexit
import os
import traceback

LENGTHS = (30, 20, 25, 40, 35, 60, 50)  # of the longest sample of each batch of four


def run_cases(variables):
    for name, case in list(variables.items()):
        if not name.startswith("case_"):
            continue
        child = os.fork()
        if child == 0:
            print(name.removeprefix("case_"), os.getpid(), flush=True)
            try:
                case()
            except BaseException:
                traceback.print_exc()
            atexit._run_exitfuncs()
            os._exit(0)
        os.waitpid(child, 0)
