#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "run/compile_caches.h"

namespace lapcast {

/// Names a folder in which a compiler keeps compiled code from one run to the next.
struct CompilerFolder {
  std::string compiler;
  std::filesystem::path folder;
  friend bool operator==(const CompilerFolder&, const CompilerFolder&) = default;
};

/// Returns the value of a variable of the program's environment; empty = not set.
using VariableOf = std::function<std::string(const std::string& name)>;

/// Returns the variables of a program that inherits this process's environment, overridden by
/// `on_top`.
VariableOf variables_with(std::map<std::string, std::string> on_top);

/// Returns the cache folders of the compilers of PyTorch, Triton, CUDA, XLA, ROCm and Intel GPUs:
/// those that variables name, else the defaults. A folder need not exist.
std::vector<CompilerFolder> compiler_folders(const VariableOf& variable);

/// Returns path prefixes of files that compilers write, which are not results of a program:
/// compiler_folders() and temporary files.
std::vector<std::string> compiler_prefixes(const VariableOf& variable);

/// Returns whether a file is a temporary file of Python, such as those that Triton passes to ptxas:
/// "/tmp/tmpn_4dbgsh.ptx".
bool is_temporary_of_python(const std::filesystem::path& file);

/// Compares the folders of compilers before and after a program ran.
class CompilerFolders {
 public:
  explicit CompilerFolders(std::vector<CompilerFolder> folders);

  /// Returns the existing caches and how many files were added to each since construction. Leaves
  /// out a cache of more than 20,000 files.
  std::vector<CompileCache> look_again() const;

 private:
  std::vector<CompilerFolder> folders_;
  std::vector<std::int64_t> before_;  // files; -1 = too many
};

/// Writes the caches into a run's lap folder as a separate lap log.
void write_compile_caches(const std::vector<CompileCache>& caches, const Run& run,
                          const std::filesystem::path& lap_folder);

}  // namespace lapcast
