#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace lapcast::workloads {

/// What every training program of the suite can be told. 0 or empty: the program's own default.
struct CommonOptions {
  std::filesystem::path data;
  std::string device = "cpu";  ///< or "cuda"
  int threads = 0;             ///< set to the usable CPUs when not given
  int64_t batch = 0;
  int64_t epochs = 0;
  int64_t steps = 0;  ///< iterations in all; 0: counted in epochs
  uint64_t seed = 1;
  int64_t samples = 0;
  int64_t validation_samples = 0;
  int patience = 0;
  int64_t checkpoint_every = 0;
  std::filesystem::path run_dir;  ///< $LAPCAST_RUN_DIR when not given
  std::filesystem::path resume;
  bool optimizer_state = false;

  bool cuda() const { return device == "cuda"; }
};

/// Adds the options to a program, with checks of their ranges.
void add_common_options(CLI::App& app, CommonOptions& options);

/// Parses the command line, fills in what depends on others, and checks what must fit together.
/// The exit status when the program shall end at once (after --help 0, after an error, printed, 2);
/// -1 to go on.
int parse_command_line(CLI::App& app, CommonOptions& options, int argc, char** argv);

}  // namespace lapcast::workloads
