#include "commands/spot/spot_tables.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "core/units.h"
#include "price/offer.h"
#include "spot/spot_bill.h"

namespace lapcast {
namespace {

std::optional<Money> cost_of_time(const std::optional<HourlyPrice>& price, Seconds time) {
  if (!price) return std::nullopt;
  return cost_of(*price, to_ns(time));
}

Cell interval_of_cost(const std::optional<HourlyPrice>& price, const Interval<Seconds>& billed) {
  if (!price) return {};
  return Interval<Money>{*cost_of_time(price, billed.low), *cost_of_time(price, billed.mid),
                         *cost_of_time(price, billed.high)};
}

Cell mean_of(const std::vector<Lifetime>& lifetimes) {
  const auto distribution = LifetimeDistribution::of(lifetimes);
  return distribution ? Cell(distribution->mean()) : Cell();
}

Table supply_table(const SpotPlan& plan, const SpotPlanRequest& request) {
  const bool at_rate = request.between_interruptions.has_value();
  const auto of_trace = [&](auto cell) { return at_rate ? Cell() : Cell(cell()); };
  return figure_table(
      "supply", "Supply",
      {{"recorded_s", "recorded", of_trace([&] { return plan.recorded; })},
       {"share", "machines there", of_trace([&] { return Percentage{plan.there / plan.recorded}; }),
        "of the recorded time"},
       {"sessions", "sessions", of_trace([&] { return cell_of(plan.sessions.size()); })},
       {"mean_session_s", "mean session",
        at_rate ? Cell(*request.between_interruptions) : mean_of(plan.sessions),
        "until they are taken away"},
       {"waits", "waits", of_trace([&] { return cell_of(plan.waits.size()); })},
       {"mean_wait_s", "mean wait", at_rate ? Cell(request.wait) : mean_of(plan.waits),
        "until they are back"}});
}

Table checkpoint_table(const SpotPlan& plan) {
  const auto share = [](auto value) {
    return [value](const CheckpointChoice& row) { return Percentage{value(row.plan.losses)}; };
  };
  Table table = table_of<CheckpointChoice>(
      "checkpoint_intervals", "Checkpoints: share of the time on machines that is lost",
      {{"method", "interval", &CheckpointChoice::method},
       {"interval_s", "every", [](auto& row) { return row.plan.interval; }},
       {"checkpoints", "checkpoints", share([](auto& losses) { return losses.checkpoints; })},
       {"lost_work", "lost work", share([](auto& losses) { return losses.lost_work; })},
       {"restarts", "restarts", share([](auto& losses) { return losses.restarts; })},
       {"sum", "sum", share([](auto& losses) { return losses.sum(); })}},
      plan.intervals);
  if (!plan.intervals.empty())
    table.after.push_back(fmt::format(
        "every: work between two checkpoints{}; the first row is used",
        plan.recorded > Seconds{0} ? ", for sessions like these that may all be shorter or longer"
                                   : ""));
  return table;
}

/// Holds one part of the time of a training on spot machines.
struct TimeRow {
  std::string_view what;
  Seconds time;
  std::optional<Money> cost;
};

Table bill_of(const SpotPlan& plan, const SpotPlanRequest& request) {
  Offer offer;
  offer.price = request.spot_price.value_or(HourlyPrice{});
  offer.billing = {0, 0};
  const auto bill = spot_bill(offer, *plan.forecast);
  std::vector<TimeRow> rows;
  if (bill)
    for (const QuoteLine& line : bill->lines)
      rows.push_back({to_string(line.item), from_ns(line.billed_ns),
                      request.spot_price ? std::optional(line.amount) : std::nullopt});
  rows.push_back({"waiting", plan.forecast->mean.waiting, std::nullopt});
  Table table = table_of<TimeRow>("spot_times", "Where the time goes, on average",
                                  {{"what", "for", &TimeRow::what},
                                   {"time_s", "time", &TimeRow::time},
                                   {"cost_usd", "cost", &TimeRow::cost, kOptional}},
                                  rows);
  if (!bill) table.notes.push_back("no bill: " + bill.error().text);
  return table;
}

Table forecast_table(const SpotPlan& plan, const SpotPlanRequest& request) {
  const SpotForecast& forecast = *plan.forecast;
  const Seconds on_demand = request.costs.restart + request.work;
  Table table = figure_table(
      "spot_forecast", "On spot machines",
      {{"time_s", "time to the result", forecast.time,
        "half, and 95 %, of the simulated trainings"},
       {"billed_s", "billed time", forecast.billed, "the same, without waits"},
       {"cost_usd", "cost",
        request.prices
            ? Cell(cost_at(mean_price_over(*request.prices, forecast.time.mid), forecast.billed))
            : interval_of_cost(request.spot_price, forecast.billed)},
       {"interruptions", "interruptions",
        Number{static_cast<double>(forecast.mean.interruptions), 1}},
       {"finished", "", Percentage{forecast.finished}},
       {"p_late", "chance to miss the deadline",
        plan.in_time ? Cell(Chance{1 - *plan.in_time}) : Cell(), "with spot machines alone"},
       {"on_demand_time_s", "time on demand", on_demand},
       {"on_demand_cost_usd", "cost on demand",
        cell_of(cost_of_time(request.on_demand_price, on_demand))}});
  if (forecast.finished < 1)
    table.notes.push_back(fmt::format(
        "{} of the simulated trainings did not finish within ten years; they are not counted",
        format_share(1 - forecast.finished)));
  return table;
}

Table price_table(const PriceHistory& prices, const SpotForecast& forecast) {
  const Interval<Money> now = mean_price_over(prices, prices.length());
  const Interval<Money> job = mean_price_over(prices, forecast.time.mid);
  Table table = figure_table("spot_prices", "Price of the spot machine",
                             {{"recorded_s", "recorded", prices.length()},
                              {"price_usd_per_hour", "price", now,
                               "mean by time, and between which 95 % of the time were"},
                              {"job_price_usd_per_hour", "mean over the training", job,
                               "on average, and 95 % of its starts"}});
  for (const Reason& problem : prices.problems) table.notes.push_back(problem.text);
  return table;
}

Table policy_table(const SpotPlan& plan, const SpotPlanRequest& request) {
  const std::vector<JudgedPolicy> policies =
      plan.policies ? *plan.policies : std::vector<JudgedPolicy>{};
  const auto full = cost_of_time(request.on_demand_price, request.work);
  Table table = table_of<JudgedPolicy>(
      "spot_policies", "Policies with the deadline",
      {{"policy", "policy", &JudgedPolicy::name},
       {"relative_cost", "x on demand",
        [](auto& row) {
          return Number{row.cost, 2};
        }},
       {"cost_usd", "cost",
        [&](auto& row) { return full ? Cell(scaled(*full, row.cost)) : Cell(); }, kOptional},
       {"missed", "deadline missed", [](auto& row) { return Percentage{row.missed}; }}},
      policies);
  if (plan.policies)
    table.after.push_back(
        fmt::format("means over {} starts in the second half of the trace; planned learns from the "
                    "first half; who misses the deadline has paid for less than the whole training",
                    plan.futures));
  else
    table.before.push_back(plan.policies.error().text);
  return table;
}

std::string answer_of(const SpotPlan& plan, const SpotPlanRequest& request) {
  const SpotForecast& forecast = *plan.forecast;
  std::string text =
      fmt::format("save {}; the result is there after {} ({} to {})",
                  request.saves ? "every " + format_duration(plan.job.interval) : "nothing",
                  format_duration(forecast.time.mid), format_duration(forecast.time.low),
                  format_duration(forecast.time.high));
  if (request.spot_price)
    text += fmt::format(", for {}",
                        dollar_text(*cost_of_time(request.spot_price, forecast.billed.mid)));
  if (request.spot_price && request.on_demand_price)
    text += fmt::format(
        " instead of {} on demand",
        dollar_text(*cost_of_time(request.on_demand_price, request.costs.restart + request.work)));
  return text;
}

}  // namespace

std::vector<Table> spot_tables(const SpotPlan& plan, const SpotPlanRequest& request) {
  std::vector<Table> tables{supply_table(plan, request), checkpoint_table(plan)};
  for (const Reason& problem : plan.read.problems) tables[0].notes.push_back(problem.text);
  if (plan.forecast) {
    tables[0].answer = {answer_of(plan, request)};
    tables.push_back(forecast_table(plan, request));
    if (request.prices) tables.push_back(price_table(*request.prices, *plan.forecast));
    tables.push_back(bill_of(plan, request));
  } else {
    tables[0].answer = {"no forecast: " + plan.forecast.error().text};
  }
  if (request.deadline) tables.push_back(policy_table(plan, request));
  return tables;
}

}  // namespace lapcast
