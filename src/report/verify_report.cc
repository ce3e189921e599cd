#include "report/verify_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "rank/odds.h"
#include "report/forecast_report.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

std::string name_of(const VerifiedForecast& row) {
  return row.settings.empty() ? row.machine_type : row.machine_type + " " + row.settings;
}

/// Returns the mean time of the real runs; nullopt without any.
std::optional<Seconds> mean_real_time(const VerifiedForecast& row) {
  if (row.real_runs.empty()) return std::nullopt;
  Seconds sum{0};
  for (const RealRun& run : row.real_runs) sum += run.time;
  return sum / static_cast<double>(row.real_runs.size());
}

/// Returns the mean cost of the real runs; nullopt without any, or if one of them has no cost.
std::optional<Money> mean_real_cost(const VerifiedForecast& row) {
  if (row.real_runs.empty()) return std::nullopt;
  Money sum;
  for (const RealRun& run : row.real_runs) {
    if (!run.cost) return std::nullopt;
    sum = saturating_sum(sum, *run.cost);
  }
  return scaled(sum, 1 / static_cast<double>(row.real_runs.size()));
}

/// Returns the mean accuracy of the real runs that reported one.
std::optional<double> mean_accuracy(const VerifiedForecast& row) {
  std::vector<double> values;
  for (const RealRun& run : row.real_runs)
    if (run.accuracy) values.push_back(*run.accuracy);
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

Money forecast_cost_of(const VerifiedForecast& row) {
  return row.forecast_cost ? row.forecast_cost->mid : Money::from_nanos(INT64_MAX);
}

/// Returns the row that comes first in the order in which a ranking settles ties.
template <class Measure>
std::size_t lowest(const std::vector<VerifiedForecast>& rows, Measure measure) {
  return static_cast<std::size_t>(std::ranges::min_element(rows, {}, measure) - rows.begin());
}

std::size_t cheapest_forecast(const std::vector<VerifiedForecast>& rows) {
  return lowest(rows, [](const VerifiedForecast& row) {
    return std::tuple(forecast_cost_of(row), row.forecast.mid, row.machine_type, row.settings);
  });
}

std::size_t fastest_forecast(const std::vector<VerifiedForecast>& rows) {
  return lowest(rows, [](const VerifiedForecast& row) {
    return std::tuple(row.forecast.mid, forecast_cost_of(row), row.machine_type, row.settings);
  });
}

/// Returns "; as cheap by forecast: b" if other rows tie with the cheapest forecast, else nothing.
std::string tie_text(const std::vector<VerifiedForecast>& rows, std::size_t pick) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i != pick && forecast_cost_of(rows[i]) == forecast_cost_of(rows[pick]))
      names.push_back(name_of(rows[i]));
  return names.empty() ? "" : "; as cheap by forecast: " + short_list(names);
}

/// Returns the number of real runs of the candidates that have any: "1 real run each", "means of 2
/// to 3 real runs each".
std::string runs_text(const std::vector<VerifiedForecast>& rows) {
  std::vector<std::size_t> counts;
  for (const VerifiedForecast& row : rows)
    if (!row.real_runs.empty()) counts.push_back(row.real_runs.size());
  if (counts.empty()) return "no real run";
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  if (*most == 1) return "1 real run each";
  return *least == *most ? fmt::format("means of {} real runs each", *most)
                         : fmt::format("means of {} to {} real runs each", *least, *most);
}

std::string regret_note(const std::string& what, const std::vector<VerifiedForecast>& rows,
                        std::size_t pick, const Result<Regret>& regret) {
  if (!regret)
    return fmt::format("regret by {} of {}: not known: {}", what, name_of(rows[pick]),
                       regret.error().text);
  std::vector<std::string> best{name_of(rows[regret->best])};
  for (const std::size_t tied : regret->tied) best.push_back(name_of(rows[tied]));
  return fmt::format("regret by {} of {}: {}{}; the best was {} ({})", what, name_of(rows[pick]),
                     regret->lower_bound ? "at least " : "", format_share(regret->relative),
                     short_list(best), runs_text(rows));
}

/// Returns the candidate that one would choose from the price list alone: the lowest price per
/// hour, and among equal prices the lowest mean real cost, to be fair. Returns nullptr if all have
/// one price, as on one machine, because a price list then says nothing.
const VerifiedForecast* by_the_price_list(const std::vector<VerifiedForecast>& rows) {
  const VerifiedForecast* chosen = nullptr;
  std::pair<Money, Money> lowest_price;
  bool differ = false;
  for (const VerifiedForecast& row : rows) {
    const auto cost = mean_real_cost(row);
    if (!row.price_per_hour || !cost) continue;
    const std::pair price{*row.price_per_hour, *cost};
    differ = differ || (chosen != nullptr && price.first != lowest_price.first);
    if (chosen != nullptr && price >= lowest_price) continue;
    chosen = &row;
    lowest_price = price;
  }
  return differ ? chosen : nullptr;
}

