#include "run/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "price/offer.h"

namespace lapcast {
namespace {

constexpr std::int64_t kMostCount = std::int64_t{1} << 60;  // as of command line options
constexpr double kMostSeconds = 100 * 365.25 * 86400;
constexpr MonotonicNs kMostNs = 3'155'760'000'000'000'000;  // 100 years
constexpr int kMostCpus = 1 << 20;
constexpr std::size_t kMostNameBytes = 1000;
constexpr std::size_t kMostTextBytes = 1 << 20;   // of an argument, a variable, a warning
constexpr std::size_t kMostTotalBytes = 8 << 20;  // of a list of them
constexpr std::size_t kMostItems = 100'000;       // of a list

bool is_time(Seconds time) {
  return time.count() >= 0 && time.count() <= kMostSeconds;
}
bool is_count(std::int64_t count) {
  return count >= 0 && count <= kMostCount;
}

bool is_name(const std::string& text) {
  return text.size() <= kMostNameBytes && text.find('\0') == std::string::npos;
}

/// Returns whether a program can be given a text: it has no NUL and is no longer than systems
/// allow.
bool can_be_passed(const std::vector<std::string>& texts) {
  std::size_t total = 0;
  for (const std::string& text : texts) {
    total += text.size();
    if (text.size() > kMostTextBytes || text.find('\0') != std::string::npos) return false;
  }
  return total <= kMostTotalBytes && texts.size() <= kMostItems;
}

bool can_be_passed(const std::map<std::string, std::string>& map) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : map) texts.insert(texts.end(), {key, value});
  return can_be_passed(texts);
}

/// Returns whether numbers of CPUs ascend, so that none occurs twice.
bool is_cpu_list(const std::vector<int>& cpus) {
  const auto is_cpu = [](int cpu) { return cpu >= 0 && cpu < kMostCpus; };
  return std::all_of(cpus.begin(), cpus.end(), is_cpu) &&
         std::adjacent_find(cpus.begin(), cpus.end(), std::greater_equal<>()) == cpus.end();
}

/// Returns whether a text is a time such as "2026-11-20T12:00:00Z", from 1970 to tomorrow.
bool is_past_time(std::string_view text, Date today) {
  const auto is_digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
  const auto number = [&](std::size_t at) {
    const bool digits = is_digit(at) && is_digit(at + 1);
    return digits ? (text[at] - '0') * 10 + (text[at + 1] - '0') : 100;
  };
  if (text.size() != 20 || text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[19] != 'Z')
    return false;
  const std::string_view date = text.substr(0, 10);
  return parse_date(date) && !is_future(date, today) && number(11) < 24 && number(14) < 60 &&
         number(17) <= 60;
}

/// Replaces impossible values and collects what is wrong with them.
class Repair {
 public:
  /// Replaces a value that cannot be true by `instead`.
  template <class T>
  void keep_if(bool plausible, const std::string& name, const std::string& what, T& value,
               T instead = {}) {
    if (plausible) return;
    odd_.push_back(fmt::format("{} {}", name, what));
    value = std::move(instead);
  }
  void name(const std::string& name, std::string& text) {
    keep_if(is_name(text), name, "is longer than 1000 bytes or holds a NUL byte", text);
  }
  template <class T>
  void count(const std::string& name, T& number) {
    keep_if(number >= 0, name, "is negative", number);
    keep_if(number <= kMostCount, name, "is above 2^60", number);
  }
  void time(const std::string& name, Seconds& time) {
    keep_if(is_time(time), name, "is not between 0 and 100 years", time);
  }
  /// Removes the impossible items of a list, and those beyond kMostItems.
  template <class T, class Plausible>
  void items(const std::string& name, const char* what, std::vector<T>& list, Plausible plausible) {
    const std::size_t before = list.size();
    std::erase_if(list, [&](const T& item) { return !plausible(item); });
    if (list.size() != before) odd_.push_back(fmt::format("{} {}", name, what));
    if (list.size() <= kMostItems) return;
    odd_.push_back(fmt::format("{} has more than {} items", name, kMostItems));
    list.resize(kMostItems);
  }
  std::vector<std::string> take() { return std::move(odd_); }

 private:
  std::vector<std::string> odd_;
};

void repair_plan(Repair& repair, TrainingPlan& plan) {
  repair.count("plan.epochs", plan.epochs);
  repair.count("plan.steps", plan.steps);
  repair.count("plan.training_samples", plan.training_samples);
  repair.count("plan.validation_samples", plan.validation_samples);
  repair.count("plan.validate_every", plan.validate_every);
  repair.count("plan.validate_from", plan.validate_from);
}

