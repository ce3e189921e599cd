#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "machine/discover.h"
#include "report/machine_report.h"

namespace lapcast {

void add_machine(CLI::App& app, Globals& globals, Action& action) {
  CLI::App* command =
      app.add_subcommand("machine", "describe this machine: CPU, memory, accelerators, limits");
  command->footer("\nExamples:\n  lapcast machine\n  lapcast machine --format json");
  command->callback([&globals, &action] {
    action = {[&globals] {
                print(globals, {machine_table(describe_this_machine())});
                return ExitCode::ok;
              },
              false};
  });
}

}  // namespace lapcast