/// Says how far off the forecasts of a verification were, and what the picks lost.
struct Verdicts {
  ForecastErrors errors;  // of each forecast against each single real run
  Result<Regret> by_cost;
  Result<Regret> by_time;
};

Verdicts verdicts_of(const std::vector<VerifiedForecast>& rows) {
  std::vector<ForecastAndReal> pairs;
  std::vector<std::optional<double>> times, costs;
  for (const VerifiedForecast& row : rows) {
    const auto time = mean_real_time(row);
    const auto cost = mean_real_cost(row);
    times.push_back(time ? std::optional(time->count()) : std::nullopt);
    costs.push_back(cost ? std::optional(cost->dollars()) : std::nullopt);
    for (const RealRun& run : row.real_runs) pairs.push_back({row.forecast, run.time});
  }
  return {errors_of(pairs), regret_of(cheapest_forecast(rows), costs),
          regret_of(fastest_forecast(rows), times)};
}

/// Returns "the forecasts were off by 15 % (median of 6 real runs)".
std::string error_text(const ForecastErrors& errors) {
  return fmt::format("the forecasts were off by {} (median of {})", format_share(*errors.median),
                     counted(errors.known, "real run"));
}

/// Returns a sentence with the pick, its real cost or else its time, and how far off the forecasts
/// were.
std::string verified_in_words(const std::vector<VerifiedForecast>& rows, const Verdicts& verdicts,
                              const ProbeBill& bill) {
  if (!verdicts.errors.median) return "no candidate has been run to its end";
  const std::size_t picked = cheapest_forecast(rows);
  const VerifiedForecast& pick = rows[picked];
  const auto cost = mean_real_cost(pick);
  if (!cost) {
    const VerifiedForecast& fastest = rows[fastest_forecast(rows)];
    const auto time = mean_real_time(fastest);
    return time ? fmt::format("{} was picked as the fastest, {} a training; {}", name_of(fastest),
                              format_duration(*time), error_text(verdicts.errors))
                : error_text(verdicts.errors);
  }
  std::string text =
      fmt::format("{} probes for {} picked {} as the cheapest, {} a training", bill.probes,
                  dollar_text(bill.total), name_of(pick), dollar_text(*cost)) +
      tie_text(rows, picked);
  const VerifiedForecast* naive = by_the_price_list(rows);
  if (naive != nullptr && naive != &pick)
    if (const auto saved = saving(*mean_real_cost(*naive), *cost))
      text += fmt::format("; that is {} {} than on {}, which has the lowest price per hour",
                          format_share(std::abs(*saved)), *saved < 0 ? "more" : "less",
                          name_of(*naive));
  return fmt::format("{}; {}", text, error_text(verdicts.errors));
}

std::vector<ColumnOf<VerifiedForecast>> verify_columns() {
  const auto error = [](const VerifiedForecast& row) {
    return cell_if(mean_real_time(row), [&](Seconds real) {
      return Percentage{error_of({row.forecast, real})};
    });
  };
  const auto inside = [](const VerifiedForecast& row) {
    return cell_if(mean_real_time(row), [&](Seconds real) { return row.forecast.contains(real); });
  };
  const auto forecast_cost = [](const VerifiedForecast& row) {
    return cell_if(row.forecast_cost, &Interval<Money>::mid);
  };
  return {{"machine_type", "machine", &VerifiedForecast::machine_type},
          {"settings", "settings", [](auto& r) { return Settings{r.settings}; }, kOptional},
          {"epochs", "epochs", [](auto& r) { return r.epochs > 0 ? Cell(r.epochs) : Cell(); },
           kOptional | spare(3)},
          {"forecast_s", "forecast", &VerifiedForecast::forecast, kBounds},
          {"runs", "runs", [](auto& r) { return r.real_runs.size(); }, spare(4)},
          {"real_s", "real", mean_real_time},
          {"error", "error", error},
          {"inside", "inside 95 %", inside},
          {"forecast_cost_usd", "forecast cost", forecast_cost, kOptional | spare(2)},
          {"real_cost_usd", "real cost", mean_real_cost, kOptional | spare(1)},
          {"accuracy", "accuracy", [](auto& r) { return share_cell(mean_accuracy(r)); },
           kOptional | spare(2)},
          {"reason", "why not", [](auto& r) { return text_cell(r.reason); }, kOptional}};
}

/// Refers to one real run of a candidate; both pointers are valid.
struct RealRunRow {
  const VerifiedForecast* candidate;
  const RealRun* run;
};

