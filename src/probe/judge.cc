#include "probe/judge.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

namespace lapcast {

void describe_laps(const LapLog& log, ProbeProgress& progress) {
  progress.laps = static_cast<std::int64_t>(log.laps.size());
  progress.epoch = log.epochs.empty() ? 0 : log.epochs.back().epoch;
}

Outcome end_of(const ExitStatus& status, const LapFolder& laps) {
  if (status.signal != 0 || status.status != 0)
    return outcome::Crashed{status.status, status.signal};
  if (!laps.log().laps.empty()) return outcome::Ended{};
  return no_laps("the program ended without reporting one", laps, true);
}

Outcome with_laps(const Outcome& wanted, const LapLog& log) {
  if (!log.laps.empty()) return wanted;
  const auto* enough = std::get_if<outcome::Enough>(&wanted);
  return outcome::NoLaps{enough != nullptr ? enough->rule
                                           : std::get<outcome::BudgetSpent>(wanted).which};
}

Outcome no_laps(std::string why, const LapFolder& laps, bool has_ended) {
  constexpr std::string_view kHowToReport =
      "training with PyTorch, Keras, Lightning or Hugging Face in Python is observed by itself; "
      "others report laps with `import lapcast`, <lapcast/lap.h> or `lapcast lap` "
      "(lapcast help lap-log)";
  constexpr std::string_view kWithLibrary =
      "a loop that the hook cannot follow reports its laps with `import lapcast` (lapcast help "
      "python)";
  const HookSigns& hook = laps.hook();
  const std::vector<std::string>& notes = laps.log().notes;
  const std::string how_far = hook.text(has_ended);
  if (!how_far.empty() && (hook.loaded || notes.empty())) why += "; " + how_far;
  for (const std::string& note : notes) why += "; " + note;
  return outcome::NoLaps{
      fmt::format("{}; {}", why, hook.libraries.empty() ? kHowToReport : kWithLibrary)};
}

}  // namespace lapcast
