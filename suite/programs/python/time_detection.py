"""Searches a picture with torchvision's Mask R-CNN when asked.

    time_detection.py WEIGHTS --threads N

Writes random weights for the program mask-rcnn to WEIGHTS, and prints a line. Then the first line of
stdin names a file of `mask-rcnn --write-result` with the picture; after each further line it searches
the picture that many times, and prints the seconds of one search.
"""

import argparse
import sys
import time

import torch
from compare_detection import network


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    model = network(101)
    torch.save(model.state_dict(), options.weights)
    print(torch.__version__, flush=True)
    picture = torch.load(sys.stdin.readline().strip())["picture"]
    with torch.no_grad():
        model([picture])
        for line in sys.stdin:
            begin = time.perf_counter()
            for _ in range(int(line)):
                model([picture])
            print((time.perf_counter() - begin) / int(line), flush=True)


if __name__ == "__main__":
    main()
