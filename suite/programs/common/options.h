#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace lapcast::workloads {

class CommandLine;

/// Holds the options that every training program of the suite takes. 0 or empty means that the user
/// did not set it and the program's default applies.
struct CommonOptions {
  std::filesystem::path data;
  std::string device = "cpu";  ///< or "cuda"
  int64_t gpus = 1;            ///< GPUs of this machine that share each batch; with cuda only
  std::string dtype = "fp32";  ///< or "bf16": matrix products and convolutions in bfloat16
  int64_t replicas = 1;        ///< processes that train together
  std::string exchange = "allreduce";  ///< how they do
  int64_t threads = 0;  ///< set to the usable CPUs when neither user nor program sets it
  int64_t batch = 0;    ///< of each replica
  int64_t epochs = 0;
  int64_t steps = 0;  ///< iterations in all; 0: `epochs` counts
  uint64_t seed = 1;
  int64_t samples = 0;
  int64_t validation_samples = 0;
  double learning_rate = 0;
  std::string optimizer;  ///< "lars" or "lamb"
  int64_t warm_up = 0;    ///< steps over which the learning rate rises
  int64_t patience = 0;   ///< stops after so many epochs without a better validation; 0: never
  int64_t checkpoint_every = 0;
  std::filesystem::path run_dir;  ///< $LAPCAST_RUN_DIR when not given
  std::filesystem::path resume;
  bool restart = false;  ///< resumes from the newest checkpoint in run_dir, if there is one
  bool optimizer_state = false;
  bool evaluate = false;             ///< one pass over the test or validation part at the end
  std::filesystem::path write_step;  ///< records one training step instead of training
  bool describe = false;             ///< prints what the program would train, and ends

  bool cuda() const { return device == "cuda"; }
  int64_t batch_of_all() const { return batch * replicas; }
};

/// Adds the options to a command line. The values in `options` are shown as the defaults.
void add_common_options(CommandLine& line, CommonOptions& options);

/// Fills in options that depend on others or on the machine, and checks that they fit together.
/// Returns the exit status as CommandLine::parse() does.
int complete_options(const CommandLine& line, CommonOptions& options);

}  // namespace lapcast::workloads
