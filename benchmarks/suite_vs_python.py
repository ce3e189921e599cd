# Measures every workload's training throughput relative to the same network in Python, in turn.
# Goal: 0.97 or more for the smallest.
#
# It needs the workloads. Both have the same batch, threads, samples and PyTorch; Python uses a
# DataLoader over tensors, once as users run it and once with malloc configured as in
# common/memory.h. The laps after a warm-up are timed. The last line is the smallest ratio against
# the better Python.
from peers.plain_python import measure_suite, suite

measure_suite("suite-vs-python",
              {name: one for name, one in suite.WORKLOADS.items() if not one.second})
