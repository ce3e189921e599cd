#include "suite/driver/suite_build.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "cli/run_options.h"
#include "core/units.h"
#include "machine/proc_text.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/child_process.h"
#include "probe/ids_and_time.h"
#include "run/text_bytes.h"
#include "suite/driver/workload_data.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr double kCompilerBytes = 1.6e9;  // peak of the largest step, the precompiled header

/// Names a kind of build step by a part of Ninja's line, with its mean CPU time. Measured with a
/// CMAKE_CXX_COMPILER_LAUNCHER that adds user and system time (suite/docs/suite.md).
struct StepKind {
  std::string_view part;
  double cpu_s;
};
constexpr StepKind kBuildSteps[] = {
    {"cmake_pch.hxx.gch", 36.1}, {"lapcast_networks.dir", 13.0}, {"lapcast_torch_loops.dir", 10.4},
    {"lapcast_torch.dir", 9.9},  {"lapcast_detection.dir", 9.5}, {"lapcast_data.dir", 4.6}};
constexpr double kNetworkProgram = 7.4;  // a program that includes LibTorch's headers
constexpr double kOtherStep = 1.1;

bool is_network_program(std::string_view line) {
  return std::ranges::any_of(suite(), [&](const Workload& workload) {
    return !workload.counts_queens() &&
           line.find("object CMakeFiles/" + workload.name + ".dir") != line.npos;
  });
}

double cpu_s_of(std::string_view line) {
  for (const StepKind& kind : kBuildSteps)
    if (line.find(kind.part) != line.npos) return kind.cpu_s;
  return is_network_program(line) ? kNetworkProgram : kOtherStep;
}

/// Returns whether a line of Ninja is a step: "[1/9] ...".
bool is_step(std::string_view line) {
  return line.starts_with('[') && line.find("] ") != line.npos;
}

bool has_sources(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "suite/programs/CMakeLists.txt", error) &&
         fs::exists(folder / "include/lapcast/lap.h", error);
}

/// Returns the folder, or the nearest above it, that has the sources; empty if none has.
fs::path sources_above(fs::path folder) {
  for (; !has_sources(folder); folder = folder.parent_path())
    if (folder == folder.parent_path()) return {};
  return folder;
}

/// Prints where CMake finds the PyTorch of the interpreter that runs it.
constexpr const char* kAskTorch =
    "import torch\n"
    "assert tuple(int(part) for part in torch.__version__.split('.')[:2]) >= (2, 7)\n"
    "print(torch.utils.cmake_prefix_path)\n";

/// Removes what CMake remembers in a tree of other sources or another PyTorch.
void forget_other_tree(const fs::path& tree, const std::string& source, const std::string& torch) {
  const std::string cache = text_of_file(tree / "CMakeCache.txt");
  const auto has_line = [&](const std::string& line) {
    return cache.find("\n" + line + "\n") != cache.npos;
  };
  if (cache.empty() || (has_line("CMAKE_HOME_DIRECTORY:INTERNAL=" + source) &&
                        has_line("CMAKE_PREFIX_PATH:UNINITIALIZED=" + torch)))
    return;
  std::error_code ignored;
  fs::remove(tree / "CMakeCache.txt", ignored);
  fs::remove_all(tree / "CMakeFiles", ignored);
}

/// Returns the first error of CMake or of a compiler in one line.
std::string first_error(const std::string& text) {
  for (const char* mark : {"CMake Error", " error: ", "FAILED: "}) {
    const std::size_t at = text.find(mark);
    if (at == text.npos) continue;
    const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 = 0
    const std::string rest = text.substr(begin, 600);
    const bool is_cmake = *mark == 'C';  // whose message is on the lines below
    return printable(is_cmake ? rest : rest.substr(0, rest.find('\n')), 300);
  }
  return printable(last_lines(text, 1), 300);
}

}  // namespace

fs::path suite_sources(const std::string& given) {
  if (!given.empty()) {
    if (has_sources(given)) return fs::canonical(given);
    throw Error(ExitCode::usage,
                fmt::format("--source: {} has no suite/programs of lapcast", printable(given)));
  }
  for (const fs::path& folder : {fs::current_path(), own_binary().parent_path()})
    if (const fs::path found = sources_above(folder); !found.empty()) return found;
  throw Error(ExitCode::usage,
              "the sources of the suite are not in this folder or above it, and the wheel does not "
              "have them: type this command in a clone of lapcast or in its unpacked source "
              "archive (lapcast-" LAPCAST_VERSION
              ".tar.gz), or name that folder with --source DIR");
}

fs::path suite_build_folder() {
  const auto given = given_suite_folder();
  if (!given) return own_cache_folder("suite");
  std::error_code error;
  if (fs::exists(*given / "CMakeCache.txt", error) || fs::is_empty(*given, error) ||
      !fs::exists(*given, error))
    return *given;
  throw Error(
      ExitCode::usage,
      fmt::format("LAPCAST_SUITE_DIR: {} has files and is not a build folder of CMake: name an "
                  "empty folder, or unset it",
                  printable(given->string())));
}

void check_build_tools() {
  std::vector<std::string> missing, packages;
  const auto need = [&](const char* what, std::vector<std::string> names, const char* package) {
    if (std::ranges::any_of(names, [](auto& name) { return find_program(name).has_value(); }))
      return;
    missing.push_back(what);
    packages.push_back(package);
  };
  const char* own = std::getenv("CXX");
  need("cmake", {"cmake"}, "cmake");
  need("ninja", {"ninja"}, "ninja-build");
  need("a C++ compiler", {own != nullptr ? own : "c++", "g++", "clang++"}, "g++");
  if (missing.empty()) return;
  throw Error(ExitCode::system_failed,
              fmt::format("building needs {}, not found on PATH: apt-get install {}",
                          fmt::join(missing, " and "), fmt::join(packages, " ")));
}

