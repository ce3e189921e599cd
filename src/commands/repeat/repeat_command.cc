#include <utility>

#include "campaign/fleet_repeats.h"
#include "cli/candidate_options.h"
#include "cli/commands.h"
#include "cli/run_options.h"

namespace lapcast {
namespace {

constexpr const char* kRepeatFooter = R"(
Examples:
  lapcast repeat fleet.toml -- ./train --epochs 5 --seed {seed}
  lapcast repeat fleet.toml --batch 256,512 --repeats 10 -- ./train --batch {batch}
  lapcast repeat fleet.toml --until 5% --baseline cpu -- ./train
  lapcast repeat --batch 64,128 --baseline this-machine,batch=64 -- ./train --batch {batch}

Every machine type of the fleet file (lapcast help fleet-file) runs the whole program several times
with every combination of the placeholders, one after another in random order. {seed} becomes the
number of the run. The first run of each candidate is a warm-up: it is kept and marked, and counts
in no mean. The tables have means with 95 % intervals, speed-ups over the baseline, costs, and
Welch's test of every pair. After Ctrl-C or a crash the same command goes on where it was.
`lapcast sweep` forecasts all this from a few laps.)";

struct RepeatArguments {
  FleetRepeatRequest request;  // options write into it directly
  CandidateOptions candidates;
  ProbeOptions start;
  FleetRepeatOptions repeat;
};

ExitCode repeat(const Globals& globals, const RepeatArguments& options) {
  FleetRepeatRequest request = options.request;
  options.candidates.take_into(request.sweep, globals, "repeat");
  request.sweep.probe =
      options.start.request(common_context(program_of(globals, "repeat"), options.start.plan));
  request.rule = options.repeat.rule();
  options.repeat.fill_in(request);
  return print_repeats(globals, plan_repeats(std::move(request)));
}

}  // namespace

static void add_repeat(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "repeat", "run a program to its end on every machine type, repeatedly",
               kRepeatFooter, repeat, Takes::program);
  options.candidates.add_to(command);
  options.repeat.add_rule_to(command);
  options.repeat.add_rest_to(command, "How often to run");
  options.start.add_start_to(command);
  add_going_on_to(command, options.request.sweep);
}

extern const NamedCommand kRepeatCommand{"repeat", add_repeat};

}  // namespace lapcast
