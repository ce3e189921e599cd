#include "accuracy/goals.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "accuracy/groups.h"

namespace lapcast::accuracy {
namespace {

struct Goal {
  std::string_view group;
  std::string_view seen;
  double median;  // percent
  double p90;
};
constexpr Goal kGoals[] = {
    {kCoreLong, "2 epochs", 0.8, 4.0},
    {kCoreLong, "5 epochs", 0.5, 2.0},
    {kCoreShort, "2 epochs", 1.0, 8},
    {"unet3d", "2 epochs", 3, 10},
    {"minigo", "5 epochs", 6, 20},
    {"resnet, iterations", "100 iterations", 1.2, 10},
    {"maskrcnn, iterations", "100 iterations", 2, 5},
    {"DAWNBench ImageNet", "2 epochs of each phase", 3, 20},
};
constexpr std::size_t kEnoughToCompare = 30;  // runs
constexpr std::size_t kEnoughToCover = 100;
constexpr double kLeastCoverage = 90, kMostCoverage = 98;  // percent
constexpr double kRounding = 0.1;  // percent of the time: a smaller difference does not count

void compare_with_goal(const ErrorRow& row, std::vector<Verdict>& verdicts) {
  const auto goal = std::find_if(std::begin(kGoals), std::end(kGoals), [&](const Goal& g) {
    return g.group == row.group.name && g.seen == row.seen;
  });
  if (goal == std::end(kGoals)) return;
  verdicts.push_back(
      {row.ours_median <= goal->median && row.ours_p90 <= goal->p90,
       fmt::format("{}\t{}\tat most {} / {} %, is {:.2f} / {:.1f} %", row.group.name, row.seen,
                   goal->median, goal->p90, row.ours_median, row.ours_p90)});
}

void compare_with_papers(const ErrorRow& row, std::vector<Verdict>& verdicts) {
  if (row.group.place != kPlaceOfBenchmarks || row.runs < kEnoughToCompare) return;
  const bool worse =
      row.ours_median > row.papers_median + kRounding || row.ours_p90 > row.papers_p90 + kRounding;
  verdicts.push_back({!worse, fmt::format("{}\t{}\tno worse than the papers' {:.2f} / {:.1f} %, is "
                                          "{:.2f} / {:.1f} %",
                                          row.group.name, row.seen, row.papers_median,
                                          row.papers_p90, row.ours_median, row.ours_p90)});
}

void judge_coverage(const ErrorRow& row, std::vector<Verdict>& verdicts) {
  if (row.runs < kEnoughToCover) return;
  verdicts.push_back({row.coverage >= kLeastCoverage && row.coverage <= kMostCoverage,
                      fmt::format("{}\t{}\tintervals cover {} to {} %, do {:.1f} %", row.group.name,
                                  row.seen, kLeastCoverage, kMostCoverage, row.coverage)});
}

}  // namespace

std::vector<Verdict> verdicts(const std::vector<ErrorRow>& rows) {
  std::vector<Verdict> result;
  for (const auto& check : {compare_with_goal, compare_with_papers, judge_coverage}) {
    for (const ErrorRow& row : rows) {
      if (row.fit == Fit::others) check(row, result);
    }
  }
  return result;
}

}  // namespace lapcast::accuracy
