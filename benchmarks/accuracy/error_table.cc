#include "accuracy/error_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "stats/summary.h"

namespace lapcast::accuracy {
namespace {

struct Errors {
  std::vector<double> papers, ours, widths, shares, papers_rest, ours_rest;
  std::size_t covered = 0;

  void add(const Judgement& judged) {
    const Seconds rest = judged.real - judged.stopped;
    const auto percent_off = [&](Seconds total, Seconds of) {
      return 100 * std::abs((total - judged.real) / of);
    };
    papers.push_back(percent_off(judged.papers, judged.real));
    papers_rest.push_back(percent_off(judged.papers, rest));
    shares.push_back(100 * (judged.stopped / judged.real));
    ours.push_back(judged.ours ? percent_off(judged.ours->mid, judged.real) : kNoForecast);
    ours_rest.push_back(judged.ours ? percent_off(judged.ours->mid, rest) : kNoForecast);
    if (!judged.ours) return;
    widths.push_back(100 * ((judged.ours->high - judged.ours->low) / judged.ours->mid));
    covered += judged.ours->contains(judged.real);
  }
};

using Key = std::tuple<Group, std::string, Fit>;

MedianAndTail median_and_tail(const std::vector<double>& errors) {
  return {median(errors), quantile(errors, 0.9)};
}

ErrorRow row_of(const Key& key, const Errors& errors) {
  ErrorRow row;
  std::tie(row.group, row.seen, row.fit) = key;
  row.runs = errors.ours.size();
  row.papers = median_and_tail(errors.papers);
  row.ours = median_and_tail(errors.ours);
  row.coverage = 100 * static_cast<double>(errors.covered) / static_cast<double>(row.runs);
  row.width = errors.widths.empty() ? 0 : median(errors.widths);
  row.seen_share = median(errors.shares);
  row.papers_rest = median_and_tail(errors.papers_rest);
  row.ours_rest = median_and_tail(errors.ours_rest);
  return row;
}

}  // namespace

std::vector<ErrorRow> error_rows(const std::vector<Judgement>& judgements) {
  std::map<Key, Errors> errors;
  for (const Judgement& judged : judgements) {
    for (const Group& group : judged.groups) errors[{group, judged.seen, judged.fit}].add(judged);
  }
  std::vector<ErrorRow> rows;
  for (const auto& [key, of_key] : errors) rows.push_back(row_of(key, of_key));
  return rows;
}

std::string_view to_string(Fit fit) {
  if (fit == Fit::others) return "row";
  return fit == Fit::none ? "alone" : "fitted";
}

std::string to_text(const MedianAndTail& errors) {
  return fmt::format("{:.2f} / {:.1f}", errors.median, errors.p90);
}

std::string to_text(const ErrorRow& row) {
  return fmt::format(
      "{}\t{}\t{}\t{}\t{:.2f}\t{:.1f}\t{:.2f}\t{:.1f}\t{:.1f}\t{:.1f}\t{:.1f}\t{:.2f}\t{:.1f}\t"
      "{:.2f}\t{:.1f}\n",
      to_string(row.fit), row.group.name, row.seen, row.runs, row.papers.median, row.papers.p90,
      row.ours.median, row.ours.p90, row.coverage, row.width, row.seen_share,
      row.papers_rest.median, row.papers_rest.p90, row.ours_rest.median, row.ours_rest.p90);
}

}  // namespace lapcast::accuracy
