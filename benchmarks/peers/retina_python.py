"""Prepares photographs of the retina in Python, for `./bench retina-vs-peers`.

retina_python.py opencv|libvips IN OUT: each line of stdin asks for all photographs once; the
answer is photographs a second. retina_python.py compare OURS THEIRS prints by how many grey levels
the prepared pictures of two folders differ: median and largest of the pictures' means.
"""

import importlib
import pathlib
import sys
import time

SIDE, BACKGROUND, QUALITY = 256, 20, 95


class OpenCv:
    """Prepares as people write it: the whole photograph is decoded."""

    def __init__(self):
        self.cv2 = importlib.import_module("cv2")
        self.cv2.setNumThreads(1)
        self.version = self.cv2.__version__

    def find_eye(self, photo):
        """Returns the smallest circle around the largest bright region."""
        cv2 = self.cv2
        grey = cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY)
        _, mask = cv2.threshold(grey, BACKGROUND, 255, cv2.THRESH_BINARY)
        regions, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        (x, y), radius = cv2.minEnclosingCircle(max(regions, key=cv2.contourArea))
        return round(x), round(y), round(radius)

    def prepare(self, file, out):
        cv2 = self.cv2
        photo = cv2.imread(file)
        x, y, radius = self.find_eye(photo)
        height, width = photo.shape[:2]
        left, top, right, bottom = x - radius, y - radius, x + radius, y + radius
        square = cv2.copyMakeBorder(
            photo[max(0, top):bottom, max(0, left):right], max(0, -top), max(0, bottom - height),
            max(0, -left), max(0, right - width), cv2.BORDER_CONSTANT)
        small = cv2.resize(square, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        _, jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        with open(out, "wb") as to:
            to.write(jpeg)


class LibVips:
    """Lets the decoder reduce by 4 and finds the field's borders; no cache serves later rounds."""

    def __init__(self):
        self.pyvips = importlib.import_module("pyvips")
        self.pyvips.cache_set_max(0)
        self.version = ".".join(str(self.pyvips.version(part)) for part in range(3))

    def find_eye(self, photo):
        """Returns left, top, width and height of the columns and rows with three bright pixels and
        more; find_trim of all colours takes seven times as long."""
        sums = (photo[1] > BACKGROUND).project()
        columns, rows = (line >= 3 * 255 for line in sums)
        left, right = (line.profile()[1](0, 0)[0] for line in (columns, columns.fliphor()))
        top, bottom = (line.profile()[0](0, 0)[0] for line in (rows, rows.flipver()))
        return left, top, photo.width - left - right, photo.height - top - bottom

    def prepare(self, file, out):
        photo = self.pyvips.Image.jpegload(file, shrink=4).copy_memory()
        left, top, width, height = self.find_eye(photo)
        side = max(width, height)
        square = photo.crop(left, top, width, height).gravity("centre", side, side)
        small = square.thumbnail_image(SIDE, height=SIDE, size="force")
        small.jpegsave(out, Q=QUALITY, subsample_mode="on", strip=True)


def serve(peer, folder, out):
    files = sorted(pathlib.Path(folder).glob("*.jpeg"))
    print(peer.version, flush=True)
    for _ in sys.stdin:
        begin = time.perf_counter()
        for file in files:
            peer.prepare(str(file), f"{out}/{file.name}")
        print(len(files) / (time.perf_counter() - begin), flush=True)


def compare(ours, theirs):
    import cv2
    import numpy

    means = []
    for file in sorted(pathlib.Path(ours).glob("*.jpeg")):
        a, b = (cv2.imread(str(folder / file.name)).astype(numpy.int16)
                for folder in (pathlib.Path(ours), pathlib.Path(theirs)))
        means.append(numpy.abs(a - b).mean())
    print(numpy.median(means), max(means))


if sys.argv[1] == "compare":
    compare(*sys.argv[2:])
else:
    serve({"opencv": OpenCv, "libvips": LibVips}[sys.argv[1]](), *sys.argv[2:])
