#include "query/worker_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/money.h"
#include "core/units.h"
#include "price/quote.h"
#include "query/worker_notes.h"

namespace lapcast {
namespace {

/// Is a row with its bill.
struct BilledTraining {
  const ScaledTraining* row = nullptr;
  std::optional<Interval<Money>> cost;  // of what it takes of its nodes
  std::string machine_type = {};
  bool are_epochs_learned = false;

  double count() const { return row->workers.all(); }
  bool is_measured() const { return row->measured != nullptr; }
};

/// Returns how many times the price of a node is paid, by its GPUs where those are paid singly.
double paid_nodes(const WorkerForecast& forecast, const Workers& workers) {
  const double gpus = forecast.gpus_paid_singly;
  const double used = std::ceil(workers.in_node);
  return workers.nodes * (gpus > 0 ? std::min(used, gpus) / gpus : 1);
}

std::vector<BilledTraining> billed(const WorkerForecast& forecast) {
  std::vector<BilledTraining> rows;
  for (const ScaledTraining& row : forecast.scaled.rows) {
    BilledTraining& bill = rows.emplace_back(BilledTraining{&row, {}});
    const auto part = forecast.parts.find(bill.is_measured() ? row.measured->run : std::string());
    const bool is_own = part != forecast.parts.end();
    if (!is_own && !forecast.offer) continue;
    const auto quoted = quote(is_own ? part->second : *forecast.offer, row.training);
    if (!quoted) continue;
    const double times = is_own ? 1 : paid_nodes(forecast, row.workers);
    const Interval<Money>& of_one = quoted->total;
    bill.cost = {scaled(of_one.low, times), scaled(of_one.mid, times), scaled(of_one.high, times)};
  }
  return rows;
}

std::string workers_text(const Workers& workers) {
  if (workers.nodes == 1) return fmt::format("{:g} workers", workers.all());
  const std::string each =
      workers.in_node == 1 ? "one worker" : fmt::format("{:g} workers", workers.in_node);
  return fmt::format("{} on each of {:g} nodes", each, workers.nodes);
}

/// Returns the number of workers beyond which time x cost grows, or nothing.
std::optional<double> last_worth(std::vector<BilledTraining> rows) {
  std::ranges::sort(rows, {}, &BilledTraining::count);
  const auto price = [](const BilledTraining& bill) {
    const double time = bill.row->training.mid.count();
    return time * (bill.cost ? bill.cost->mid.dollars() : time * bill.row->workers.nodes);
  };
  const auto best = std::ranges::min_element(rows, {}, price);
  if (best == rows.end() || best + 1 == rows.end()) return std::nullopt;
  return best->count();
}

std::vector<std::string> answer_of(const WorkerForecast& forecast,
                                   const std::vector<BilledTraining>& rows) {
  const auto fastest = std::ranges::min_element(
      rows, {}, [](const BilledTraining& bill) { return bill.row->training.mid; });
  const ScaledTraining& row = *fastest->row;
  std::string text = fmt::format("{:g} workers are fastest: {} ({}), {:.1f} times as fast as one",
                                 row.workers.all(), format_duration(row.training.mid),
                                 fastest->is_measured() ? "measured" : "scaled", row.speed_up);
  if (const auto last = last_worth(rows))
    text += fmt::format("; more than {:g} are waste by time x cost", *last);
  std::vector<std::string> answer{text};
  if (const auto& probe = forecast.scaled.probe)
    answer.push_back(
        fmt::format("a probe with {} is worth most: it would leave ±{} of the scaled laps "
                    "instead of ±{}",
                    workers_text(probe->workers), format_share(2 * probe->spread_after),
                    format_share(2 * probe->spread_now)));
  return answer;
}

bool crosses_machines(const std::vector<BilledTraining>& rows) {
  return std::ranges::any_of(
      rows, [](const BilledTraining& bill) { return bill.row->workers.nodes > 1; });
}

/// Adds the columns of a training: time, cost, and where the row comes from.
template <class Row>
void add_training_columns(std::vector<ColumnOf<Row>>& columns) {
  const std::vector<ColumnOf<Row>> more{
      {"time_s", "time", [](const Row& bill) { return bill.row->training; }, kBounds},
      {"cost_usd", "cost", [](const Row& bill) { return cell_of(bill.cost); }, kBounds | kOptional},
      {"provenance", "from",
       [](const Row& bill) { return bill.is_measured() ? "measured" : "scaled"; }},
      {"run", "run",
       [](const Row& bill) {
         return text_cell(bill.is_measured() ? bill.row->measured->run : std::string());
       },
       kOptional | spare(3)}};
  columns.insert(columns.end(), more.begin(), more.end());
}

/// Returns the epochs of a row: learned ones with what one more training may need.
Cell epochs_cell_of(const BilledTraining& bill) {
  const auto& epochs = bill.row->epochs;
  if (!epochs) return {};
  return bill.are_epochs_learned ? Cell(*epochs) : Cell(Number{epochs->mid, 1});
}

Table rows_table(const std::vector<BilledTraining>& rows) {
  using Row = BilledTraining;
  const bool crosses = crosses_machines(rows);
  const bool has_several = rows.front().machine_type != rows.back().machine_type;
  const auto nodes = [](const Row& bill) { return std::int64_t(bill.row->workers.nodes); };
  std::vector<ColumnOf<Row>> columns{
      {"machine_type", "", &Row::machine_type},
      {"", "machine",
       [=](const Row& bill) { return has_several ? Cell(bill.machine_type) : Cell(); }, kOptional},
      {"workers", "workers", [](const Row& bill) { return std::int64_t(bill.count()); }},
      {"nodes", "", nodes},
      {"", "nodes", [=](const Row& bill) { return crosses ? Cell(nodes(bill)) : Cell(); },
       kOptional},
      {"lap_s", "lap", [](const Row& bill) { return bill.row->lap; }, kBounds},
      {"speed_up", "speed-up",
       [](const Row& bill) {
         return Number{bill.row->speed_up, 1};
       }},
      {"efficiency", "of ideal",
       [](const Row& bill) { return Percentage{bill.row->speed_up / bill.count()}; }, spare(2)},
      {"epochs", "epochs", epochs_cell_of, kBounds | kOptional},
      {"epochs_from", "",
       [](const Row& bill) {
         return text_cell(!bill.row->epochs ? "" : bill.are_epochs_learned ? "learned" : "stated");
       }},
  };
  add_training_columns(columns);
  return table_of<Row>("workers", "Numbers of workers", columns, rows);
}

/// Is a layout with its row.
struct BilledLayout : BilledTraining {
  const Layout* layout = nullptr;

