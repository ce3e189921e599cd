#include "common/options.h"

#include <cstdlib>
#include <limits>

#include "common/command_line.h"
#include "common/cpus.h"
#include "common/replica.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kMany = std::numeric_limits<int32_t>::max();

void add_data_options(CommandLine& line, CommonOptions& o) {
  line.path("data", o.data, "DIR", "The folder of the data set");
  line.count("samples", o.samples, "Train on N samples only, the first of each class");
  line.count("val-samples", o.validation_samples,
             "Validate on N samples only, the first of each class");
}

void add_training_options(CommandLine& line, CommonOptions& o) {
  line.count("batch", o.batch, "Samples per iteration, of each replica");
  line.count("epochs", o.epochs, "Passes over the training samples");
  line.count("steps", o.steps, "Stop after N iterations in all, instead of after epochs");
  line.seed("seed", o.seed, "Seed of the initial weights, the order of the samples and dropout");
  line.real("learning-rate", o.learning_rate, 1e-9, 1e6,
            "Initial learning rate, instead of the paper's");
  line.choice("optimizer", o.optimizer, {"lars", "lamb"},
              "Optimizer for large batches, instead of the paper's; rate 1 or 0.001");
  line.count("warm-up", o.warm_up, "Let the learning rate rise linearly over the first N steps");
  line.number("patience", o.patience, 0, kMany,
              "Stop when the validation has not improved for N epochs; 0: never");
  line.flag("evaluate", o.evaluate,
            "At the end, one pass over the test samples, or else over the validation samples");
}

void add_machine_options(CommandLine& line, CommonOptions& o) {
  line.choice("device", o.device, {"cpu", "cuda"}, "Where to train");
  line.number("gpus", o.gpus, 1, 64, "With cuda: GPUs of this machine that share each batch");
  line.number("replicas", o.replicas, 1, ReplicaBoard::kMost,
              "Processes that train together, each on its share of the CPUs, or on a GPU");
  line.choice("exchange", o.exchange, {"allreduce", "server", "server-async", "none"},
              "How replicas exchange what they learn; none: not at all, to measure what it takes");
  line.choice("dtype", o.dtype, {"fp32", "bf16"},
              "Precision of matrix products and convolutions; weights stay fp32");
  line.number("threads", o.threads, 1, 4096,
              o.threads > 0 ? "CPU threads" : "CPU threads (default: the CPUs it may run on)");
}

void add_checkpoint_options(CommandLine& line, CommonOptions& o) {
  line.number("checkpoint-every", o.checkpoint_every, 0, kMany,
              "Write a checkpoint after every N epochs; 0: never");
  line.path("run-dir", o.run_dir, "DIR",
            "The folder for checkpoints, made if missing (default: $LAPCAST_RUN_DIR)");
  line.path("resume", o.resume, "FILE", "Resume from this checkpoint");
  line.flag("restart", o.restart,
            "Resume from the newest checkpoint of the run's folder, if there is one");
  line.flag("optimizer-state", o.optimizer_state,
            "Checkpoints also hold the optimizer's state: larger, and resumed exactly");
  line.path("write-step", o.write_step, "FILE",
            "Write one training step for torch.load(), and end: samples, outputs, loss, gradients, "
            "weights before and after");
}

}  // namespace

void add_common_options(CommandLine& line, CommonOptions& options) {
  add_data_options(line, options);
  add_training_options(line, options);
  add_machine_options(line, options);
  add_checkpoint_options(line, options);
  line.flag("describe", options.describe,
            "Print network, defaults and sizes as one line of JSON, and end");
}

int complete_options(const CommandLine& line, CommonOptions& options) {
  if (options.threads == 0) options.threads = usable_cpus();
  if (options.describe) return -1;
  const char* run_dir = std::getenv("LAPCAST_RUN_DIR");
  if (options.run_dir.empty() && run_dir) options.run_dir = run_dir;
  if (options.data.empty()) return line.refuse("--data DIR is needed");
  if (options.checkpoint_every > 0 && options.run_dir.empty()) {
    return line.refuse("--checkpoint-every needs --run-dir or $LAPCAST_RUN_DIR");
  }
  if (options.restart && options.run_dir.empty()) {
    return line.refuse("--restart needs --run-dir or $LAPCAST_RUN_DIR");
  }
  if (!options.resume.empty() && !std::filesystem::exists(options.resume)) {
    return line.refuse("--resume " + options.resume.string() + ": no such file");
  }
  if (options.gpus > 1 && !options.cuda()) return line.refuse("--gpus needs --device cuda");
  if (options.replicas == 1) return -1;
  if (options.gpus > 1) return line.refuse("--replicas and --gpus exclude each other");
  if (options.cuda() && options.exchange.starts_with("server")) {
    return line.refuse("--exchange " + options.exchange + " is for CPUs");
  }
  if (!options.write_step.empty()) return line.refuse("--write-step takes one replica");
  return -1;
}

}  // namespace lapcast::workloads
