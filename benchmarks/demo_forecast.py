# Measures the median absolute forecast error on the demo's matrix.
# It needs the workloads mnist-cnn and make-digits. Goal: at most 3 %.
import statistics
import sys

from common import print_figure, run_demo, settings_text

rows = run_demo(sys.argv[1])
for row in rows:
    print(f"{row['machine_type']:14} {settings_text(row['settings']):10} forecast {float(row['forecast_s']):8.3f} s"
          f"  real {float(row['real_s']):8.3f} s  error {100 * float(row['error']):+6.2f} %"
          f"  {'inside' if row['inside'] else 'OUTSIDE'} its 95 % interval")
errors = [abs(float(row["error"])) for row in rows]
print(f"{len(rows)} candidates, largest error {100 * max(errors):.1f} %, "
      f"{sum(bool(row['inside']) for row in rows)} inside their intervals")
print_figure("demo-forecast", 100 * statistics.median(errors), "%")
