#include "suite/driver/queens.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "core/units.h"
#include "machine/proc_text.h"
#include "suite/driver/last_metrics.h"

namespace lapcast {
namespace {

constexpr int kLargestBoard = 20;

[[noreturn]] void refuse(std::string_view text) {
  throw Error(ExitCode::usage,
              fmt::format("'{}' is not a list of board sizes from 1 to {}, such as 10..16 or 10,12",
                          printable(text, 60), kLargestBoard));
}

int board_size(std::string_view text, std::string_view whole) {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n < 1 || n > kLargestBoard)
    refuse(whole);
  return n;
}

void add_range(std::string_view part, std::string_view whole, std::set<int>& sizes) {
  const std::size_t dots = part.find("..");
  const int first = board_size(part.substr(0, dots), whole);
  const int last =
      dots == std::string_view::npos ? first : board_size(part.substr(dots + 2), whole);
  if (last < first) refuse(whole);
  for (int n = first; n <= last; ++n) sizes.insert(n);
}

}  // namespace

std::optional<std::int64_t> known_solutions(int n) {
  constexpr std::array<std::int64_t, kLargestBoard> kSolutions{
      1,    0,     0,     2,      10,      4,        40,       92,        352,        724,
      2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624, 4968057848, 39029188884};
  if (n < 1 || n > kLargestBoard) return std::nullopt;
  return kSolutions[static_cast<std::size_t>(n - 1)];
}

std::vector<int> parse_board_sizes(std::string_view text) {
  std::set<int> sizes;
  for (const std::string_view part : split(text, ',')) add_range(part, text, sizes);
  return {sizes.begin(), sizes.end()};
}

double expected_nodes(double nodes_before, double nodes_known, int n_known, int n) {
  constexpr double kGrowthOfGrowth = 0.37;
  double growth = nodes_known / nodes_before;
  double nodes = nodes_known;
  for (int board = n_known; board < n; ++board) nodes *= growth += kGrowthOfGrowth;
  return nodes;
}

std::string_view name_of(QueensMode mode) {
  switch (mode) {
    case QueensMode::serial:
      return "one thread";
    case QueensMode::cores:
      return "all cores";
    case QueensMode::gpu:
      return "GPU";
  }
  return "";
}

Result<QueensResult> queens_result(const Run& run) {
  const auto metrics = last_metrics(run, {"solutions", "nodes", "seconds"});
  if (!metrics) return tl::unexpected(metrics.error());
  const double solutions = (*metrics)[0], nodes = (*metrics)[1], seconds = (*metrics)[2];
  const bool sane = solutions >= 0 && solutions < 9e15 && nodes >= 0 && seconds > 0;
  if (!sane || solutions != std::floor(solutions))
    return because("what it reports is not counts and a time");
  QueensResult result{static_cast<std::int64_t>(solutions), nodes, seconds};
  const auto kernels = last_metrics(run, {"kernel_seconds"});
  if (kernels && (*kernels)[0] >= 0) result.kernel_seconds = (*kernels)[0];
  return result;
}

std::optional<QueensRuns> board_of(const RunContext& context) {
  const auto setting = [&](const char* name) {
    const auto found = context.settings.find(name);
    return found == context.settings.end() ? std::string() : found->second;
  };
  const std::string n = setting("n");
  QueensRuns board;
  if (setting("algorithm").empty() || !setting(kPieceSetting).empty() ||
      std::from_chars(n.data(), n.data() + n.size(), board.n).ec != std::errc{})
    return std::nullopt;
  board.mode = setting("device") == "cuda" ? QueensMode::gpu
               : setting("threads") == "1" ? QueensMode::serial
                                           : QueensMode::cores;
  return board;
}

void add_results(QueensRuns& board, std::span<const Run> runs) {
  std::string why_not;
  for (const Run& run : runs) {
    if (run.context.warm_up) continue;
    const Result<QueensResult> one = queens_result(run);
    if (!one) {
      why_not = one.error().text;
      continue;
    }
    if (!board.seconds.empty() && board.solutions != one->solutions)
      board.reason = "its runs found different numbers of solutions";
    board.solutions = one->solutions;
    board.nodes = one->nodes;
    board.seconds.push_back(one->seconds);
    if (one->kernel_seconds) board.kernel_seconds.push_back(*one->kernel_seconds);
  }
  if (board.seconds.empty()) board.reason = why_not;
}

}  // namespace lapcast
