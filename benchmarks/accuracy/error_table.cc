#include "accuracy/error_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "stats/summary.h"

namespace lapcast::accuracy {
namespace {

struct Errors {
  std::vector<double> papers, ours, widths;
  std::size_t covered = 0;

  void add(const Judgement& judged) {
    papers.push_back(100 * std::abs(judged.papers / judged.real - 1));
    ours.push_back(100 * std::abs(judged.ours.mid / judged.real - 1));
    widths.push_back(100 * ((judged.ours.high - judged.ours.low) / judged.ours.mid));
    covered += judged.ours.contains(judged.real);
  }
};

using Key = std::tuple<Fit, Group, std::string>;

ErrorRow row_of(const Key& key, const Errors& errors) {
  ErrorRow row;
  std::tie(row.fit, row.group, row.seen) = key;
  row.runs = errors.ours.size();
  row.papers_median = median(errors.papers);
  row.papers_p90 = quantile(errors.papers, 0.9);
  row.ours_median = median(errors.ours);
  row.ours_p90 = quantile(errors.ours, 0.9);
  row.coverage = 100 * static_cast<double>(errors.covered) / static_cast<double>(row.runs);
  row.width = median(errors.widths);
  return row;
}

}  // namespace

std::vector<ErrorRow> error_rows(const std::vector<Judgement>& judgements) {
  std::map<Key, Errors> errors;
  for (const Judgement& judged : judgements) {
    for (const Group& group : judged.groups) errors[{judged.fit, group, judged.seen}].add(judged);
  }
  std::vector<ErrorRow> rows;
  for (const auto& [key, of_key] : errors) rows.push_back(row_of(key, of_key));
  return rows;
}

std::string_view to_string(Fit fit) {
  if (fit == Fit::others) return "row";
  return fit == Fit::none ? "alone" : "fitted";
}

std::string to_text(const ErrorRow& row) {
  return fmt::format("{}\t{}\t{}\t{}\t{:.2f}\t{:.1f}\t{:.2f}\t{:.1f}\t{:.1f}\t{:.1f}\n",
                     to_string(row.fit), row.group.name, row.seen, row.runs, row.papers_median,
                     row.papers_p90, row.ours_median, row.ours_p90, row.coverage, row.width);
}

}  // namespace lapcast::accuracy
