#include "commands/forecast/planned_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/error.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

/// Returns how many steps a lap of an imported log has; 1 where a lap is a step.
std::int64_t steps_of_a_lap(const Run& run) {
  const std::string& from = run.context.imported_from;
  const auto log = laps_of(run);
  const bool has_intervals = from.starts_with("csv-intervals ") || from.starts_with("algoperf ");
  if (has_intervals && log && log->plan)
    return std::max<std::int64_t>(1, log->plan->training_samples);
  constexpr std::string_view kLapsAre = "laps are ";  // LoggedSteps::what_laps_are()
  for (const std::string& warning : run.warnings)
    if (warning.starts_with(kLapsAre) && warning.find(" steps each") != warning.npos)
      return parse_integer(warning.substr(kLapsAre.size(),
                                          warning.find(' ', kLapsAre.size()) - kLapsAre.size()))
          .value_or(1);
  return 1;
}

}  // namespace

void refuse_other_steps(std::int64_t steps, const Run& run) {
  const std::int64_t each = steps_of_a_lap(run);
  if (steps <= 0 || each == 1) return;
  const auto log = laps_of(run);
  const bool by_epochs = log && !log->epochs.empty();
  throw Error(ExitCode::usage,
              fmt::format("a lap of {} is {}{} steps: for {} steps say --{} {}", run.context.id,
                          by_epochs ? "an interval of about " : "", each, steps,
                          by_epochs ? "epochs" : "steps", (steps + each - 1) / each));
}

}  // namespace lapcast
