# Measures the larger of the regrets by cost and by time, worst of 3 demos (or of the given number).
# It needs the workloads mnist-cnn and make-digits. Goal: at most 2 %.
#
# The regret of a demo compares its picks with its own full runs, one per candidate. When the same
# run differs much from demo to demo, the regret is mostly the luck of these runs. The loss of the
# same picks by the median run of each candidate over all demos is therefore printed too.
import statistics
import sys

from common import print_figure, regret, run_demo, settings_text

demos = [run_demo(sys.argv[1]) for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 3)]
worst = 0.0
for number, rows in enumerate(demos, 1):
    by_cost, cheapest = regret(rows, "forecast_cost_usd", "real_cost_usd")
    by_time, fastest = regret(rows, "forecast_s", "real_s")
    worst = max(worst, by_cost, by_time)
    print(f"demo {number}: regret by cost {100 * by_cost:.2f} % ({cheapest['machine_type']} "
          f"{settings_text(cheapest['settings'])}), by time {100 * by_time:.2f} % ({fastest['machine_type']} "
          f"{settings_text(fastest['settings'])})")


def against_medians(forecast, real):
    """Returns the worst regret of the picks when each candidate has its median time over the
    demos."""
    typical = [dict(row, **{real: statistics.median(float(demo[i][real]) for demo in demos)})
               for i, row in enumerate(demos[0])]
    best = min(row[real] for row in typical)
    picks = [min(range(len(demo)), key=lambda i: float(demo[i][forecast])) for demo in demos]
    return max(typical[pick][real] / best - 1 for pick in picks)


print(f"the same picks against the median run of each candidate: by cost at most "
      f"{100 * against_medians('forecast_cost_usd', 'real_cost_usd'):.2f} %, by time at most "
      f"{100 * against_medians('forecast_s', 'real_s'):.2f} %")
spreads = []
for candidate in zip(*demos):
    times = [float(row["real_s"]) for row in candidate]
    if len(times) > 1:
        spreads.append(statistics.stdev(times) / statistics.mean(times))
if spreads:
    print(f"spread of the same full run between demos: median {100 * statistics.median(spreads):.2f}"
          f" %, largest {100 * max(spreads):.2f} % (standard deviation)")
print_figure("demo-regret", 100 * worst, "%")
