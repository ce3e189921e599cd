#include "cli/spot_options.h"

#include "cli/option_table.h"
#include "core/error.h"
#include "core/units.h"

namespace lapcast {

namespace {

/// Parses a time between simulated events. A tiny one would make far too many events.
Seconds time_between(const std::string& text, const char* example) {
  const Seconds time = parse_duration(text);
  if (time.count() >= 1e-3) return time;
  throw Error(ExitCode::usage, std::string("must be above 0, such as ") + example);
}

}  // namespace

void SpotOptions::add_to(CLI::App& app) {
  const auto checkpoint = [this](const std::string& text) {
    assumed.saves = text != "none";
    if (assumed.saves) assumed.checkpoint = parse_duration(text);
  };
  const auto interval = [](const std::string& text) { return time_between(text, "10m"); };
  const auto interruptions = [](const std::string& text) { return time_between(text, "5h"); };
  const auto notice = [this](const std::string& text) {
    assumed.notice = parse_duration(text);
    assumed.saves_at_notice = true;
  };
  add_options(
      app,
      {{"--checkpoint TIME|none", ParsedText{checkpoint, ""},
        "what saving takes; none: it begins again after each interruption [as measured]"},
       {"--interval,--checkpoint-interval TIME", parsed(assumed.interval, interval),
        "work between two checkpoints [the best for these machines]"},
       {"--restart TIME", parsed(assumed.restart, parse_duration),
        "from a machine that is ready until work goes on [the measured start of the program]"},
       {"--notice TIME", ParsedText{notice, ""},
        "warning before an interruption, in which the program saves once more"},
       {"--interruptions TIME", parsed(assumed.between_interruptions, interruptions),
        "mean time between interruptions [rank: what the catalog says]"},
       {"--spot-wait TIME", parsed(assumed.wait, parse_duration),
        "mean wait for the next machine [none]"},
       {"--spot-trace FILE", &trace,
        "when machines were there, instead of a rate: a trace, or heartbeats of lapcast soak",
        excludes("--interruptions")}},
      "Spot machines");
}

void SpotOptions::check() const {
  if (!trace.empty() && assumed.wait)
    throw Error(ExitCode::usage, "a trace has the waits, too: leave --spot-wait out");
  if (!assumed.saves && (assumed.interval || assumed.saves_at_notice))
    throw Error(ExitCode::usage,
                "--checkpoint none: a program that saves nothing has no --checkpoint-interval, and "
                "nothing to do with a notice");
}

void SpotOptions::fill_in(RankRequest& request) const {
  check();
  request.spot_trace = trace;
  request.preferences.spot = assumed;
}

}  // namespace lapcast
