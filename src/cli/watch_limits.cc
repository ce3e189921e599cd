#include "cli/watch_limits.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/globals.h"
#include "core/units.h"
#include "price/affordable_time.h"

namespace lapcast {

void WatchLimitOptions::add_to(CLI::App& command) {
  command.add_option("--max-cost", max_cost, "most that the whole run may cost, in USD")
      ->type_name("USD");
  command.add_option("--max-time", max_time, "longest that the whole run may take")
      ->type_name("TIME");
  command.add_option("--on-exceed", on_exceed, "at a limit: stop the program, or warn")
      ->check(CLI::IsMember({"stop", "warn"}))
      ->type_name("stop|warn")
      ->capture_default_str();
}

WatchLimits WatchLimitOptions::limits(const std::optional<Offer>& price) const {
  WatchLimits result;
  result.stop = on_exceed == "stop";
  if (!max_time.empty()) {
    result.max_time = of_option("--max-time", [&] { return parse_duration(max_time); });
    if (result.max_time->count() <= 0)
      throw Error(ExitCode::usage, "--max-time must be above 0, such as 6h");
  }
  if (max_cost.empty()) return result;
  result.max_cost = of_option("--max-cost", [&] { return Money::parse(max_cost); });
  if (!price) throw Error(ExitCode::usage, "--max-cost needs a price: add --price or --offer");
  if (affordable_time(*price, *result.max_cost).value_or(Seconds{0}).count() <= 0)
    throw Error(ExitCode::usage, fmt::format("--max-cost: {} USD is less than the shortest run is "
                                             "billed for",
                                             printable(max_cost)));
  return result;
}

}  // namespace lapcast
