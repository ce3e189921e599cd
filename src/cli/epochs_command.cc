#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/training_goal.h"
#include "cli/commands.h"
#include "report/epochs_report.h"

namespace lapcast {
namespace {

constexpr const char* kEpochsFooter = R"(
Examples:
  lapcast epochs --target val_accuracy=0.75            of the newest run
  lapcast epochs 3f0c 77e1 --target val_loss=0.3       a loss is better when it is smaller
  lapcast epochs last --target wer=0.06 --max-epochs 90
  lapcast epochs last --patience 5 --metric val_loss   until it stops improving
  lapcast epochs 3f0c --target val_accuracy=0.75 --after 10   from its first ten epochs

The forecast rests on the run's own curve and on the curves of all other runs of the same program in
the store, on any machine. It is a median with a 95 % interval, and the probability that the target
is reached at all within --max-epochs (else within what the run has planned and not yet trained, else
within 20 times what it has trained or twice the longest other run).)";

struct EpochsArguments {
  std::vector<std::string> runs;
  std::string target;
  std::string metric = "val_accuracy";
  std::int64_t patience = 0;
  bool lower = false;
  std::int64_t max_epochs = 0;
  std::int64_t after = 0;
};

TrainingGoal goal_of(const EpochsArguments& options) {
  if (!options.target.empty()) return parse_target(options.target, options.lower);
  if (options.patience == 0)
    throw Error(ExitCode::usage,
                "say what for: --target val_accuracy=0.75, or --patience 5 --metric val_accuracy");
  return {.metric = options.metric,
          .smaller_is_better = options.lower || smaller_is_better(options.metric),
          .patience = options.patience};
}

ExitCode forecast_epochs(const Globals& globals, const EpochsArguments& options) {
  const EpochsOptions look{goal_of(options), options.max_epochs, options.after};
  const Store store = globals.open_existing_store();
  std::vector<Run> runs;
  for (const std::string& id : options.runs) runs.push_back(store.get(id));
  const std::vector<Run> others = store.runs();
  std::vector<EpochsRow> rows;
  for (const Run& run : runs) rows.push_back({&run, look.goal, assess_epochs(run, look, others)});
  print(globals, epochs_tables(rows, describe(look.goal)));
  const bool any = std::any_of(rows.begin(), rows.end(), [](const EpochsRow& row) {
    return row.assessment.needed.has_value();
  });
  return any ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

void add_epochs(CLI::App& app, Globals& globals, Action& action) {
  const auto number = CLI::Range(std::int64_t{1}, std::int64_t{1} << 40);
  auto options = std::make_shared<EpochsArguments>();
  options->runs = {"last"};
  CLI::App* command =
      app.add_subcommand("epochs", "how many epochs until a target, or until nothing improves");
  command->add_option("RUN", options->runs, "ids, their first digits, or 'last'")
      ->capture_default_str();
  auto* target = command->add_option("--target", options->target, "metric and value to reach")
                     ->type_name("NAME=VALUE");
  command
      ->add_option("--patience", options->patience,
                   "stop after so many reports without a better value")
      ->check(number)
      ->type_name("N")
      ->excludes(target);
  command->add_option("--metric", options->metric, "of --patience")
      ->type_name("NAME")
      ->capture_default_str()
      ->excludes(target);
  command->add_flag("--lower-is-better", options->lower,
                    "smaller values are better [for names with loss, error, perplexity, wer, cer]");
  command->add_option("--max-epochs", options->max_epochs, "training ends then at the latest")
      ->check(number)
      ->type_name("N");
  command
      ->add_option("--after", options->after,
                   "use only the first so many epochs, and runs that started before")
      ->check(number)
      ->type_name("N");
  command->footer(kEpochsFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return forecast_epochs(globals, *options); }, false};
  });
}

}  // namespace lapcast
