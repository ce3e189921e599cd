#include "history/training_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/units.h"
#include "run/command_arguments.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr std::int64_t kLikeSamples = 100;  // one hundredth
constexpr std::size_t kLongestDifference = 80;

}  // namespace

bool TrainingWork::is_like(const TrainingWork& other) const {
  if (arguments != other.arguments) return false;
  if (samples == 0 || other.samples == 0) return true;
  return std::abs(samples - other.samples) <= std::max(samples, other.samples) / kLikeSamples;
}

TrainingWork work_of(const Run& run) {
  TrainingWork work{.arguments = training_arguments(masked_program(run.context.program))};
  const auto log = laps_of(run);
  const auto whole = std::ranges::find_if(log->epochs, &EpochSpan::ended);
  if (log->plan && log->plan->training_samples > 0)
    work.samples = log->plan->training_samples;
  else if (whole != log->epochs.end())
    work.samples = whole->samples;
  return work;
}

std::vector<std::string> differences(std::span<const TrainingWork> works) {
  const auto in_all = [&](const std::string& argument) {
    return std::ranges::all_of(works, [&](const TrainingWork& work) {
      return std::ranges::find(work.arguments, argument) != work.arguments.end();
    });
  };
  std::vector<std::string> texts;
  for (const TrainingWork& work : works) {
    std::string text;
    const auto add = [&text](const std::string& more, const char* between) {
      text += (text.empty() ? "" : between) + more;
    };
    for (const std::string& argument : work.arguments)
      if (!in_all(argument) && argument.find('{') == argument.npos) add(argument, " ");
    const bool same_samples = std::ranges::all_of(works, [&](const TrainingWork& other) {
      return TrainingWork{{}, work.samples}.is_like({{}, other.samples});
    });
    if (!same_samples && work.samples > 0) add(fmt::format("{} samples", work.samples), ", ");
    texts.push_back(printable(text, kLongestDifference));
  }
  return texts;
}

}  // namespace lapcast
