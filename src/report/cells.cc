#include "report/cells.h"

#include <fmt/format.h>

#include "price/quote.h"
#include "stats/intervals.h"

namespace lapcast {

namespace {

std::optional<Interval<double>> mean_within(std::span<const double> values,
                                            const MetricRange& range) {
  if (values.empty()) return std::nullopt;
  if (values.size() == 1) return Interval<double>::exactly(values[0]);
  return cut_to_range(mean_interval(values), range.lowest, range.highest);
}

}  // namespace

Cell gpu_notation(const std::optional<Interval<double>>& over_cores,
                  const std::optional<Interval<double>>& over_server) {
  const auto text = [](const std::optional<Interval<double>>& ratio) {
    return ratio ? fmt::format("{:.3g}", ratio->mid) : std::string("-");
  };
  if (!over_cores && !over_server) return {};
  return fmt::format("<{}, {}>", text(over_cores), text(over_server));
}

std::string name_of(const Candidate& candidate) {
  std::string name = candidate.machine_type;
  if (!candidate.settings.empty()) name += " " + candidate.settings;
  if (!candidate.provenance.empty()) name += fmt::format(" ({})", candidate.provenance);
  return name;
}

std::string name_of(const Choice& choice, const Ranking& ranking) {
  return name_of(*choice.candidate, *choice.offer, ranking);
}

std::string name_of(const Candidate& candidate, const Offer& offer, const Ranking& ranking) {
  bool several = false, same_terms = false;
  const std::string_view terms = name_of(offer.terms);
  for (const Choice& other : ranking.chosen) {
    if (other.offer.get() == &offer || other.candidate.get() != &candidate) continue;
    several = true;
    same_terms = same_terms || name_of(other.offer->terms) == terms;
  }
  const std::string name = name_of(candidate);
  if (!several) return name;
  return fmt::format("{} ({})", name, same_terms ? std::string_view(offer.name) : terms);
}

Cell offer_cell(const Offer& offer) {
  return offer.name == offer.machine_type ? Cell() : Cell(offer.name);
}

Cell mean_time(std::span<const double> seconds) {
  return cell_if(mean_within(seconds, {.lowest = 0}), to_seconds);
}

Cell mean_number(std::span<const double> values, const MetricRange& range) {
  return cell_of(mean_within(values, range));
}

Cell mean_of(const RunMetric& metric, std::span<const double> values) {
  return metric.unit == "s" ? mean_time(values) : mean_number(values, range_of(metric, values));
}

PricedCell cost_cell(const Offer* offer, const Interval<Seconds>& time) {
  if (offer == nullptr) return {};
  const Result<Quote> bill = quote(*offer, time);
  if (!bill) return {{}, bill.error().text};
  return {bill->total, ""};
}

PricedCell cost_cell(const std::optional<Offer>& offer, const Result<Forecast>& forecast) {
  if (!forecast || !offer) return {};
  return cost_cell(&*offer, forecast->total);
}

std::string with_reason(std::string remark, const PricedCell& cost) {
  if (cost.why_not.empty()) return remark;
  return remark + (remark.empty() ? "" : "; ") + "no cost: " + cost.why_not;
}

}  // namespace lapcast
