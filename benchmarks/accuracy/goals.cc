#include "accuracy/goals.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "accuracy/groups.h"

namespace lapcast::accuracy {
namespace {

struct Goal {
  std::string_view group;
  std::string_view seen;
  MedianAndTail most;  // percent
  Fit fit = Fit::others;
};
constexpr Goal kGoals[] = {
    {kCoreLong, "2 epochs", {0.75, 4.5}},
    {kCoreLong, "2 epochs", {0.9, 5}, Fit::none},
    {kCoreLong, "5 epochs", {0.45, 3}},
    {kCoreShort, "2 epochs", {1.2, 9}},
    {"unet3d", "2 epochs", {2.5, 10}},
    {"minigo", "5 epochs", {5.5, 18}},
    {"resnet, iterations", "100 iterations", {1.2, 12}},
    {"maskrcnn, iterations", "100 iterations", {1.5, 4}},
};
constexpr std::size_t kEnoughToCompare = 30;  // runs
constexpr std::size_t kEnoughToCover = 100;
constexpr double kLeastCoverage = 90, kMostCoverage = 98;  // percent
constexpr double kRounding = 0.1;  // percent of the time: a smaller difference does not count

using Rows = std::map<Fit, const ErrorRow*>;  // of one group and observed part

/// Returns ", alone 1.00 / 5.6 %" of the row that knew no other runs.
template <class Figure>
std::string alone(const Rows& rows, const Figure& figure) {
  const auto row = rows.find(Fit::none);
  return row == rows.end() ? "" : fmt::format(", alone {} %", figure(*row->second));
}

void compare_with_goal(const Rows& rows, std::vector<Verdict>& verdicts) {
  for (const Goal& goal : kGoals) {
    const auto found = rows.find(goal.fit);
    if (found == rows.end()) continue;
    const ErrorRow& row = *found->second;
    if (goal.group != row.group.name || goal.seen != row.seen) continue;
    verdicts.push_back({row.ours.median <= goal.most.median && row.ours.p90 <= goal.most.p90,
                        fmt::format("{}\t{}\tat most {} / {} %{}, is {} %", row.group.name,
                                    row.seen, goal.most.median, goal.most.p90,
                                    goal.fit == Fit::none ? " alone" : "", to_text(row.ours))});
  }
}

void compare_with_papers(const Rows& rows, std::vector<Verdict>& verdicts) {
  const ErrorRow& row = *rows.at(Fit::others);
  if (row.group.place != kPlaceOfBenchmarks || row.runs < kEnoughToCompare) return;
  const bool worse =
      row.ours.median > row.papers.median + kRounding || row.ours.p90 > row.papers.p90 + kRounding;
  verdicts.push_back(
      {!worse, fmt::format("{}\t{}\tno worse than the papers' {} %, is {} %{}", row.group.name,
                           row.seen, to_text(row.papers), to_text(row.ours),
                           alone(rows, [](auto& r) { return to_text(r.ours); }))});
}

void judge_coverage(const Rows& rows, std::vector<Verdict>& verdicts) {
  const ErrorRow& row = *rows.at(Fit::others);
  if (row.runs < kEnoughToCover) return;
  verdicts.push_back(
      {row.coverage >= kLeastCoverage && row.coverage <= kMostCoverage,
       fmt::format("{}\t{}\tintervals cover {} to {} %, do {:.1f} %{}", row.group.name, row.seen,
                   kLeastCoverage, kMostCoverage, row.coverage,
                   alone(rows, [](auto& r) { return fmt::format("{:.1f}", r.coverage); }))});
}

}  // namespace

std::vector<Verdict> verdicts(const std::vector<ErrorRow>& rows) {
  std::map<std::pair<Group, std::string>, Rows> groups;
  for (const ErrorRow& row : rows) groups[{row.group, row.seen}][row.fit] = &row;
  std::erase_if(groups, [](const auto& entry) { return !entry.second.contains(Fit::others); });
  std::vector<Verdict> result;
  for (const auto& check : {compare_with_goal, compare_with_papers, judge_coverage}) {
    const std::size_t before = result.size();
    for (const auto& [key, of_group] : groups) check(of_group, result);
    if (check == compare_with_goal || result.size() == before) continue;
    const auto judged = std::span(result).subspan(before);
    const auto met = static_cast<std::size_t>(std::ranges::count(judged, true, &Verdict::met));
    const std::size_t of = judged.size();
    result.push_back(
        {met == of,
         fmt::format("all\t\t{}: {} of {}",
                     check == judge_coverage ? "covered" : "no worse than the papers", met, of)});
  }
  return result;
}

}  // namespace lapcast::accuracy