void repair_machine_type(Repair& repair, MachineType& type) {
  repair.name("machine_type.name", type.name);
  repair.keep_if(is_cpu_list(type.cpus), "machine_type.cpus", "is not an ascending list of CPUs",
                 type.cpus);
  const double quota = type.cpu_quota.value_or(1);
  repair.keep_if(quota > 0 && quota <= kMostCpus, "machine_type.cpu_quota",
                 "is not above 0 and at most 2^20", type.cpu_quota);
  repair.keep_if(can_be_passed(type.environment), "machine_type.environment",
                 "is too long or holds a NUL byte", type.environment);
}

bool can_be(const GpuSetUp& gpu) {
  return is_count(gpu.power_limit_mw) && is_count(gpu.top_clock_mhz) && is_name(gpu.ecc) &&
         is_name(gpu.mig) && is_name(gpu.pcie) && is_name(gpu.compute_mode);
}

void repair_machine(Repair& repair, const std::string& at, MachineDescription& machine) {
  repair.name(at + "host", machine.host);
  repair.name(at + "os", machine.os);
  repair.name(at + "cpu_model", machine.cpu_model);
  repair.name(at + "architecture", machine.architecture);
  repair.name(at + "isa", machine.isa);
  repair.name(at + "hypervisor", machine.hypervisor);
  repair.name(at + "boot_id", machine.boot_id);
  repair.count(at + "sockets", machine.sockets);
  repair.count(at + "cores", machine.cores);
  repair.count(at + "threads", machine.threads);
  repair.keep_if(is_cpu_list(machine.allowed_cpus), at + "allowed_cpus",
                 "is not an ascending list of CPUs", machine.allowed_cpus);
  repair.keep_if(machine.max_clock_ghz >= 0 && machine.max_clock_ghz <= 1000, at + "max_clock_ghz",
                 "is not between 0 and 1000", machine.max_clock_ghz);
  repair.count(at + "l3_cache_bytes", machine.l3_cache_bytes);
  repair.count(at + "memory_bytes", machine.memory_bytes);
  repair.count(at + "available_memory_bytes", machine.available_memory_bytes);
  repair.count(at + "cgroup_version", machine.cgroup_version);
  const double limit = machine.cpu_limit.value_or(1);
  repair.keep_if(limit > 0 && limit <= kMostCpus, at + "cpu_limit",
                 "is not above 0 and at most 2^20", machine.cpu_limit);
  // Version 1 of control groups says "no limit" with a number near 2^63.
  repair.keep_if(machine.memory_limit_bytes.value_or(0) >= 0, at + "memory_limit_bytes",
                 "is negative", machine.memory_limit_bytes);
  repair.items(at + "accelerators", "has one that cannot be", machine.accelerators,
               [](const Accelerator& a) {
                 return is_name(a.vendor) && is_name(a.model) && is_name(a.driver) &&
                        is_name(a.cores) && is_name(a.compute_capability) && is_name(a.cuda) &&
                        is_count(a.memory_bytes) && is_count(a.cuda_cores) &&
                        (!a.set_up || can_be(*a.set_up));
               });
  if (machine.allocators)
    repair.items(at + "allocators", "has a path longer than 1000 bytes", *machine.allocators,
                 is_name);
  repair.items(at + "missing", "has a line longer than 1000 bytes", machine.missing, is_name);
}

void repair_context(Repair& repair, RunContext& context, Date today) {
  repair.keep_if(context.sweep.empty() || is_run_id(context.sweep), "sweep", "is not an id",
                 context.sweep);
  repair.keep_if(can_be_passed(context.program), "program", "is too long or holds a NUL byte",
                 context.program, {"unknown"});
  repair.keep_if(can_be_passed(context.settings), "settings", "is too long or holds a NUL byte",
                 context.settings);
  repair.keep_if(can_be_passed(std::vector{context.working_dir}), "working_dir",
                 "is too long or holds a NUL byte", context.working_dir);
  repair_machine_type(repair, context.machine_type);
  repair.name("place", context.place);
  repair.name("offer", context.offer);
  const auto problem = context.price ? why_not_valid(*context.price, today) : std::nullopt;
  repair.keep_if(!problem, "price", problem ? "cannot be: " + problem->text : "", context.price);
  repair_plan(repair, context.plan);
  repair.count("patience", context.patience);
  repair.name("metric", context.metric);
  repair.keep_if(is_name(context.start_id.value_or("")), "start_id",
                 "is longer than 1000 bytes or holds a NUL byte", context.start_id);
  repair.keep_if(
      context.started_at.empty() || is_past_time(context.started_at, today), "started_at",
      "is not a time between 1970 and tomorrow such as 2026-11-20T12:00:00Z", context.started_at);
  repair.name("lapcast_version", context.lapcast_version);
  repair_machine(repair, "machine.", context.machine);
  repair.name("imported_from", context.imported_from);
}