Table real_runs_table(const std::vector<VerifiedForecast>& rows) {
  const auto epochs = [](const RealRunRow& row) {
    return row.candidate->epochs > 0 ? Cell(row.candidate->epochs) : Cell();
  };
  const auto error = [](const RealRunRow& row) {
    return Percentage{error_of({row.candidate->forecast, row.run->time})};
  };
  const auto inside = [](const RealRunRow& row) {
    return row.candidate->forecast.contains(row.run->time);
  };
  std::vector<RealRunRow> shown;
  for (const VerifiedForecast& row : rows)
    for (const RealRun& run : row.real_runs) shown.push_back({&row, &run});
  return table_of<RealRunRow>(
      "real_runs", "Real runs",
      {{"machine_type", "machine", [](auto& r) { return r.candidate->machine_type; }},
       {"settings", "settings", [](auto& r) { return Settings{r.candidate->settings}; }, kOptional},
       {"epochs", "epochs", epochs, kOptional | spare(3)},
       {"run", "run", [](auto& r) { return r.run->id; }},
       {"started_at", "started", [](auto& r) { return text_cell(r.run->started_at); }, spare(2)},
       {"real_s", "real", [](auto& r) { return r.run->time; }},
       {"real_cost_usd", "real cost", [](auto& r) { return r.run->cost; }, kOptional | spare(1)},
       {"error", "error", error},
       {"inside", "inside 95 %", inside}},
      shown);
}

/// Returns what the picks lost, by cost if there are prices, and by time; for JSON only.
Table regret_table(const std::vector<VerifiedForecast>& rows, const Verdicts& verdicts,
                   bool priced) {
  struct RegretRow {
    const char* by;
    const VerifiedForecast* pick;
    const Result<Regret>* regret;
  };
  std::vector<RegretRow> regrets{{"time", &rows[fastest_forecast(rows)], &verdicts.by_time}};
  if (priced) regrets.push_back({"cost", &rows[cheapest_forecast(rows)], &verdicts.by_cost});
  const auto best = [&rows](auto value) {
    return [&rows, value](const RegretRow& row) {
      return cell_if(*row.regret, [&](auto& regret) { return value(rows[regret.best]); });
    };
  };
  const auto reason = [](const RegretRow& row) {
    return *row.regret ? Cell() : Cell(row.regret->error().text);
  };
  Table table = table_of<RegretRow>(
      "regret", "",
      {{"by", "by", &RegretRow::by},
       {"machine_type", "machine", [](auto& r) { return r.pick->machine_type; }},
       {"settings", "settings", [](auto& r) { return Settings{r.pick->settings}; }},
       {"regret", "regret",
        [](auto& r) {
          return cell_if(*r.regret, [](auto& known) { return Percentage{known.relative}; });
        }},
       {"is_lower_bound", "at least",
        [](auto& r) { return cell_if(*r.regret, &Regret::lower_bound); }},
       {"best_machine_type", "best", best([](auto& row) { return row.machine_type; })},
       {"best_settings", "settings", best([](auto& row) { return Settings{row.settings}; })},
       {"reason", "why not", reason}},
      regrets);
  table.shape = Shape::keyed;
  table.only_json = true;
  return table;
}

}  // namespace

std::vector<Table> verify_tables(const std::vector<VerifiedForecast>& rows, const ProbeBill& bill) {
  Table table = table_of("verified", "Forecast against real", verify_columns(), rows);
  if (rows.empty()) return {table};
  const Verdicts verdicts = verdicts_of(rows);
  if (verdicts.errors.median) table.after.push_back(describe(verdicts.errors));
  const bool priced =
      std::ranges::any_of(rows, [](auto& row) { return row.forecast_cost.has_value(); });
  table.after.push_back(priced
                            ? regret_note("cost", rows, cheapest_forecast(rows), verdicts.by_cost)
                            : "regret by cost: not known: no candidate has a price");
  table.after.push_back(regret_note("time", rows, fastest_forecast(rows), verdicts.by_time));
  if (std::ranges::any_of(rows, [](auto& row) { return row.real_runs.empty(); }))
    table.after.push_back(
        "not every candidate was run: the best may be one that was not; --all runs all");
  table.answer = {verified_in_words(rows, verdicts, bill)};
  Table real_runs = real_runs_table(rows);
  real_runs.only_json =
      std::ranges::none_of(rows, [](auto& row) { return row.real_runs.size() > 1; });
  return {std::move(table), std::move(real_runs), errors_record(verdicts.errors),
          regret_table(rows, verdicts, priced),
          json_record("probe_bill",
                      {{"probes", "", cell_of(bill.probes)}, {"cost_usd", "", bill.total}})};
}

}  // namespace lapcast