Result<fs::path> find_torch(const fs::path& sources) {
  if (const char* given = std::getenv("LAPCAST_TORCH"); given != nullptr && *given != '\0')
    return fs::path(given);
  for (const std::string& python :
       {std::string("python3"), (own_binary().parent_path() / "python3").string(),
        (sources / "build/venv/bin/python").string()}) {
    if (!find_program(python)) continue;
    const auto answer = output_of({python, "-c", kAskTorch}, std::chrono::minutes(2));
    if (answer) return fs::path(last_lines(*answer, 1));
  }
  return because(
      "PyTorch 2.7 or newer is needed, and neither python3 on PATH nor build/venv of the sources "
      "has it: pip install torch, or set LAPCAST_TORCH to the share/cmake folder of one");
}

std::size_t build_jobs() {
  const MachineDescription& machine = this_machine();
  const auto cpus = std::max<std::size_t>(1, machine.allowed_cpus.size());
  const double fit = static_cast<double>(machine.available_memory_bytes) / kCompilerBytes;
  return machine.available_memory_bytes > 0 ? std::clamp<std::size_t>(fit, 1, cpus) : cpus;
}

void BuildSteps::add(std::string_view line) {
  if (!is_step(line)) return;
  const Seconds step{cpu_s_of(line)};
  if (line.find(kBuildSteps[0].part) != line.npos)
    header = step;
  else
    longest = std::max(longest, step);
  cpu += step;
  ++count;
}

SuiteBuild::SuiteBuild(const fs::path& sources, fs::path tree, const fs::path& torch,
                       const Interrupt& interrupt)
    : tree_(std::move(tree)), interrupt_(interrupt) {
  const std::string source = (sources / "suite/programs").string();
  forget_other_tree(tree_, source, torch.string());
  const auto made = run({"cmake", "-S", source, "-B", tree_.string(), "-G", "Ninja",
                         "-DLAPCAST_WORKLOADS_TESTS=OFF",
                         fmt::format("-DLAPCAST_LIBTORCH={}", torch.empty() ? "OFF" : "ON"),
                         "-DCMAKE_PREFIX_PATH=" + torch.string()});
  if (!made)
    throw Error(ExitCode::program_failed,
                fmt::format("cmake failed: {}; all of it is in {}",
                            log_.empty() ? made.error().text : first_error(log_),
                            printable((tree_ / "build.log").string())));
  configured_ = *made;
  if (const auto targets = ninja({"-t", "targets", "all"}))
    for (const std::string_view line : split(*targets, '\n'))
      targets_.emplace(line.substr(0, line.find(": ")));
}

std::string SuiteBuild::why_not(const std::string& program) const {
  if (targets_.contains(program)) return "";
  for (const std::string_view line : split(configured_, '\n'))
    if (line.starts_with("-- No ") && line.find(program) != line.npos)
      return printable(line.substr(3), 300);
  return fmt::format("the sources have no program {}", program);
}

BuildSteps SuiteBuild::steps_for(const std::vector<std::string>& programs) {
  BuildSteps steps;
  std::vector<std::string> arguments{"-n"};
  arguments.insert(arguments.end(), programs.begin(), programs.end());
  if (const auto printed = ninja(std::move(arguments)))
    for (const std::string_view line : split(*printed, '\n')) steps.add(line);
  return steps;
}

std::map<std::string, std::string> SuiteBuild::build(const std::vector<std::string>& programs,
                                                     std::size_t jobs,
                                                     const BuildProgress& progress) {
  const BuildSteps all = steps_for(programs);
  const MonotonicNs begun = monotonic_ns();
  BuildSteps done;
  const auto on_line = [&](std::string_view line) {
    if (!is_step(line)) return;
    done.add(line);
    const double left = (all.cpu - done.cpu) / done.cpu;  // of what the done steps took
    progress(fmt::format("building: step {} of {}, about {} left", done.count, all.count,
                         format_duration(std::max(0.0, left) * from_ns(monotonic_ns() - begun))));
  };
  std::vector<std::string> arguments{"-k", "0", "-j", std::to_string(jobs)};
  arguments.insert(arguments.end(), programs.begin(), programs.end());
  const std::size_t before = log_.size();
  if (const auto made = ninja(std::move(arguments), on_line)) return {};
  const std::string error = first_error(log_.substr(before));
  std::map<std::string, std::string> failed;
  for (const std::string& program : programs)
    if (steps_for({program}).count > 0)
      failed[program] =
          fmt::format("{}; all of it is in {}", error, printable((tree_ / "build.log").string()));
  return failed;
}

Result<std::string> SuiteBuild::run(const std::vector<std::string>& arguments,
                                    const std::function<void(std::string_view)>& on_line) {
  std::string line;
  auto result = output_of_helper(arguments, interrupt_, [&](Stream, std::string_view bytes) {
    log_ += bytes;
    for (const char byte : bytes) {
      if (byte != '\n')
        line += byte;
      else if (on_line)
        on_line(std::exchange(line, ""));
      else
        line.clear();
    }
  });
  if (std::ofstream log(tree_ / "build.log", std::ios::binary | std::ios::trunc); log) log << log_;
  if (interrupt_.count() > 0)
    throw Error(ExitCode::interrupted,
                "interrupted; what was built is kept, and the same command "
                "goes on");
  return result;
}

Result<std::string> SuiteBuild::ninja(std::vector<std::string> arguments,
                                      const std::function<void(std::string_view)>& on_line) {
  std::vector<std::string> all{"ninja", "-C", tree_.string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run(all, on_line);
}

}  // namespace lapcast
