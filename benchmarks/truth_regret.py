# Measures what rank's picks cost over the best candidate, above those of somebody who knew real
# runs. It judges the sweeps of truth-quiet, and records more of them where that is asked for.
# It needs the workloads mnist-cnn and make-digits.
# Goal: at most 1 point at the 90th percentile.
from truth.report import report_regret

report_regret()
