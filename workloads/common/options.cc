#include "common/options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <limits>

#include "common/cpus.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kMany = std::numeric_limits<int32_t>::max();

void add_data_options(CLI::App& app, CommonOptions& o) {
  app.add_option("--data", o.data, "The folder of the data set")->required()->type_name("DIR");
  app.add_option("--samples", o.samples, "Train on the first N samples only")
      ->check(CLI::Range(int64_t{1}, kMany))
      ->type_name("N");
  app.add_option("--val-samples", o.validation_samples, "Validate on the first N samples only")
      ->check(CLI::Range(int64_t{1}, kMany))
      ->type_name("N");
}

void add_machine_options(CLI::App& app, CommonOptions& o) {
  app.add_option("--device", o.device, "Where to train")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str()
      ->type_name("NAME");
  app.add_option("--threads", o.threads, "CPU threads (default: the CPUs it may run on)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
}

void add_training_options(CLI::App& app, CommonOptions& o) {
  app.add_option("--batch", o.batch, "Samples per iteration (default: the setting's)")
      ->check(CLI::Range(int64_t{1}, kMany))
      ->type_name("N");
  app.add_option("--epochs", o.epochs, "Epochs (default: the setting's)")
      ->check(CLI::Range(int64_t{1}, kMany))
      ->type_name("N");
  app.add_option("--steps", o.steps, "End after N iterations in all, instead of after epochs")
      ->check(CLI::Range(int64_t{1}, kMany))
      ->type_name("N");
  app.add_option("--seed", o.seed, "First weights, order of the samples, dropout (default 1)")
      ->type_name("N");
  app.add_option("--patience", o.patience,
                 "End when the validation accuracy has not risen for N epochs (default 0: off)")
      ->check(CLI::Range(0, 1000000))
      ->type_name("N");
}

void add_checkpoint_options(CLI::App& app, CommonOptions& o) {
  app.add_option("--checkpoint-every", o.checkpoint_every,
                 "Write a checkpoint after every N epochs (default 0: never)")
      ->check(CLI::Range(int64_t{0}, kMany))
      ->type_name("N");
  app.add_option("--run-dir", o.run_dir,
                 "The folder for checkpoints, made if missing (default: $LAPCAST_RUN_DIR)")
      ->type_name("DIR");
  app.add_option("--resume", o.resume, "Go on from this checkpoint")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  app.add_flag("--optimizer-state", o.optimizer_state,
               "Checkpoints also hold the optimizer's state: larger, and resumed exactly");
}

}  // namespace

void add_common_options(CLI::App& app, CommonOptions& options) {
  add_data_options(app, options);
  add_training_options(app, options);
  add_machine_options(app, options);
  add_checkpoint_options(app, options);
}

int parse_command_line(CLI::App& app, CommonOptions& options, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    const char* run_dir = std::getenv("LAPCAST_RUN_DIR");
    if (options.run_dir.empty() && run_dir) options.run_dir = run_dir;
    if (options.checkpoint_every > 0 && options.run_dir.empty()) {
      throw CLI::ValidationError("--checkpoint-every", "needs --run-dir or $LAPCAST_RUN_DIR");
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.threads == 0) options.threads = usable_cpus();
  return -1;
}

}  // namespace lapcast::workloads
