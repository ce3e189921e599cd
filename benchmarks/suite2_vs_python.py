# Measures the throughput of the suite's second part (text, retina, detection) relative to the same
# network in Python, in turn. Goal: 1.0 or more for the smallest.
#
# It needs the workloads. Both have the same batch, threads, samples and PyTorch, as for
# suite-vs-python; mask-rcnn is compared with torchvision where some Python has it, with that one's
# PyTorch. The last line is the smallest ratio against the better Python.
from peers import detection
from peers.plain_python import measure_suite, suite

measure_suite("suite2-vs-python",
              {name: one for name, one in suite.WORKLOADS.items() if one.second},
              {"mask-rcnn": detection.compare})
