#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "probe/interrupt.h"

namespace lapcast {

/// Returns the folder of lapcast's sources: `given`, else this folder or one above it, else one
/// above the lapcast binary. Throws Error (usage) with where sources come from if there is none.
std::filesystem::path suite_sources(const std::string& given);

/// Returns the CMake tree in which the programs are built and found: $LAPCAST_SUITE_DIR, else
/// CACHE/lapcast/suite. Throws Error (usage) if it has files but is not a CMake tree.
std::filesystem::path suite_build_folder();

/// Throws Error (system_failed) that says what to install if CMake, Ninja or a C++ compiler is
/// missing.
void check_build_tools();

/// Returns the folder with CMake files of a PyTorch from 2.7 on: $LAPCAST_TORCH, else that of the
/// python3 on PATH, of the one beside lapcast, or of build/venv of the sources. The reason says
/// what to install.
Result<std::filesystem::path> find_torch(const std::filesystem::path& sources);

/// Returns how many compilers may run at once: one for each CPU, as far as memory allows.
std::size_t build_jobs();

/// Holds what is left to do in a tree, in measured CPU time on one machine (suite/docs/suite.md).
struct BuildSteps {
  std::size_t count = 0;
  Seconds cpu{0};
  Seconds header{0};   // the precompiled one, which others wait for
  Seconds longest{0};  // of the other steps

  void add(std::string_view line);  // of Ninja: "[1/9] Building CXX object ..."
  Seconds time_with(std::size_t jobs) const {
    return std::max(header + longest, cpu / static_cast<double>(jobs));
  }
};

/// Receives one line about the build under way.
using BuildProgress = std::function<void(const std::string& text)>;

/// Builds programs of the suite with CMake and Ninja. What both print is in build.log of the tree.
/// Every function throws Error: interrupted at an interrupt, after which the same build goes on,
/// and program_failed if CMake or Ninja cannot do anything.
class SuiteBuild {
 public:
  /// Prepares the tree, from nothing if it was for other sources or another PyTorch. `torch` may be
  /// empty: then only programs without LibTorch can be built.
  SuiteBuild(const std::filesystem::path& sources, std::filesystem::path tree,
             const std::filesystem::path& torch, const Interrupt& interrupt);

  /// Returns why this machine cannot build a program, in CMake's words; empty if it can.
  std::string why_not(const std::string& program) const;
  /// Returns the steps that are left for the programs.
  BuildSteps steps_for(const std::vector<std::string>& programs);
  /// Builds the programs, as many as can be, and returns those that failed, with the compiler's
  /// first error.
  std::map<std::string, std::string> build(const std::vector<std::string>& programs,
                                           std::size_t jobs, const BuildProgress& progress);

 private:
  Result<std::string> run(const std::vector<std::string>& arguments,
                          const std::function<void(std::string_view)>& on_line = {});
  Result<std::string> ninja(std::vector<std::string> arguments,
                            const std::function<void(std::string_view)>& on_line = {});

  std::filesystem::path tree_;
  const Interrupt& interrupt_;
  std::string log_;         // what was printed
  std::string configured_;  // what CMake printed
  std::set<std::string, std::less<>> targets_;
};

}  // namespace lapcast
