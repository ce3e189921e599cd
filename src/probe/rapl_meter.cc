#include "probe/rapl_meter.h"

#include <array>
#include <cmath>

#include "discover/system_cgroup.h"
#include "energy/power_series.h"
#include "machine/proc_text.h"
#include "posix/files.h"

namespace lapcast {

RaplMeter::RaplMeter(const std::string& root) {
  const std::string parent = root + "/sys/class/powercap";
  for (const std::string& zone : list_system_directory(parent)) {
    if (!zone.starts_with("intel-rapl:")) continue;
    const std::string folder = parent + "/" + zone + "/";
    const std::string name = read_system_line(folder + "name");
    if (!name.starts_with("package") && name != "dram") continue;
    const auto range = parse_integer(read_system_line(folder + "max_energy_range_uj"));
    counters_.push_back({folder + "energy_uj", range.value_or(0)});
  }
}

std::optional<std::int64_t> RaplMeter::milliwatts(MonotonicNs now) {
  double watts = 0;
  bool is_known = !counters_.empty() && now > last_ns_;
  const double seconds = from_ns(now - last_ns_).count();
  for (Counter& counter : counters_) {
    const std::int64_t count = parse_integer(read_system_line(counter.file)).value_or(-1);
    const std::array<CounterReading, 2> pair{CounterReading{0, counter.before},
                                             CounterReading{seconds, count}};
    counter.before = count;
    const PowerSeries power = power_of_counter(pair, {1e-6, counter.range});
    if (power.readings.empty())
      is_known = false;
    else
      watts += power.readings.front().watts;
  }
  last_ns_ = now;
  if (!is_known) return std::nullopt;
  return std::llround(watts * 1000);
}

}  // namespace lapcast
