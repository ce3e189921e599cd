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

/// Returns in how many ways N queens can be placed on an N x N board without attacking each other:
/// OEIS A000170, for N from 1 to 20.
std::optional<std::int64_t> known_solutions(int n);

/// Parses "10..16", "10,12" or "14" into board sizes from 1 to 20, ascending and without
/// duplicates. Throws Error (usage).
std::vector<int> parse_board_sizes(std::string_view text);

/// Estimates the nodes in the paper's search of an n x n board from those of two consecutive
/// boards, (n_known - 1) and n_known. From 8 to 16 the growth from board to board itself grows by
/// 0.33 to 0.40 (4.1, 4.2, 4.7, 5.1, 5.5, 5.9, 6.3, 6.7); 0.37 is assumed beyond.
double expected_nodes(double nodes_before, double nodes_known, int n_known, int n);

/// Lists how the solver can run, as in figures 1 and 2 of Carneiro 2018.
enum class QueensMode { serial, cores, gpu };
std::string_view name_of(QueensMode mode);  // "one thread", "all cores", "GPU"

/// Is the setting of a run that counts a piece of a board (`lapcast suite split`), such as "3/20".
inline constexpr const char* kPieceSetting = "piece";

/// Holds the metrics of one run of the solver: `solutions`, `nodes` and `seconds`, and on a GPU
/// `kernel_seconds`.
struct QueensResult {
  std::int64_t solutions = 0;
  double nodes = 0;
  double seconds = 0;
  std::optional<double> kernel_seconds = std::nullopt;  // part of `seconds` in GPU kernels
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
  std::vector<double> kernel_seconds = {};  // likewise, if they are known
  std::string reason;                       // why there are none

  bool correct() const { return known_solutions(n) == solutions; }
};

/// Returns the board and the mode of a run of nqueens, without results; nullopt for a run of
/// another program, and for one that counts a piece only.
std::optional<QueensRuns> board_of(const RunContext& context);

/// Adds the results of the runs that are not a warm-up. The reason says if runs found different
/// numbers of solutions or, if no run has a result, why the last one has none.
void add_results(QueensRuns& board, std::span<const Run> runs);

}  // namespace lapcast
