# Measures how many single real runs lie within their 95 % intervals while nothing else runs. It
# records sweeps of the candidates of `./demo --all` with five real runs of each, about 20 minutes
# a sweep. It needs the workloads mnist-cnn and make-digits.
# Goal: 90 to 99 %, and an interval score of at most 1.3 times that of an oracle.
from truth.report import report_coverage

report_coverage("quiet")
