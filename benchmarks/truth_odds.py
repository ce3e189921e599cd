# Measures how often picks that rank calls 90 % sure or more are right. It judges the sweeps that
# truth-quiet, truth-neighbour and truth-steal have recorded; it records none.
# Goal: at least 90 %.
from truth.report import report_odds

report_odds()
