#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "lap/lap_log_writer.h"
#include "probe/shell_log.h"

namespace lapcast {
namespace {

constexpr const char* kLapFooter = R"(
Examples, in a training script that is started by `lapcast probe -- ./train.sh`:
  lapcast lap plan epochs=3 batch=128 train=60000 validation=10000
  lapcast lap stage-begin data-load; fetch; lapcast lap stage-end data-load
  lapcast lap epoch-begin 1
  ./one-step; lapcast lap iteration 128
  lapcast lap epoch-end 1
  lapcast lap metric val_accuracy 0.97
  lapcast lap device-memory 3221225472; lapcast lap note "trained with two optimizers"

Events: plan, stage-begin, stage-end, checkpoint-begin, checkpoint-end, epoch-begin, epoch-end,
iteration, iteration-queued, ended, validation-begin, validation-end, metric, phase, note,
device-memory; lapcast help lap-log has all of them. When nobody observes (no LAPCAST_LOG_DIR) it does nothing, quickly.)";

struct LapArguments {
  std::vector<std::string> words;
};

ExitCode report_lap(const Globals&, const LapArguments& options) {
  const Result<std::string> checked = event_line(0, options.words);
  if (!checked) throw Error(ExitCode::usage, checked.error().text);
  const char* folder = std::getenv("LAPCAST_LOG_DIR");
  if (folder != nullptr && *folder != '\0') ShellLog(folder).append(options.words);
  return ExitCode::ok;
}

}  // namespace

static void add_lap(CLI::App& app, CommandLine& line) {
  const auto [command, options] = line.add(
      app, "lap", "report a lap or another event from a shell script", kLapFooter, report_lap);
  add_options(command, {{"EVENT", &options.words, "event and its values", kRequired}});
}

extern const NamedCommand kLapCommand{"lap", add_lap};

}  // namespace lapcast
