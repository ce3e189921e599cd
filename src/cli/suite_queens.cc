#include "cli/suite_queens.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <set>

namespace lapcast {
namespace {

struct Mode {
  QueensMode mode;
  std::string device;
  std::int64_t threads;  // 0 = left to the program
};

std::vector<Mode> modes(const SuiteOptions& options) {
  const auto usable = static_cast<std::int64_t>(this_machine().allowed_cpus.size());
  const std::int64_t cpus = options.threads > 0 ? options.threads : usable;
  std::vector<Mode> result{{QueensMode::serial, "cpu", 1}};
  if (cpus > 1) result.push_back({QueensMode::cores, "cpu", cpus});
  if (options.device == "cuda" || (options.device.empty() && has_nvidia_gpu()))
    result.push_back({QueensMode::gpu, "cuda", 0});
  return result;
}

QueensRuns runs_of(int n, QueensMode mode, const RunSet& set) {
  QueensRuns result{.n = n, .mode = mode};
  result.reason = set.reason;
  for (const Run& run : set.runs) {
    const Result<QueensResult> one = queens_result(run);
    if (!one) continue;
    const bool changed = !result.seconds.empty() && result.solutions != one->solutions;
    if (changed) result.reason = "its runs found different numbers of solutions";
    result.solutions = one->solutions;
    result.nodes = one->nodes;
    result.seconds.push_back(one->seconds);
  }
  return result;
}

}  // namespace

void QueensOptions::add_to(CLI::App& app) {
  app.add_option("--n", boards, "nqueens: sizes of the board, such as 10..16 or 12,14 [10..16]")
      ->type_name("N..N");
  app.add_option("--algorithm", algorithm,
                 "nqueens: paper, to compare machines as [C] does, or fast [paper]")
      ->check(CLI::IsMember({"paper", "fast"}))
      ->type_name("paper|fast");
}

std::vector<QueensRuns> run_queens(const Workload& workload, const SuiteOptions& options,
                                   const QueensOptions& queens,
                                   const std::vector<std::string>& more, RepeatedRuns& runs,
                                   bool& interrupted) {
  const auto seconds = [](const Run& run) -> Result<double> {
    const auto result = queens_result(run);
    if (!result) return tl::unexpected(result.error());
    return result->seconds;
  };
  const auto program = workload_program(workload.name);
  const std::vector<Mode> all_modes = modes(options);
  std::vector<QueensRuns> all;
  std::set<QueensMode> failed;
  for (const int n :
       parse_board_sizes(queens.boards.empty() ? workload.board_sizes : queens.boards))
    for (const Mode& mode : all_modes) {
      if (interrupted || failed.contains(mode.mode)) continue;
      const RunContext context =
          ProgramCall(program)
              .setting("n", n)
              .setting("algorithm", queens.algorithm.empty() ? "paper" : queens.algorithm)
              .setting("device", mode.device)
              .setting("threads", mode.threads)
              .more(more)
              .context(options.machine);
      const RunSet set = runs.complete(
          context, fmt::format("{} {}, {}", workload.name, n, name_of(mode.mode)), seconds);
      interrupted = set.interrupted;
      all.push_back(runs_of(n, mode.mode, set));
      if (!set.reason.empty()) failed.insert(mode.mode);
    }
  return all;
}

}  // namespace lapcast
