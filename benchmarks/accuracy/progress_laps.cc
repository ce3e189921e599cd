#include "accuracy/progress_laps.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace lapcast::accuracy {
namespace {

constexpr std::size_t kFewestLines = 3;  // per epoch; fewer tell no more than the epoch itself

std::int64_t in_ns(Seconds time) {
  return std::llround(time.count() * 1e9);
}

/// Returns the lines that were printed during the lap, in the order of time.
std::vector<ProgressLine> lines_within(const LoggedRun& run, const Lap& lap) {
  std::vector<ProgressLine> lines;
  for (const ProgressLine& line : run.progress) {
    if (in_ns(line.at) > lap.begin_ns && in_ns(line.at) < lap.end_ns) lines.push_back(line);
  }
  return lines;
}

/// Returns the laps of one epoch that was a single lap, or none when its lines make no sense.
std::vector<Lap> laps_within(const LoggedRun& run, const Lap& epoch) {
  std::vector<Lap> laps;
  Lap next = epoch;
  std::int64_t before = 0;
  double samples = 0;
  const auto add = [&](std::int64_t end_ns, double lap_samples) {
    next.end_ns = end_ns;
    next.samples = static_cast<std::int32_t>(std::llround(lap_samples));
    laps.push_back(next);
    next.begin_ns = end_ns;
    samples += lap_samples;
  };
  for (const ProgressLine& line : lines_within(run, epoch)) {
    const double lap_samples = static_cast<double>(line.iteration - before) * run.global_batch;
    if (line.iteration <= before || in_ns(line.at) <= next.begin_ns) return {};
    if (samples + lap_samples > epoch.samples) return {};
    add(in_ns(line.at), lap_samples);
    before = line.iteration;
  }
  if (laps.size() < kFewestLines) return {};
  if (samples < epoch.samples) add(epoch.end_ns, epoch.samples - samples);
  return laps;
}

}  // namespace

bool take_progress_laps(const LoggedRun& run, LapLog& log) {
  if (run.progress_kind != "mxnet" || run.global_batch < 1) return false;
  if (log.epochs.size() != log.laps.size()) return false;
  LapLog fine = log;
  fine.laps.clear();
  std::vector<std::int64_t> until{0};  // number of laps until the end of each epoch
  for (std::size_t i = 0; i < log.laps.size(); ++i) {
    const std::vector<Lap> laps = laps_within(run, log.laps[i]);
    if (laps.empty()) return false;
    EpochSpan& epoch = fine.epochs[i];
    epoch.first_lap = std::ssize(fine.laps);
    epoch.laps = std::ssize(laps);
    for (const Lap& lap : laps) {
      fine.laps.push_back(lap);
      fine.laps.back().index = std::ssize(fine.laps) - 1;
    }
    until.push_back(std::ssize(fine.laps));
  }
  const auto in_laps = [&](auto& spans) {
    for (auto& span : spans) {
      span.laps_before =
          until[std::min(until.size() - 1, static_cast<std::size_t>(span.laps_before))];
    }
  };
  in_laps(fine.validations);
  in_laps(fine.stages);
  in_laps(fine.metrics);
  if (fine.plan) {
    fine.plan->iterations_per_epoch = 0;
    fine.plan->batch_size = fine.laps.front().samples;
  }
  log = std::move(fine);
  return true;
}

}  // namespace lapcast::accuracy
