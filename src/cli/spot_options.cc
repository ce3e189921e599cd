#include "cli/spot_options.h"

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/option_table.h"
#include "core/error.h"
#include "core/units.h"

namespace lapcast {

std::optional<Seconds> duration_of(const char* name, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return of_option(name, [&] { return parse_duration(text); });
}

void SpotOptions::add_to(CLI::App& app) {
  add_options(
      app,
      {{"--checkpoint TIME|none", &checkpoint,
        "what saving takes; none: it begins again after each interruption [as measured]"},
       {"--checkpoint-interval TIME", &interval,
        "work between two checkpoints [the best for these machines]"},
       {"--restart TIME", &restart,
        "from a machine that is ready until work goes on [the measured start of the program]"},
       {"--save-at-notice", &saves_at_notice,
        "the program saves once more when its machine says that it will end"},
       {"--interruptions TIME", &between_interruptions,
        "mean time between interruptions [what the catalog says]"},
       {"--spot-wait TIME", &wait, "mean wait for the next machine [none]"},
       {"--spot-trace FILE", &trace,
        "when machines were there, instead of a rate: a trace, or heartbeats of lapcast soak",
        excludes("--interruptions")}},
      "Spot machines");
}

void SpotOptions::fill_in(RankRequest& request) const {
  SpotAssumptions& spot = request.preferences.spot;
  request.spot_trace = trace;
  spot.saves = checkpoint != "none";
  if (spot.saves) spot.checkpoint = duration_of("--checkpoint", checkpoint);
  spot.interval = duration_of("--checkpoint-interval", interval);
  spot.restart = duration_of("--restart", restart);
  spot.saves_at_notice = saves_at_notice;
  spot.between_interruptions = duration_of("--interruptions", between_interruptions);
  spot.wait = duration_of("--spot-wait", wait);
  if (!trace.empty() && spot.wait)
    throw Error(ExitCode::usage, "--spot-trace has the waits, too: leave --spot-wait out");
  if (!spot.saves && (spot.interval || saves_at_notice))
    throw Error(ExitCode::usage,
                "--checkpoint none: a program that saves nothing has no --checkpoint-interval, and "
                "nothing to do with --save-at-notice");
  if (spot.interval && !(spot.interval->count() >= 1e-3))
    throw Error(ExitCode::usage, "--checkpoint-interval must be above 0, such as 10m");
  if (spot.between_interruptions && !(spot.between_interruptions->count() >= 1e-3))
    throw Error(ExitCode::usage, "--interruptions must be above 0, such as 5h");
}

}  // namespace lapcast
