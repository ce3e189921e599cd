#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lap/lap_log_format.h"
#include "lap/lap_log_reader.h"
#include "lap/slow_rank.h"

namespace lapcast {
namespace {

using LogOfRank = std::map<std::int32_t, const LapLog*>;

bool has_laps(const LapLog* log) {
  return log->hello && !log->laps.empty();
}

/// Returns whether lapcast made the log from what the program printed.
bool is_of_output(const LapLog& log) {
  return log.hello && log.hello->emitter.starts_with("lapcast-output/");
}

/// Returns whether a log is a better source for its rank than another one: it has more laps. Laps
/// that the program reports are preferred to those from its output.
bool says_more(const LapLog& log, const LapLog& other) {
  if (!log.laps.empty() && !other.laps.empty() && is_of_output(log) != is_of_output(other))
    return is_of_output(other);
  return log.laps.size() > other.laps.size();
}

/// Returns one log for each rank that said hello: of several the best source, or the first of equal
/// ones. If any log has laps, those without (of a launcher, a notebook server) are left out.
LogOfRank choose_logs(std::span<const LapLog* const> logs) {
  LogOfRank chosen;
  const bool any_laps = std::any_of(logs.begin(), logs.end(), has_laps);
  for (const LapLog* log : logs) {
    if (!log->hello || (any_laps && log->laps.empty())) continue;
    const LapLog*& best = chosen[log->hello->rank];
    if (best == nullptr || says_more(*log, *best)) best = log;
  }
  return chosen;
}

std::vector<const LapLog*> logs_of(const LogOfRank& chosen) {
  std::vector<const LapLog*> logs;
  for (const auto& [rank, log] : chosen) logs.push_back(log);
  return logs;
}

std::int64_t ns_between(const Hello& from, const Hello& to) {
  if (from.host == to.host) return to.clock_ns - from.clock_ns;
  return static_cast<std::int64_t>((to.wall_seconds - from.wall_seconds) * 1e9);
}

/// Holds a log and what is added to its times to get those of the merged log.
struct Shifted {
  const LapLog* log;
  std::int64_t shift_ns;
};

/// Returns the logs with their shifts, lowest rank first; the earliest hello is at time 0.
std::vector<Shifted> align(const LogOfRank& chosen) {
  const Hello& base = *chosen.begin()->second->hello;
  std::vector<Shifted> logs;
  std::int64_t earliest = 0;
  for (const auto& [rank, log] : chosen) {
    logs.push_back({log, ns_between(base, *log->hello)});
    earliest = std::min(earliest, logs.back().shift_ns);
  }
  for (Shifted& log : logs) log.shift_ns -= earliest;
  return logs;
}

/// Returns the events of a log with their times shifted; its laps are not copied.
LapLog events_of(const Shifted& shifted) {
  const LapLog* log = shifted.log;
  const std::int64_t ns = shifted.shift_ns;
  LapLog result;
  result.hello = log->hello;
  result.plan = log->plan;
  result.stages = log->stages;
  result.validations = log->validations;
  result.epochs = log->epochs;
  result.metrics = log->metrics;
  result.phases = log->phases;
  result.new_begin = log->new_begin;
  result.hello->clock_ns -= ns;
  result.hello->wall_seconds -= static_cast<double>(ns) * 1e-9;
  change_times(result, [&](std::int64_t& at_ns) { at_ns += ns; });
  return result;
}

std::size_t laps_of_all(const std::vector<Shifted>& logs) {
  std::size_t fewest = 0;
  for (const Shifted& shifted : logs) {
    const std::size_t laps = shifted.log->laps.size();
    if (laps > 0 && (fewest == 0 || laps < fewest)) fewest = laps;
  }
  return fewest;
}

void add_lap(Lap& lap, const Lap& other, std::int64_t shift_ns) {
  lap.begin_ns = std::max(lap.begin_ns, other.begin_ns + shift_ns);
  lap.end_ns = std::max(lap.end_ns, other.end_ns + shift_ns);
  const std::int64_t samples = std::int64_t{lap.samples} + other.samples;
  lap.samples = static_cast<std::int32_t>(std::min<std::int64_t>(samples, INT32_MAX));
  lap.finished = lap.finished && other.finished;
  lap.shared = lap.shared || other.shared;
}

/// Returns the laps of a log, or takes them where the logs are not needed any more.
std::vector<Lap> laps_out_of(const LapLog& log, std::vector<LapLog>* owned) {
  if (owned != nullptr)
    for (LapLog& own : *owned)
      if (&own == &log) return std::move(own.laps);
  return log.laps;
}

std::vector<Lap> merge_laps(const std::vector<Shifted>& logs, std::vector<LapLog>* owned) {
  const std::size_t count = laps_of_all(logs);
  std::vector<Lap> merged;
  for (const auto& [log, shift_ns] : logs) {
    if (log->laps.empty()) continue;
    if (merged.empty()) {
      merged = laps_out_of(*log, owned);
      merged.resize(count);
      for (Lap& lap : merged) lap.begin_ns += shift_ns, lap.end_ns += shift_ns;
    } else {
      for (std::size_t i = 0; i < merged.size(); i++) add_lap(merged[i], log->laps[i], shift_ns);
    }
  }
  return merged;
}

/// Recounts what refers to laps, which may be fewer now and have the samples of all ranks.
void recount(LapLog& log) {
  const auto laps = static_cast<std::int64_t>(log.laps.size());
  for (StageSpan& stage : log.stages) stage.laps_before = std::min(stage.laps_before, laps);
  for (ValidationSpan& v : log.validations) v.laps_before = std::min(v.laps_before, laps);
  for (MetricPoint& metric : log.metrics) metric.laps_before = std::min(metric.laps_before, laps);
  for (EpochSpan& epoch : log.epochs) {
    epoch.first_lap = std::min(epoch.first_lap, laps);
    epoch.laps = std::min(epoch.laps, laps - epoch.first_lap);
    epoch.samples = 0;
    for (std::int64_t i = 0; i < epoch.laps; i++) {
      epoch.samples += log.laps[static_cast<std::size_t>(epoch.first_lap + i)].samples;
    }
  }
}

/// Leaves out what came before the training began anew. A stage takes its place, which is a part of
/// init.
void drop_earlier_attempts(LapLog& log) {
  if (!log.new_begin) return;
  const auto [at_ns, reported] = *log.new_begin;
  const auto count = std::min(reported, static_cast<std::int64_t>(log.laps.size()));
  const auto is_before = [at = at_ns](const auto& each) { return each.span.begin_ns < at; };
  if (count > 0) log.stages.push_back({"earlier-attempts", {log.laps.front().begin_ns, at_ns}});
  log.laps.erase(log.laps.begin(), log.laps.begin() + count);
  for (Lap& lap : log.laps) lap.index -= static_cast<std::int32_t>(count);
  std::erase_if(log.epochs, is_before);
  std::erase_if(log.validations, is_before);
  std::erase_if(log.metrics, [at = at_ns](const MetricPoint& each) { return each.at_ns < at; });
  const auto less = [count](std::int64_t& laps) { laps = std::max<std::int64_t>(0, laps - count); };
  for (EpochSpan& epoch : log.epochs) less(epoch.first_lap);
  for (StageSpan& stage : log.stages) less(stage.laps_before);
  for (ValidationSpan& validation : log.validations) less(validation.laps_before);
  for (MetricPoint& metric : log.metrics) less(metric.laps_before);
}

/// Adds the number of epochs that the output tells to a plan without a length.
void merge_plan(LapLog& merged, std::span<const LapLog* const> logs) {
  if (merged.laps.empty() || (merged.plan && (merged.plan->epochs > 0 || merged.plan->steps > 0)))
    return;
  for (const LapLog* log : logs) {
    if (!is_of_output(*log) || !log->plan || log->plan->epochs == 0) continue;
    if (!merged.plan) merged.plan = TrainingPlan{};
    merged.plan->epochs = log->plan->epochs;
    merged.plan->from = log->plan->from;
  }
}

/// Adds the notes, the device memory, the longest sequences and the numbers of all processes,
/// including those whose logs were not chosen. Notes about laps from the output are added only if
/// the merged laps are from there.
void merge_notes(LapLog& merged, std::span<const LapLog* const> logs) {
  merged.notes.clear();
  merged.device_memory_bytes = 0;
  merged.sequences = {};
  for (const LapLog* log : logs) {
    merged.device_memory_bytes = std::max(merged.device_memory_bytes, log->device_memory_bytes);
    merged.on_device = merged.on_device || log->on_device;
    if (merged.numbers.empty()) merged.numbers = log->numbers;
    if (log->sequences.longest() > merged.sequences.longest()) merged.sequences = log->sequences;
    if (is_of_output(*log) && !merged.laps.empty() && !is_of_output(merged)) continue;
    for (const std::string& note : log->notes) {
      const bool said = std::ranges::find(merged.notes, note) != merged.notes.end();
      if (!said && merged.notes.size() < kMaxNotes) merged.notes.push_back(note);
    }
  }
}

/// Adds the samples of one kind that any process took, on the clock of the merged log.
template <class Sample>
void merge_samples(LapLog& merged, std::span<const LapLog* const> logs,
                   std::vector<Sample> LapLog::*samples) {
  (merged.*samples).clear();
  for (const LapLog* log : logs) {
    if (!log->hello || (log->*samples).empty() || !merged.hello) continue;
    const std::int64_t shift_ns = ns_between(*merged.hello, *log->hello);
    for (Sample sample : log->*samples) {
      sample.at_ns += shift_ns;
      (merged.*samples).push_back(sample);
    }
  }
  std::ranges::stable_sort(merged.*samples, {}, &Sample::at_ns);
}

std::optional<Damage> merge_damage(std::span<const LapLog* const> logs) {
  std::optional<Damage> merged;
  for (const LapLog* log : logs) {
    if (!log->damage) continue;
    if (merged) {
      merged->lines += log->damage->lines;
    } else {
      merged = log->damage;
    }
  }
  return merged;
}

std::vector<const LapLog*> pointers_to(std::span<const LapLog> logs) {
  std::vector<const LapLog*> pointers;
  for (const LapLog& log : logs) pointers.push_back(&log);
  return pointers;
}

/// Merges logs; takes the laps of those that are `owned`, which may be nullptr.
LapLog merge(std::span<const LapLog* const> logs, std::vector<LapLog>* owned) {
  const LogOfRank chosen = choose_logs(logs);
  const std::string slow_rank = describe_slow_rank(logs_of(chosen));  // before laps are taken
  LapLog merged;
  if (!chosen.empty()) {
    const std::vector<Shifted> aligned = align(chosen);
    merged = events_of(aligned.front());
    merged.laps = merge_laps(aligned, owned);
    merged.said_bye = true;
    for (const auto& [log, shift_ns] : aligned) {
      merged.said_bye = merged.said_bye && log->said_bye;
      merged.last_ns = std::max(merged.last_ns, log->last_ns + shift_ns);
    }
    recount(merged);
    drop_earlier_attempts(merged);
    merge_plan(merged, logs);
  }
  merge_notes(merged, logs);
  if (!slow_rank.empty() && merged.notes.size() < kMaxNotes) merged.notes.push_back(slow_rank);
  merge_samples(merged, logs, &LapLog::loads);
  merge_samples(merged, logs, &LapLog::gpus);
  merged.damage = merge_damage(logs);
  return merged;
}

}  // namespace

LapLog merge_ranks(std::span<const LapLog> logs) {
  return merge_ranks_of(pointers_to(logs));
}

LapLog merge_ranks_of(std::span<const LapLog* const> logs) {
  return merge(logs, nullptr);
}

LapLog merged_ranks(std::vector<LapLog>& logs) {
  return merge(pointers_to(logs), &logs);
}

}  // namespace lapcast
