# Measures how many single real runs lie within their 95 % intervals beside a neighbour that uses
# one CPU half of the time. It records sweeps of the candidates of `./demo --all`, about 10 minutes
# each; needs the workloads mnist-cnn and make-digits.
# Goal: 90 to 99 %, and an interval score of at most 1.3 times that of an oracle.
from truth.report import report_coverage

report_coverage("neighbour")