/// Returns the time of the last event in the lap logs, as far as they are on the run's clock.
MonotonicNs end_of_laps(const Run& run) {
  Run under_way;
  under_way.started_ns = run.started_ns;
  under_way.ended_ns = run.started_ns - 1;  // has no end yet
  under_way.lap_logs = run.lap_logs;
  const MonotonicNs length = std::clamp<MonotonicNs>(laps_of(under_way)->last_ns, 0, kMostNs);
  return std::min(run.started_ns + length, kMostClockNs);
}

bool is_in_order(const std::vector<Pause>& pauses, MonotonicNs begin, MonotonicNs end) {
  MonotonicNs paused = 0;
  MonotonicNs last = begin;
  for (const Pause& pause : pauses) {
    if (pause.begin_ns < last || pause.end_ns < pause.begin_ns || pause.end_ns > end) return false;
    last = pause.end_ns;
    paused += pause.end_ns - pause.begin_ns;
  }
  return pauses.empty() || paused < end - begin;
}

void repair_times(Repair& repair, Run& run) {
  if (run.ended_ns < run.started_ns || run.ended_ns - run.started_ns > kMostNs)
    repair.keep_if(false, "ended_ns", "is not within 100 years after started_ns", run.ended_ns,
                   end_of_laps(run));
  const auto is_within = [&](MonotonicNs at) { return at >= run.started_ns && at <= run.ended_ns; };
  repair.keep_if(!run.stop_sent_ns || is_within(*run.stop_sent_ns), "stop_sent_ns",
                 "is not between start and end", run.stop_sent_ns);
  repair.keep_if(
      run.pauses.size() <= kMostItems && is_in_order(run.pauses, run.started_ns, run.ended_ns),
      "pauses", "are not in order within the run, or are all of it", run.pauses);
}

void repair_usage(Repair& repair, Usage& usage) {
  const auto is_cpu_time = [](Seconds time) {
    return time.count() >= 0 && time.count() <= kMostSeconds * kMostCpus;
  };
  repair.keep_if(is_cpu_time(usage.user), "usage.user_s", "is negative or too long", usage.user);
  repair.keep_if(is_cpu_time(usage.system), "usage.system_s", "is negative or too long",
                 usage.system);
  repair.count("usage.peak_rss_bytes", usage.peak_rss_bytes);
  repair.count("usage.minor_faults", usage.minor_faults);
}

bool is_forecast(const ForecastMoment& moment) {
  const Interval<Seconds>& total = moment.total;
  return is_time(moment.elapsed) && total.low.count() >= 0 && total.low <= total.mid &&
         total.mid <= total.high && std::isfinite(total.high.count());
}

void repair_outcome(Repair& repair, Outcome& outcome) {
  if (auto* crash = std::get_if<outcome::Crashed>(&outcome)) {
    repair.keep_if(crash->exit_status >= 0 && crash->exit_status <= 255, "outcome.exit_status",
                   "is not between 0 and 255", crash->exit_status);
    repair.keep_if(crash->signal >= 0 && crash->signal <= 128, "outcome.signal",
                   "is not between 0 and 128", crash->signal);
  }
  repair.keep_if(describe(outcome).size() <= kMostTextBytes, "outcome", "is too long", outcome,
                 Outcome{outcome::NoLaps{"not known"}});
}

}  // namespace

std::vector<std::string> repair(Run& run, Date today) {
  Repair repair;
  repair_context(repair, run.context, today);
  repair_outcome(repair, run.outcome);
  repair_times(repair, run);
  repair_usage(repair, run.usage);
  repair.items("warnings", "has one that is too long", run.warnings,
               [](const std::string& text) { return text.size() <= kMostTextBytes; });
  repair.items("forecasts", "has one that is not low <= mid <= high after a time", run.forecasts,
               is_forecast);
  repair.items("preparation", "has a step of a time or size that cannot be", run.preparation,
               [](const PreparationStep& step) {
                 return is_name(step.what) && is_time(step.time) && is_count(step.bytes);
               });
  return repair.take();
}

std::vector<std::string> repair(MachineDescription& machine) {
  Repair repair;
  repair_machine(repair, "", machine);
  return repair.take();
}

void repair_measured(Run& run, Date today) {
  for (const std::string& odd : repair(run, today))
    run.warnings.push_back(odd + ": taken as not known");
}

}  // namespace lapcast
