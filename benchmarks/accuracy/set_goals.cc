#include "accuracy/set_goals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "accuracy/groups.h"
#include "accuracy/interval_sets.h"

namespace lapcast::accuracy {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastJudged = 30;               // runs
constexpr double kCoveredFrom = 90, kCoveredTo = 98;   // percent of a group
constexpr double kGroupsCovered = 90, kNotWorse = 95;  // percent of the groups
constexpr double kNoDifference = 0.1;                  // percent of the time
constexpr double kScoreOfBefore = 0.75;                // of the ratio before

struct SetGoal {
  std::string_view set, group, seen;
  std::optional<MedianAndTail> most;  // percent
  bool covered = false;               // 90 to 98 % must be
};
constexpr SetGoal kSetGoals[] = {
    {"algoperf", kAlgoperf, "first 2 %", {{1.2, 12}}},
    {"algoperf", kAlgoperf, "first 5 %", {{1.0, 9}}},
    {"algoperf", kAlgoperf, "first 10 %", {{0.8, 7}}},
    {"algoperf", kAlgoperfStrict, "first 2 %", {{0.7, 5}}},
    {"mlperf-new", kCoreLong, "2 epochs", {{0.33, 3.0}}, true},
    {"mlperf-new", "openfold, 5 min and more", "2 epochs", {{4, 15}}, true},
    {"megatron", kMegatron, "10 iterations", {{1.0, 5}}},
    {"mlperf", kCoreLong, "2 epochs", {{0.6, 4.5}}},
    {"mlperf", kCoreLong, "5 epochs", {{0.4, 3}}},
    {"mlperf", "resnet, iterations", "100 iterations", {{1.5, 14}}},
    {"mlperf", "minigo, 5 min and more", "2 epochs", {}, true},
};

/// Gives the interval score over the oracle's on 2026-11-28, before any change for these sets.
struct ScoreBefore {
  std::string_view set, seen;
  double ratio = 0;
};
constexpr ScoreBefore kScores[] = {{"algoperf", "first 2 %", 2.595},
                                   {"mlperf-new", "2 epochs", 2.327},
                                   {"mlperf", "2 epochs", 4.237}};

bool is_covered(const ErrorRow& row) {
  return row.coverage >= kCoveredFrom && row.coverage <= kCoveredTo;
}

void judge_goal(const SetGoal& goal, const ErrorRow& row, std::vector<Verdict>& verdicts) {
  const std::string where = fmt::format("{}\t{}\t{}", goal.set, row.group.name, row.seen);
  if (goal.most)
    verdicts.push_back({row.ours.median <= goal.most->median && row.ours.p90 <= goal.most->p90,
                        fmt::format("{}\tat most {} / {} %, is {} %", where, goal.most->median,
                                    goal.most->p90, to_text(row.ours))});
  if (goal.covered)
    verdicts.push_back({is_covered(row), fmt::format("{}\tcovered {} to {} %, is {:.1f} %", where,
                                                     kCoveredFrom, kCoveredTo, row.coverage)});
}

/// Judges which share of some rows is as it should be.
template <class IsRight>
void judge_share(std::string_view set, const char* what, const std::vector<const ErrorRow*>& rows,
                 double least, IsRight is_right, std::vector<Verdict>& verdicts) {
  if (rows.empty()) return;
  const auto right = static_cast<double>(std::ranges::count_if(rows, is_right));
  const auto all = static_cast<double>(rows.size());
  verdicts.push_back(
      {100 * right >= least * all, fmt::format("{}\tall groups\t\t{}: at least {} %, is {} of {}",
                                               set, what, least, right, all)});
}

bool is_there(const fs::path& folder, const std::string& table) {
  std::error_code ignored;
  return fs::exists(folder / table, ignored) || fs::exists(folder / (table + ".gz"), ignored);
}

}  // namespace

std::vector<SetFolder> sets_in(const fs::path& folder) {
  const fs::path whole = fs::weakly_canonical(folder);
  if (is_there(whole, "evals.csv")) return {{"algoperf", whole, {}}};
  if (is_there(whole, "series.csv") && is_there(whole, "files.csv"))
    return {{"megatron", whole, {}}};
  if (is_there(whole, "events.csv")) return {{"mlperf", whole, {}}};
  std::vector<SetFolder> sets;
  if (is_there(whole / "algoperf", "evals.csv"))
    sets.push_back({"algoperf", whole / "algoperf", {}});
  if (fs::is_directory(whole / "mlperf-new" / "mlperf"))
    sets.push_back({"mlperf-new", whole / "mlperf-new" / "mlperf", whole / "mlperf-new"});
  if (is_there(whole / "megatron", "files.csv"))
    sets.push_back({"megatron", whole / "megatron", {}});
  if (sets.empty() || fs::is_directory(whole / "mlperf")) {
    const bool is_new = whole.filename() == "mlperf-new";
    sets.push_back({is_new ? "mlperf-new" : "mlperf", whole / "mlperf", whole});
  }
  return sets;
}

std::string_view scored_part(std::string_view set) {
  const auto score = std::ranges::find(kScores, set, &ScoreBefore::set);
  return score == std::end(kScores) ? "" : score->seen;
}

std::vector<Verdict> set_verdicts(std::string_view set, const std::vector<ErrorRow>& rows,
                                  const IntervalScores& scores) {
  std::vector<Verdict> verdicts;
  std::vector<const ErrorRow*> judged, benchmarks;
  for (const ErrorRow& row : rows) {
    if (row.fit != Fit::others || row.runs < kLeastJudged) continue;
    judged.push_back(&row);
    if (row.group.place == kPlaceOfBenchmarks) benchmarks.push_back(&row);
    for (const SetGoal& goal : kSetGoals)
      if (goal.set == set && goal.group == row.group.name && goal.seen == row.seen)
        judge_goal(goal, row, verdicts);
  }
  judge_share(
      set, "covered 90 to 98 %", judged, kGroupsCovered,
      [](const ErrorRow* row) { return is_covered(*row); }, verdicts);
  if (set == "mlperf")
    judge_share(
        set, "no worse than the papers", benchmarks, kNotWorse,
        [](const ErrorRow* row) {
          return row->ours.median <= row->papers.median + kNoDifference &&
                 row->ours.p90 <= row->papers.p90 + kNoDifference;
        },
        verdicts);
  const auto before = std::ranges::find(kScores, set, &ScoreBefore::set);
  if (before != std::end(kScores) && scores.runs >= kLeastJudged)
    verdicts.push_back(
        {scores.ratio() <= kScoreOfBefore * before->ratio,
         fmt::format("{}\tinterval score over the oracle's\t{}\tat most {:.2f}, is {:.2f}", set,
                     before->seen, kScoreOfBefore * before->ratio, scores.ratio())});
  return verdicts;
}

}  // namespace lapcast::accuracy
