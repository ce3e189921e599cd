#include "campaign/tuned_environment.h"

#include <fmt/format.h>

#include "core/units.h"
#include "rank/tuning.h"
#include "remote/ssh.h"

namespace lapcast {

std::string environment_file(const TuneResult& result, const std::string& lapcast_version,
                             const std::string& machine) {
  const TuneVerdict& verdict = result.verdict;
  const Interval<double>& ratio = *verdict.ratio;
  std::string text = fmt::format(
      "# By lapcast {}: {} takes {:.2f} times the default's time{} ({:.2f}-{:.2f}, 95 %,\n"
      "# {} pairs of runs in turn; tuning {}). In a shell: . ./THIS-FILE\n",
      lapcast_version, printable(text_of_settings(verdict.chosen), 500), ratio.mid,
      machine.empty() ? "" : " on " + printable(machine), ratio.low, ratio.high, verdict.pairs,
      result.sweep.id);
  for (const TuneSetting& setting : verdict.chosen)
    if (!setting.in_program.empty())
      text += fmt::format("# and in the program: {}\n", setting.in_program);
  for (const auto& [name, value] : environment_of(verdict.chosen))
    if (name != kHookVariable) text += fmt::format("export {}={}\n", name, shell_quote(value));
  return text;
}

}  // namespace lapcast
