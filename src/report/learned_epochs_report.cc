#include "report/learned_epochs_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stats/summary.h"

namespace lapcast {
namespace {

std::vector<double> as_numbers(const std::vector<std::int64_t>& counts) {
  return {counts.begin(), counts.end()};
}

}  // namespace

Cell epochs_cell(const Candidate& candidate) {
  const auto epochs = static_cast<std::int64_t>(candidate.epochs);
  if (epochs <= 0) return {};
  if (candidate.trained_epochs.empty()) return epochs;
  const auto [fewest, most] = std::ranges::minmax(candidate.trained_epochs);
  return fmt::format("{} ({}-{})", epochs, fewest, most);
}

std::optional<Table> learned_epochs_table(const Ranking& ranking) {
  std::map<std::string, std::vector<std::int64_t>> by_settings;
  for (const Choice& choice : ranking.chosen)
    if (!choice.candidate->trained_epochs.empty())
      by_settings[choice.candidate->settings] = choice.candidate->trained_epochs;
  if (by_settings.empty()) return std::nullopt;
  struct Row {
    std::string settings;
    std::int64_t trainings;
    Summary epochs;
  };
  std::vector<Row> rows;
  for (const auto& [settings, trained] : by_settings)
    rows.push_back({settings, std::ssize(trained), summarise(as_numbers(trained))});
  Table table =
      table_of<Row>("learned_epochs", "Epochs until the training stopped improving",
                    {{"settings", "settings", [](auto& row) { return Settings{row.settings}; }},
                     {"trainings", "trainings", &Row::trainings},
                     {"mean_epochs", "mean",
                      [](auto& row) {
                        return Number{row.epochs.mean, 1};
                      }},
                     {"sd_epochs", "sd",
                      [](auto& row) {
                        return Number{row.epochs.sd, 1};
                      }},
                     {"min_epochs", "fewest",
                      [](auto& row) {
                        return Number{row.epochs.min, 0};
                      }},
                     {"max_epochs", "most",
                      [](auto& row) {
                        return Number{row.epochs.max, 0};
                      }}},
                    rows);
  table.after.emplace_back(
      "candidates are ranked at the mean, rounded to a whole epoch; their intervals hold what one "
      "more training may need, their chances are those at the mean");
  return table;
}

}  // namespace lapcast
