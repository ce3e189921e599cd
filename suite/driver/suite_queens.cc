#include "suite/driver/suite_queens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <utility>

#include "campaign/fleet_repeats.h"
#include "core/units.h"

namespace lapcast {
namespace {

/// Sets the board from which on the user is told in advance how long the boards take.
constexpr int kLongBoard = 15;
/// Sets the larger of the two boards for the estimate; the other has one row less.
constexpr int kTimedBoard = 13;

/// Says how the solver is run.
struct DeviceMode {
  QueensMode mode;
  std::string device;
  std::int64_t threads;  // 0 = left to the program
};

std::vector<DeviceMode> modes(const SuiteOptions& options, bool on_fleet) {
  const auto usable = static_cast<std::int64_t>(this_machine().allowed_cpus.size());
  const std::int64_t cpus = options.threads > 0 ? options.threads : on_fleet ? 0 : usable;
  std::vector<DeviceMode> result{{QueensMode::serial, "cpu", 1}};
  if (cpus != 1) result.push_back({QueensMode::cores, "cpu", cpus});
  if (wants_gpu(options.device, on_fleet)) result.push_back({QueensMode::gpu, "cuda", 0});
  return result;
}

Result<double> seconds_of(const Run& run) {
  const auto result = queens_result(run);
  if (!result) return tl::unexpected(result.error());
  return result->seconds;
}

RunContext context_of(const Workload& workload, int n, const DeviceMode& mode,
                      const SuiteOptions& options, const QueensOptions& queens,
                      const std::vector<std::string>& more) {
  return suite_context({workload_program(workload.name).string()},
                       {{"n", number_text(n)},
                        {"algorithm", queens.algorithm.empty() ? "paper" : queens.algorithm},
                        {"device", mode.device},
                        {"threads", number_text(mode.threads)}},
                       more, options);
}

/// Tells the user how long the boards will take, by timing two small ones on one thread here. Says
/// nothing if all boards are small, or if the two fail.
void say_how_long(const Workload& workload, const std::vector<int>& boards,
                  const SuiteOptions& options, const QueensOptions& queens,
                  const std::vector<std::string>& more, RepeatedRuns& runs) {
  if (boards.back() < kLongBoard) return;
  const auto timed = [&](int n) {
    return queens_result(
        runs.once(context_of(workload, n, {QueensMode::serial, "cpu", 1}, options, queens, more),
                  fmt::format("{} {}", workload.name, n)));
  };
  const auto before = timed(kTimedBoard - 1);
  const auto known = timed(kTimedBoard);
  if (!before || !known || !(before->nodes > 0) || !(known->nodes > 0)) return;
  const auto time_up_to = [&](int largest) {
    double seconds = 0;
    for (const int n : boards)
      if (n <= largest)
        seconds += known->seconds * expected_nodes(before->nodes, known->nodes, kTimedBoard, n) /
                   known->nodes;
    return Seconds{seconds};
  };
  const int largest = boards.back();
  runs.listener().say(
      fmt::format("{}: all boards once on one thread take about {} here, {} of it the largest; {} "
                  "runs of each, "
                  "and more on all cores; --max-n {} takes about {} once",
                  workload.name, format_duration(time_up_to(largest)),
                  format_duration(time_up_to(largest) - time_up_to(largest - 1)),
                  options.repeat.repeats, largest - 2, format_duration(time_up_to(largest - 2))));
}

}  // namespace

void QueensOptions::add_to(CLI::App& app) {
  add_options(
      app,
      {{"--n N..N", &boards, "nqueens: sizes of the board, such as 10..16 or 12,14 [10..18]"},
       {"--max-n N", &max_n, "nqueens: the largest board: each is about seven times the one before",
        up_to(20)},
       {"--algorithm paper|fast", &algorithm,
        "nqueens: paper, to compare machines as [C] does, or fast [paper]", one_of("paper|fast")},
       {"--baseline-serial MACHINE", &baselines.serial,
        "nqueens with --fleet: machine whose one thread speed-ups are over [each one's own]"}});
}

std::vector<int> QueensOptions::board_sizes(const Workload& workload) const {
  std::vector<int> sizes = parse_board_sizes(boards.empty() ? workload.board_sizes : boards);
  if (max_n > 0) std::erase_if(sizes, [this](int n) { return n > max_n; });
  if (sizes.empty()) throw Error(ExitCode::usage, "--max-n leaves no board to count");
  return sizes;
}

std::vector<QueensRuns> run_queens(const Workload& workload, const SuiteOptions& options,
                                   const QueensOptions& queens,
                                   const std::vector<std::string>& more, RepeatedRuns& runs,
                                   bool& interrupted) {
  const std::vector<int> boards = queens.board_sizes(workload);
  const std::vector<DeviceMode> all_modes = modes(options, false);
  say_how_long(workload, boards, options, queens, more, runs);
  std::vector<QueensRuns> all;
  std::set<QueensMode> failed;
  for (const int n : boards)
    for (const DeviceMode& mode : all_modes) {
      if (interrupted || failed.contains(mode.mode)) continue;
      const RunSet set =
          runs.complete(context_of(workload, n, mode, options, queens, more),
                        fmt::format("{} {}, {}", workload.name, n, name_of(mode.mode)), seconds_of);
      interrupted = set.interrupted;
      QueensRuns& board = all.emplace_back(QueensRuns{.n = n, .mode = mode.mode});
      add_results(board, set.runs);
      if (set.reason.empty()) continue;
      board.reason = set.reason;
      failed.insert(mode.mode);
    }
  return all;
}

FleetQueens run_queens_on_fleet(const Workload& workload, const SuiteOptions& options,
                                const QueensOptions& queens, SuiteFleetOptions fleet,
                                const std::vector<std::string>& more, RepeatedRuns& runs,
                                const MeasuringTools& tools) {
  const std::vector<int> boards = queens.board_sizes(workload);
  fleet.fleet_file = std::filesystem::absolute(fleet.fleet_file).string();
  std::vector<std::string> sizes;
  for (const int n : boards) sizes.push_back(std::to_string(n));
  std::vector<FleetRepeatPlan> plans;
  for (const DeviceMode& mode : modes(options, true)) {
    FleetRepeatRequest request =
        fleet_request(workload, context_of(workload, boards.front(), mode, options, queens, more),
                      options, fleet);
    request.sweep.values["n"] = sizes;
    request.value = seconds_of;
    plans.push_back(plan_repeats(std::move(request)));
  }
  say_how_long(workload, boards, options, queens, more, runs);
  FleetQueens result;
  for (const FleetRepeatPlan& plan : plans) {
    if (result.interrupted) break;
    const FleetRepeatResult repeats = run_repeats(plan, tools);
    result.interrupted = repeats.interrupted;
    for (std::size_t i = 0; i < repeats.groups.size(); ++i) {
      const RepeatGroup& group = repeats.groups[i];
      QueensRuns board = board_of(plan.sweep.candidates[i]).value_or(QueensRuns{});
      board.machine = group.machine_type;
      add_results(board, group.runs);
      if (!group.reason.empty()) board.reason = group.reason;
      result.boards.push_back(std::move(board));
    }
  }
  std::ranges::stable_sort(result.boards, {}, &QueensRuns::n);
  return result;
}

}  // namespace lapcast
