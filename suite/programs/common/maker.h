#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace lapcast::workloads {

class CommandLine;

/// Holds the options of every program that makes a synthetic data set.
struct MakerOptions {
  std::filesystem::path out;
  int64_t train = 0;  ///< samples of the training part
  int64_t test = 0;   ///< samples of the validation part
  uint64_t seed = 1;
  int64_t threads = 0;  ///< set to the usable CPUs when not given
};

void add_maker_options(CommandLine& line, MakerOptions& options);

/// Runs the main() of a data set maker: parses, makes the folder --out, calls write and prints what
/// was written. `what` names it, for example "digits". Returns the exit status: 0, 1 when write
/// threw (one line is printed), 2 for usage.
int run_maker(CommandLine& line, MakerOptions& options, const char* what, int argc, char** argv,
              const std::function<void()>& write);

}  // namespace lapcast::workloads
