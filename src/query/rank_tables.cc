#include "query/rank_tables.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "core/units.h"
#include "query/typed_command.h"
#include "report/crossover_report.h"
#include "report/learned_epochs_report.h"
#include "report/ranking_report.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

std::string title_of(const RankedRuns& ranked, bool apart) {
  const Objective by = ranked.ranking.by;
  std::string title = by == Objective::time     ? "Fastest first"
                      : by == Objective::cost   ? "Cheapest first"
                      : by == Objective::energy ? "Least energy first"
                      : by == Objective::co2    ? "Least CO2 first"
                                                : "Best score first";
  if (ranked.epochs) title += fmt::format(", {} epochs", *ranked.epochs);
  if (apart) title += fmt::format(", batch size {}", ranked.batch_size.value_or(0));
  return title;
}

/// Returns the tables of one ranking; adds a note if the first choice was imported.
std::vector<Table> tables_of(const RankedRuns& ranked, const SelectedRuns& selected,
                             const std::string& title, const RankingNumber& which) {
  std::vector<Table> tables = ranking_tables(title, ranked.ranking, ranked.search, which);
  const Run* first = first_choice(ranked, selected);
  if (first != nullptr && was_imported(first->context)) {
    const bool is_log = !first->context.imported_from.empty();  // its program is not known
    tables.front().notes.push_back(
        "the first was imported, and lapcast starts nothing of it" +
        (is_log ? ""
                : "; to measure it here: " + typed_command("lapcast probe --", first->context)));
  }
  return tables;
}

}  // namespace

std::string note_on_batch_sizes() {
  return "all batch sizes at equal epochs: their accuracy may differ "
         "(`lapcast sweep --find-epochs` measures it)";
}

std::vector<Table> rank_tables(const RankResult& result, const RankRequest& request) {
  const bool apart = result.rankings.front().batch_size.has_value();
  std::vector<Table> tables;
  for (std::size_t i = 0; i < result.rankings.size(); ++i) {
    const RankedRuns& ranked = result.rankings[i];
    const bool is_first_of_group = i == 0 || result.rankings[i - 1].batch_size != ranked.batch_size;
    if (request.epochs.size() > 1 && is_first_of_group) {
      std::vector<const Ranking*> of_group;  // at each number of epochs
      for (std::size_t each = 0; each < request.epochs.size(); ++each)
        of_group.push_back(&result.rankings[i + each].ranking);
      tables.push_back(relative_table(of_group, request.epochs));
    }
    const std::string title = title_of(ranked, apart);
    const RankingNumber which{static_cast<std::int64_t>(i) + 1, result.rankings.size() == 1,
                              ranked.epochs, ranked.batch_size};
    for (Table& table : tables_of(ranked, result.selected, title, which))
      tables.push_back(std::move(table));
  }
  if (auto learned = learned_epochs_table(result.rankings.front().ranking))
    tables.push_back(*std::move(learned));
  std::vector<std::string>& notes = tables.front().notes;
  if (result.mixes_batch_sizes) notes.push_back(note_on_batch_sizes());
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  if (const auto& sweep = result.selected.sweep) {
    const std::vector<Run>& probes = result.selected.probes;
    const std::vector<std::string>& program = probes.front().context.program;
    tables.front().before.push_back(sweep_line(*sweep, program, probes.size()));
    if (!sweep->finished)
      tables.front().warnings.push_back(
          "the sweep is not finished: candidates that were not measured are not compared, and the "
          "first one is sure among these alone; the same command of lapcast sweep goes on");
    tables.push_back(sweep_record(*sweep, program, probes.size()));
  }
  return tables;
}

std::string sweep_line(const Sweep& sweep, const std::vector<std::string>& program,
                       std::size_t candidates) {
  return fmt::format("sweep {}{}, {}, begun {}{}: {}", sweep.id,
                     sweep.name.empty() ? "" : " (" + sweep.name + ")",
                     counted(candidates, "candidate"), sweep.created_at,
                     sweep.folder.empty() ? "" : " in " + sweep.folder, masked_line(program));
}

Table sweep_record(const Sweep& sweep, const std::vector<std::string>& program,
                   std::size_t candidates) {
  return json_record("sweep", {{"id", "", sweep.id},
                               {"name", "", text_cell(sweep.name)},
                               {"created_at", "", sweep.created_at},
                               {"finished", "", sweep.finished},
                               {"folder", "", text_cell(sweep.folder)},
                               {"program", "", masked_line(program)},
                               {"candidates", "", cell_of(candidates)}});
}

}  // namespace lapcast