  std::string name() const {
    return fmt::format("tp={:g},pp={:g},dp={:g}", layout->tensor, layout->pipeline, layout->data);
  }
};

Table layouts_table(const std::vector<BilledLayout>& rows) {
  using Row = BilledLayout;
  const auto whole = [](double Layout::*way) {
    return [way](const Row& bill) { return std::int64_t(bill.layout->*way); };
  };
  std::vector<ColumnOf<Row>> columns{
      {"layout", "layout", &Row::name},
      {"tensor_parallel", "", whole(&Layout::tensor)},
      {"pipeline_parallel", "", whole(&Layout::pipeline)},
      {"data_parallel", "", whole(&Layout::data)},
      {"micro_batch", "micro-batch",
       [](const Row& bill) {
         return Number{bill.layout->micro_batch, 0};
       },
       spare(1)},
      {"workers", "workers", [](const Row& bill) { return std::int64_t(bill.count()); }},
      {"nodes", "", [](const Row& bill) { return std::int64_t(bill.row->workers.nodes); }},
      {"lap_s", "lap", [](const Row& bill) { return bill.row->lap; }, kBounds},
      {"speed_up", "speed-up",
       [](const Row& bill) {
         return Number{bill.row->speed_up, 2};
       }},
  };
  add_training_columns(columns);
  return table_of<Row>("layouts", "Layouts", columns, rows);
}

Table probe_record(const WorkerProbe& probe) {
  return json_record("worker_probe", {{"workers", "", std::int64_t(probe.workers.all())},
                                      {"nodes", "", std::int64_t(probe.workers.nodes)},
                                      {"spread_now", "", Number{probe.spread_now}},
                                      {"spread_after", "", Number{probe.spread_after}}});
}

}  // namespace

std::vector<Table> worker_tables(const WorkerForecasts& forecasts) {
  std::vector<BilledTraining> all;
  std::map<std::string, std::vector<std::string>> answers, notes;
  std::vector<std::string> warnings;
  std::vector<WorkersOnMachine> machines;
  for (const auto& [machine, forecast] : forecasts) {
    std::vector<BilledTraining> rows = billed(forecast);
    for (BilledTraining& row : rows) {
      row.machine_type = machine;
      row.are_epochs_learned = !forecast.learned.empty();
    }
    answers[machine] = answer_of(forecast, rows);
    notes[machine] = worker_notes(forecast, !rows.empty() && rows.front().cost.has_value());
    std::ranges::copy(forecast.left_out, std::back_inserter(warnings));
    machines.push_back(workers_on(machine, forecast));
    std::ranges::move(rows, std::back_inserter(all));
  }
  Table table = rows_table(all);
  table.answer = merged_texts(answers);
  table.notes = merged_texts(notes);
  table.warnings = std::move(warnings);
  std::vector<Table> tables{std::move(table)};
  const auto& probe = forecasts.begin()->second.scaled.probe;
  if (forecasts.size() > 1)
    tables.push_back(workers_by_machine_table(machines));
  else if (probe)
    tables.push_back(probe_record(*probe));
  return tables;
}

WorkersOnMachine workers_on(const std::string& machine_type, const WorkerForecast& forecast) {
  const std::vector<BilledTraining> rows = billed(forecast);
  const auto training = [](const BilledTraining& bill) {
    return WorkersOnMachine::Training{bill.count(), bill.row->training, bill.cost};
  };
  WorkersOnMachine on{.machine_type = machine_type, .fastest = {}, .cheapest = {}};
  for (const BilledTraining& bill : rows) {
    if (on.fastest.workers == 0 || bill.row->training.mid < on.fastest.time.mid)
      on.fastest = training(bill);
    if (bill.cost && (!on.cheapest || bill.cost->mid < on.cheapest->cost->mid))
      on.cheapest = training(bill);
  }
  on.worth = last_worth(rows);
  if (const auto& probe = forecast.scaled.probe) on.probe = probe->workers;
  return on;
}

Table workers_by_machine_table(std::span<const WorkersOnMachine> machines) {
  using Row = WorkersOnMachine;
  const auto count = [](double workers) { return static_cast<std::int64_t>(workers); };
  const auto of_cheapest = [](auto value) {
    return [value](const Row& on) { return cell_if(on.cheapest, value); };
  };
  Table table = table_of<Row>(
      "workers_by_machine", "Numbers of workers that pay off, by machine",
      {{"machine_type", "machine", &Row::machine_type},
       {"fastest_workers", "fastest with",
        [=](const Row& on) { return count(on.fastest.workers); }},
       {"fastest_time_s", "time", [](const Row& on) { return on.fastest.time; }, kBounds},
       {"fastest_cost_usd", "cost", [](const Row& on) { return cell_of(on.fastest.cost); },
        kBounds | kOptional},
       {"cheapest_workers", "cheapest with",
        of_cheapest([=](const Row::Training& it) { return count(it.workers); }), kOptional},
       {"cheapest_time_s", "time", of_cheapest(&Row::Training::time), kBounds | kOptional},
       {"cheapest_cost_usd", "cost", of_cheapest(&Row::Training::cost), kBounds | kOptional},
       {"worth_workers", "waste beyond",
        [=](const Row& on) {
          return cell_of(on.worth ? std::optional(count(*on.worth)) : std::nullopt);
        },
        kOptional},
       {"probe_workers", "",
        [=](const Row& on) { return on.probe ? Cell(count(on.probe->all())) : Cell(); }},
       {"probe_nodes", "",
        [=](const Row& on) { return on.probe ? Cell(count(on.probe->nodes)) : Cell(); }}},
      std::vector<Row>(machines.begin(), machines.end()));
  table.notes = {
      "beyond that number of workers time x cost grows; machines are the cost without a price"};
  return table;
}

std::vector<Table> layout_tables(const LayoutForecast& forecast) {
  std::vector<BilledLayout> rows;
  for (const BilledTraining& bill : billed(forecast.trainings))
    rows.push_back({bill, &forecast.layouts[rows.size()]});
  Table table = layouts_table(rows);
  const auto fastest = std::ranges::min_element(
      rows, {}, [](const BilledLayout& bill) { return bill.row->training.mid; });
  table.answer = {fmt::format("{} is fastest: {} ({}), {:.2f} times as fast as the first run",
                              fastest->name(), format_duration(fastest->row->training.mid),
                              fastest->is_measured() ? "measured" : "scaled",
                              fastest->row->speed_up)};
  table.notes = {fmt::format("laps have the same samples in all layouts; the network has {:g} "
                             "layers{}",
                             forecast.layouts.front().layers,
                             forecast.layers_assumed ? " (assumed: --layers N)" : ""),
                 "scaled laps were not measured, and whether a layout fits into the memory is not "
                 "looked at: `lapcast help workers.md`"};
  if (std::ranges::any_of(rows, [](const BilledLayout& bill) { return bill.cost.has_value(); }))
    table.notes.push_back(payment_note(forecast.trainings));
  table.warnings = forecast.trainings.left_out;
  return {std::move(table)};
}

}  // namespace lapcast
