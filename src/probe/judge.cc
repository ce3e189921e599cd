#include "probe/judge.h"

#include <fmt/format.h>

#include <cstdint>

#include "probe/probe_judge.h"
#include "probe/watch_judge.h"

namespace lapcast {

std::unique_ptr<Judge> judge_for(const ProbeRequest& request, MonotonicNs started_ns) {
  if (request.watch)
    return std::make_unique<WatchJudge>(request.context, request.watch->limits,
                                        request.limits.grace, started_ns);
  return std::make_unique<ProbeJudge>(request.context, request.limits);
}

void describe_laps(const LapLog& log, ProbeProgress& progress) {
  progress.laps = static_cast<std::int64_t>(log.laps.size());
  progress.epoch = log.epochs.empty() ? 0 : log.epochs.back().epoch;
}

Outcome no_laps(std::string why, const LapLog& log) {
  constexpr std::string_view kHowToReport =
      "training with PyTorch, Keras, Lightning or Hugging Face in Python is observed by itself; "
      "others report laps with `import lapcast`, <lapcast/lap.h> or `lapcast lap` "
      "(docs/lap-log.md)";
  for (const std::string& note : log.notes) why += "; " + note;
  return outcome::NoLaps{fmt::format("{}; {}", why, kHowToReport)};
}

}  // namespace lapcast
