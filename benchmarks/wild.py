# Measures on how many of the scripts of tests/wild the laps, epochs, validations and the plan are
# found without an option. Goal: at least 90 %.
#
# The tests themselves judge. A script whose library is missing does not count, and is named. It
# needs the frameworks' environment, $LAPCAST_FRAMEWORKS.
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from common import ROOT, frameworks_python, print_figure

frameworks_python("wild")
with tempfile.TemporaryDirectory() as folder:
    report = f"{folder}/report.xml"
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k",
                    "test_script", f"--junitxml={report}", str(ROOT / "tests/python/test_wild.py")],
                   stdout=subprocess.DEVNULL,
                   env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", LAPCAST_LONG_TESTS="1"))
    cases = xml.parse(report).getroot().iter("testcase")
    right, all_run = 0, 0
    for case in cases:
        script = re.search(r"\[(.*)\]", case.get("name")).group(1)
        skipped = case.find("skipped")
        if skipped is not None:
            print(f"{script}: left out, {skipped.get('message')}")
            continue
        wrong = case.find("failure") is not None or case.find("error") is not None
        all_run += 1
        right += not wrong
        print(f"{script}: {'wrong' if wrong else 'right'}")
print(f"{right} of {all_run} scripts")
print_figure("wild", 100 * right / max(1, all_run), "%")
