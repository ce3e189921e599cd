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

/// Returns the variables of a program that has the environment of this process and these on top.
VariableOf variables_with(std::map<std::string, std::string> on_top);

/// Returns the folders of the compilers of PyTorch, Triton, CUDA, XLA, ROCm and Intel's GPUs, as
/// the variables name them, or else their usual ones. A folder need not exist.
std::vector<CompilerFolder> compiler_folders(const VariableOf& variable);

/// Returns how the paths of compilers' files begin that are not results of a program: those of
/// compiler_folders(), and temporary ones of compilers.
std::vector<std::string> compiler_prefixes(const VariableOf& variable);

/// Returns whether a file is one of Python's temporary ones, such as those that Triton gives to
/// ptxas: "/tmp/tmpn_4dbgsh.ptx".
bool is_temporary_of_python(const std::filesystem::path& file);

/// Looks at the folders of compilers before and after a program ran.
class CompilerFolders {
 public:
  explicit CompilerFolders(std::vector<CompilerFolder> folders);

  /// Returns the caches that exist, with what was added to them since. A cache of more files than
  /// are counted (20,000) is left out.
  std::vector<CompileCache> look_again() const;

 private:
  std::vector<CompilerFolder> folders_;
  std::vector<std::int64_t> before_;  // files; -1 = too many
};

/// Writes what the caches say as a lap log of its own into the folder of a run's lap logs.
void write_compile_caches(const std::vector<CompileCache>& caches, const Run& run,
                          const std::filesystem::path& lap_folder);

}  // namespace lapcast
