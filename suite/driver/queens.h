#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "run/run.h"

namespace lapcast {

/// Returns in how many ways N queens stand on an N x N board without attacking each other: OEIS
/// A000170, for N from 1 to 20.
std::optional<std::int64_t> known_solutions(int n);

/// Parses "10..16", "10,12" or "14" into board sizes from 1 to 20, ascending, each once. Throws
/// Error (usage).
std::vector<int> parse_board_sizes(std::string_view text);

/// Returns about how many nodes the paper's search of an n x n board has, from those of two boards
/// that follow each other, (n_known - 1) and n_known. From 8 to 16 the growth from board to board
/// grows by 0.33 to 0.40 itself (4.1, 4.2, 4.7, 5.1, 5.5, 5.9, 6.3, 6.7); it is taken to go on by
/// 0.37.
double expected_nodes(double nodes_before, double nodes_known, int n_known, int n);

/// Says how the solver was run, as in figures 1 and 2 of Carneiro 2018.
enum class QueensMode { serial, cores, gpu };
std::string_view name_of(QueensMode mode);  // "one thread", "all cores", "GPU"

/// Holds what one run of the solver reports with the metrics `solutions`, `nodes` and `seconds`,
/// and on a GPU `kernel_seconds`.
struct QueensResult {
  std::int64_t solutions = 0;
  double nodes = 0;
  double seconds = 0;
  std::optional<double> kernel_seconds = std::nullopt;  // the part in which a GPU's kernels ran
};
/// Returns the result, or the reason why there is none: the run failed, or a metric is missing or
/// is not a valid number.
Result<QueensResult> queens_result(const Run& run);

/// Holds all runs of one board in one mode.
struct QueensRuns {
  int n = 0;
  QueensMode mode = QueensMode::serial;
  std::string machine;  // machine type of a fleet; empty = this machine
  std::int64_t solutions = 0;
  double nodes = 0;
  std::vector<double> seconds;              // of each run
  std::vector<double> kernel_seconds = {};  // likewise, where they are known
  std::string reason;                       // why there are none

  bool correct() const { return known_solutions(n) == solutions; }
};

/// Returns the board and the mode of a run of nqueens, without results; nothing for a run of
/// another program.
std::optional<QueensRuns> board_of(const RunContext& context);

/// Adds the results of the runs that are not a warm-up. The reason says where runs found different
/// numbers of solutions, or where no run has a result, why the last one has none.
void add_results(QueensRuns& board, std::span<const Run> runs);

}  // namespace lapcast
