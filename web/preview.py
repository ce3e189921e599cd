#!/usr/bin/env python3
"""Makes a report page from a document, as `lapcast report` does, to look at templates and styles.

Usage: web/preview.py [-o FILE] [--plain] [DOCUMENT]      without DOCUMENT: web/sample.json
Plotly comes from the file that $LAPCAST_PLOTLY names: the Python wheel, or its plotly.min.js;
otherwise from build/plotly, where the set-up puts it. Without Plotly, or with --plain, charts are
plain SVG.
"""
import argparse
import array
import base64
import json
import os
import pathlib
import re
import sys
import zipfile
import zlib

WEB = pathlib.Path(__file__).resolve().parent



def deflated(data):
    """Returns the bytes as a raw deflate stream (RFC 1951) in base64."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return base64.b64encode(packer.compress(data) + packer.flush()).decode()


def packed(columns):
    """Returns a table of columns of integers as the page unpacks it: 64 bits, little-endian, bytes
    shuffled, deflated, base64."""
    count = len(next(iter(columns.values())))
    texts = {}
    for name, values in columns.items():
        numbers = array.array("q", map(int, values))
        if sys.byteorder == "big":
            numbers.byteswap()
        plain = numbers.tobytes()
        texts[name] = deflated(b"".join(plain[place::8] for place in range(8)))
    return {"count": count, "columns": texts}


def script_text():
    """Returns all scripts, sorted by their path."""
    files = sorted(WEB.glob("**/*.js"), key=lambda file: file.relative_to(WEB).as_posix())
    return "\n".join(file.read_text() for file in files)


def json_text(document):
    """Returns JSON that may stand within a script element."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    for sign in "<\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.encode("utf-8", "replace").decode()


def plotly_script():
    """Returns Plotly's JavaScript, or None where there is none."""
    wheels = sorted((WEB.parent / "build/plotly").glob("*.whl"))
    source = os.environ.get("LAPCAST_PLOTLY") or (str(wheels[-1]) if wheels else "")
    script = WEB.parent / "build/plotly/plotly.min.js"
    if source.endswith(".whl"):
        with zipfile.ZipFile(source) as wheel:
            return wheel.read("plotly/package_data/plotly.min.js")
    if source or script.exists():
        return pathlib.Path(source or script).read_bytes()
    return None


def page(document, plotly=None):
    """Returns the text of a page. plotly: Plotly's JavaScript as bytes, or None."""
    values = {"style": (WEB / "style.css").read_text(), "scripts": script_text(),
              "plotly": deflated(plotly) if plotly else "", "data": json_text(document)}
    template = (WEB / "page.html").read_text()
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("document", nargs="?", default=str(WEB / "sample.json"))
    parser.add_argument("-o", "--output", default="build/preview.html")
    parser.add_argument("--plain", action="store_true", help="without Plotly")
    options = parser.parse_args()
    document = json.loads(pathlib.Path(options.document).read_text())
    plotly = None if options.plain else plotly_script()
    if plotly is None and not options.plain:
        print("preview: no Plotly was found, so charts are plain SVG", file=sys.stderr)
    output = pathlib.Path(options.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(page(document, plotly))
    print(output.resolve().as_uri())


if __name__ == "__main__":
    main()
