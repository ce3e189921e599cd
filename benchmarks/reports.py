# Measures of how many public bug reports and files of strangers lapcast makes the right thing.
#
# usage: ./bench reports DIR [CASE...]. Each folder of DIR is a case: its command.txt runs in a copy, with a
# store of its own, and the rule of benchmarks/reports_rules.py judges what was printed and stored: counts
# are exact, times, prices, memory and power within 20 %, and a reason is given where nothing can be said.
# A case without a rule, or whose library is missing, is named and not counted. It needs the frameworks'
# environment, $LAPCAST_FRAMEWORKS.
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import reports_rules
from common import frameworks_python

LONGEST_S = 900  # of one case, whose programs sleep or train for about a minute


def missing_library(case, python):
    """Returns the name of a library that the case needs and the environment lacks, or nothing."""
    needs = re.search(r"# needs: ([a-z, ]+)", (case / "command.txt").read_text())
    for name in re.findall(r"[a-z]+", needs.group(1)) if needs else []:
        if name != "on" and subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode:
            return name
    return None


def judge(case, folder, lapcast, python):
    """Runs a case in the folder; returns what is wrong in a line each."""
    shutil.copytree(case, folder, copy_function=shutil.copy)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755)
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    environment = dict(os.environ, HOME=str(home), LAPCAST_STORE=str(folder / "store.db"), LAPCAST=lapcast,
                       PATH=os.pathsep.join([str(pathlib.Path(lapcast).parent), str(pathlib.Path(python).parent),
                                             os.environ["PATH"]]))
    try:
        done = subprocess.run(["sh", "command.txt"], cwd=folder, env=environment, timeout=LONGEST_S,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return [f"not finished in {LONGEST_S} s"]
    answer = reports_rules.Answer(folder, lapcast, environment, done.stdout, done.stderr)
    try:
        reports_rules.RULES[case.name](answer)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        answer.wrong.append(f"what the rule reads is not there: {error!r}")
    return answer.wrong


def main():
    if len(sys.argv) < 3 or not pathlib.Path(sys.argv[2]).is_dir():
        print("usage: ./bench reports DIR [CASE...]   DIR has a folder with a command.txt for each case",
              file=sys.stderr)
        raise SystemExit(2)
    build, cases, chosen = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3:]
    python = frameworks_python("reports")
    right = judged = 0
    for case in sorted(path.parent for path in cases.glob("*/command.txt")):
        if chosen and case.name not in chosen:
            continue
        if case.name not in reports_rules.RULES:
            print(f"{case.name}: left out, it has no rule")
            continue
        if library := missing_library(case, python):
            print(f"{case.name}: left out, {library} is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            wrong = judge(case, pathlib.Path(folder) / case.name, str(build / "lapcast"), python)
        judged += 1
        right += not wrong
        print(f"{case.name}: {'wrong: ' + '; '.join(wrong) if wrong else 'right'}", flush=True)
    if not judged:
        print(f"reports: no case in {cases} was judged; a case is a folder with a command.txt", file=sys.stderr)
        raise SystemExit(3)
    print(f"of {judged} cases")
    print(f"reports: {right} cases right")


main()
