#include "commands/shortlist/shortlist_report.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

std::string dollars(Money amount) {
  return fmt::format("${:.2f}", amount.dollars());
}

/// Returns "a, b and c".
std::string listed(const std::vector<std::string>& names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  const std::vector<std::string> first(names.begin(), names.end() - 1);
  return fmt::format("{} and {}", fmt::join(first, ", "), names.back());
}

std::string answer_of(const Shortlist& list, const Preferences& preferences) {
  if (list.rows.empty()) return "no offer can be forecast; the reasons are below";
  const bool by_time = preferences.by == Objective::time;
  const ShortlistRow& first = list.rows.front();
  const std::string now = fmt::format(
      "{} ({}) is first: {} for {}, and may {} {} more than the best one", first.hardware(),
      first.offer->name, format_duration(first.time.mid), dollars(list.expected_bill),
      by_time ? "take" : "cost", format_share(list.regret));
  if (list.probes.empty()) return now + "; no probe is worth its price";
  std::vector<std::string> names;
  Money price;
  for (const ShortlistProbe& probe : list.probes) {
    names.push_back(fmt::format("{} ({})", probe.hardware, probe.offer->name));
    price += probe.price;
  }
  const std::string effect =
      by_time ? fmt::format("leave {}", format_share(list.probes.back().regret_after))
              : fmt::format("are worth {}", dollars(list.worth));
  return fmt::format("{}; three minutes on {} {} and cost {}", now, listed(names), effect,
                     dollars(price));
}

/// Says what rows on other numbers of accelerators than at home rest on.
std::string workers_note(const HomeMeasurement& home) {
  const std::vector<TrainingOnWorkers>& runs = home.on_workers;
  const char* const rule = batch_rule_of(runs) == BatchRule::global
                               ? "laps have the same samples on any number of accelerators"
                               : "each accelerator has the batch of one at home";
  return fmt::format(
      "scaled rows train on all accelerators of the machine: {}; as many {} are taken for all, "
      "though larger batches may need more; {}",
      rule, runs.front().counts_laps ? "laps" : "epochs",
      home.tells_exchange() ? "how exchanges between them differ from those at home is assumed"
                            : "exchanges between them were not measured");
}

Table rows_table(const Shortlist& list) {
  using Row = ShortlistRow;
  return table_of<Row>(
      "shortlist", "Shortlist",
      {{"offer", "offer", [](const Row& row) { return row.offer->name; }},
       {"provider", "", [](const Row& row) { return text_cell(row.offer->provider); }},
       {"accelerator", "accelerator", &Row::hardware},
       {"accelerator_count", "", [](const Row& row) { return row.offer->accelerator_count; }},
       {"accelerator_share", "", [](const Row& row) { return Number{row.on.share}; }},
       {"time_s", "time", [](const Row& row) { return row.time; }, kBounds},
       {"cost_usd", "cost", [](const Row& row) { return row.quote.total; }, kBounds},
       {"p_best", "best", [](const Row& row) { return Chance{row.chance}; }},
       {"provenance", "from", [](const Row& row) { return std::string(row.provenance()); }},
       {"price_usd_per_hour", "price/h", [](const Row& row) { return row.offer->price.per_hour; },
        spare(2)},
       {"terms", "terms", [](const Row& row) { return name_of(row.offer->terms); }, spare(3)},
       {"as_of", "as of", [](const Row& row) { return row.offer->as_of; }, spare(4)},
       {"offers", "offers",
        [](const Row& row) { return row.offers == 0 ? Cell() : cell_of(row.offers); },
        kOptional | spare(2)},
       {"assumed", "assumed", [](const Row& row) { return text_cell(row.assumed); },
        kOptional | spare(1)}},
      list.rows);
}

Table probes_table(const Shortlist& list) {
  using Row = ShortlistProbe;
  return table_of<Row>("shortlist_probes", "Worth three minutes",
                       {{"offer", "offer", [](const Row& row) { return row.offer->name; }},
                        {"accelerator", "accelerator", &Row::hardware},
                        {"cost_usd", "cost", &Row::price},
                        {"regret_after", "regret after it",
                         [](const Row& row) { return Percentage{row.regret_after}; }}},
                       list.probes);
}

Table without_table(const Shortlist& list) {
  using Row = WithoutRow;
  return table_of<Row>("shortlist_excluded", "Offers without a forecast",
                       {{"offers", "offers", &Row::offers},
                        {"reason", "reason", &Row::reason},
                        {"example", "such as", &Row::example, spare(1)}},
                       list.without);
}

/// Returns "amp", or "fp32, unless --numbers says otherwise" where nothing said it.
std::string numbers_text(const HomeMeasurement& home) {
  const std::string name(name_of(home.precision));
  return home.precision_from == "default" ? name + ", unless --numbers says otherwise" : name;
}

Table summary_table(const HomeMeasurement& home, const Shortlist& list) {
  Table table{.name = "shortlist_summary", .shape = Shape::record, .only_json = true};
  Money price;
  for (const ShortlistProbe& probe : list.probes) price += probe.price;
  table.figures = {
      {"home_accelerator", "", home.accelerator == nullptr ? Cell() : Cell(home.accelerator->name)},
      {"numbers", "", std::string(name_of(home.precision))},
      {"numbers_from", "", home.precision_from},
      {"batch", "", Number{home.laps.front().batch, 0}},
      {"lap_s", "", Seconds{home.laps.front().seconds}},
      {"offers_with_row", "", static_cast<std::int64_t>(list.offers_with_row)},
      {"own_programs", "", static_cast<std::int64_t>(list.own_programs)},
      {"own_machines", "", static_cast<std::int64_t>(list.own_machines)},
      {"expected_regret", "", Percentage{list.regret}},
      {"expected_bill_usd", "", list.expected_bill},
      {"probes_worth_usd", "", list.worth},
      {"probes_cost_usd", "", price}};
  return table;
}

}  // namespace

std::vector<Table> shortlist_tables(const HomeMeasurement& home, const Shortlist& list,
                                    const Preferences& preferences) {
  Table rows = rows_table(list);
  rows.answer = {answer_of(list, preferences)};
  const HomeLap& lap = home.laps.front();
  const std::string how =
      home.accelerator != nullptr ? "transferred from the " + home.accelerator->name
      : home.flops                ? std::string("counted from a lap on this machine")
                   : "compared by CPUs, clock and vectors with a lap on this machine";
  rows.notes.push_back(
      fmt::format("{} at batch {:g} ({} a lap, {}), not measured on these machines: `lapcast help "
                  "shortlist.md` says how often such 95 % intervals held",
                  how, lap.batch, format_duration(Seconds{lap.seconds}), numbers_text(home)));
  if (std::string own = list.own_note(); !own.empty())
    rows.notes.push_back(std::move(own) + "; --alone leaves them out");
  if (!home.on_workers.empty()) rows.notes.push_back(workers_note(home));
  rows.notes.emplace_back(
      "batch, precision and compilation are held as at home, and the batch matters most: rank the "
      "batch sizes on one machine, too");
  rows.notes.push_back(fmt::format(
      "{} of {} rows, by {}, from {} offers; --top N shows more", list.rows.size(), list.all_rows,
      preferences.by == Objective::time ? "time" : "cost", list.offers_with_row));
  rows.warnings = list.warnings;
  std::vector<Table> tables{std::move(rows)};
  if (!list.probes.empty()) tables.push_back(probes_table(list));
  if (!list.without.empty()) tables.push_back(without_table(list));
  tables.push_back(summary_table(home, list));
  return tables;
}

}  // namespace lapcast
