#include <CLI/CLI.hpp>

#include <vector>

#include "cli/commands.h"
#include "cli/suite_commands.h"
#include "fleet/workload_program.h"
#include "report/suite_report.h"

namespace lapcast {
namespace {

constexpr const char* kSuiteFooter = R"(
Examples:
  lapcast suite                              the workloads, and which programs are built
  lapcast suite run mnist-mlp nn-twins       run them, ten times or more, with means and intervals
  lapcast suite run mnist-cnn --setting malta --batch 1024 --repeats 3
  lapcast suite run nqueens --n 10..14
  lapcast suite data mnist-mlp --out digits  write the synthetic set in the real format
  lapcast suite memory embryo-cnn --batch 480

The experiments of the papers as programs (docs/suite.md). Each also runs by itself. They are
looked for in $LAPCAST_SUITE_DIR, else beside the lapcast binary, else in `workloads` beside it.)";

constexpr const char* kListFooter = R"(
Examples:
  lapcast suite list
  lapcast suite list --json                  with the file of each program)";

}  // namespace

ExitCode list_suite(const Globals& globals) {
  std::vector<SuiteEntry> entries;
  for (const Workload& workload : suite()) {
    const auto program = find_workload_program(workload.name);
    entries.push_back({workload, program ? program->string() : ""});
  }
  print(globals, {suite_table(entries, how_to_build_workloads())});
  return ExitCode::ok;
}

void add_suite_list(CLI::App& suite, Globals& globals, Action& action) {
  CLI::App* command = suite.add_subcommand("list", "list the workloads: what `lapcast suite` does");
  command->footer(kListFooter);
  command->callback([&globals, &action] {
    action = {[&globals] { return list_suite(globals); }, false};
  });
}

void add_suite(CLI::App& app, Globals& globals, Action& action) {
  CLI::App* command =
      app.add_subcommand("suite", "the papers' workloads: list them, run them, make their data");
  command->require_subcommand(0, 1);
  add_suite_list(*command, globals, action);
  add_suite_run(*command, globals, action);
  add_suite_data(*command, globals, action);
  add_suite_memory(*command, globals, action);
  command->footer(kSuiteFooter);
  command->callback([&globals, &action, command] {
    if (command->get_subcommands().empty())
      action = {[&globals] { return list_suite(globals); }, false};
  });
}

}  // namespace lapcast
