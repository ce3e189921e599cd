#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "cli/commands.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr const char* kRunsFooter = R"(
Examples:
  lapcast runs
  lapcast runs --newest 5 --format json
  lapcast runs --sweep 3f0c8a91d2e4 --kind full
  lapcast runs scrub                           remove secrets from the store)";

struct RunsArguments {
  std::string sweep;
  std::string kind;
  std::size_t newest = 0;
};

RunFilter filter_of(const RunsArguments& options) {
  RunFilter filter;
  if (!options.sweep.empty()) filter.sweep = options.sweep;
  filter.newest = options.newest;
  for (const RunKind kind : {RunKind::probe, RunKind::full, RunKind::find_epochs})
    if (options.kind == to_string(kind)) filter.kind = kind;
  return filter;
}

ExitCode runs(const Globals& globals, const RunsArguments& options) {
  const Table table = table_of<RunSummary>(
      "Runs",
      {{"run", "run", &RunSummary::id},
       {"started_at", "started", &RunSummary::started_at},
       {"kind", "kind", [](auto& run) { return to_string(run.kind); }},
       {"machine_type", "machine", &RunSummary::machine_type},
       {"settings", "settings", [](auto& run) { return masked_text(run.settings); }},
       {"program", "program", [](auto& run) { return masked_text(run.program); }},
       {"outcome", "outcome", [](auto& run) { return masked_text(run.outcome); }},
       {"sweep", "sweep", &RunSummary::sweep}},
      globals.open_existing_store().list(filter_of(options)));
  print(globals, {table});
  return ExitCode::ok;
}

}  // namespace

void add_runs(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<RunsArguments>();
  CLI::App* command = app.add_subcommand("runs", "list the runs in the store");
  command->add_option("--sweep", options->sweep, "those of one sweep")->type_name("ID");
  command->add_option("--kind", options->kind, "probe, full or find-epochs")
      ->check(CLI::IsMember({"probe", "full", "find-epochs"}));
  command->add_option("--newest", options->newest, "the newest so many")->type_name("N");
  command->footer(kRunsFooter);
  add_scrub(*command, globals, action);
  command->callback([&globals, &action, options, command] {
    if (!command->get_subcommands().empty()) return;
    action = {[&globals, options] { return runs(globals, *options); }, false};
  });
}

}  // namespace lapcast
