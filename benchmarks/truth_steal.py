# Measures how many single real runs lie within their 95 % intervals where the machine's speed
# changes in steps that lapcast cannot see. It records sweeps of the candidates of `./demo --all`,
# about 12 minutes each; needs the workloads mnist-cnn and make-digits.
# Goal: 90 to 99 %, and an interval score of at most 1.5 times that of an oracle.
from truth.report import report_coverage

report_coverage("steal")
