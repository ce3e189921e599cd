#include "cli/jobs_table.h"

#include <algorithm>

#include "choose/assessment.h"
#include "report/cost_cell.h"
#include "report/table_cell.h"

namespace lapcast {
namespace {

/// What is known of a training: from its result, else from what it told last.
struct Standing {
  std::optional<std::int64_t> laps;
  std::optional<std::int64_t> epoch;
  std::int64_t planned_epochs = 0;
  std::optional<Seconds> elapsed;
  std::optional<Interval<Seconds>> total;
};

Standing standing_of(const JobRow& row) {
  if (row.run) {
    const LapLog log = laps_of(*row.run);
    ProbeProgress seen;
    if (!log.epochs.empty()) seen.epoch = log.epochs.back().epoch;
    return {static_cast<std::int64_t>(log.laps.size()), seen.epoch, 0, row.run->wall(),
            Interval<Seconds>::exactly(row.run->wall())};
  }
  if (!row.progress) return {};
  return {row.progress->laps, row.progress->epoch, row.progress->planned_epochs,
          row.progress->elapsed, row.progress->total};
}

Cell epoch_cell(const Standing& standing) {
  if (!standing.epoch || *standing.epoch == 0) return std::monostate{};
  return *standing.epoch;
}

/// Of the whole run less what has passed.
Cell left_cell(const JobRow& row, const Standing& standing) {
  if (row.run || !standing.total || !standing.elapsed) return std::monostate{};
  const auto left = [&](Seconds total) { return std::max(Seconds{0}, total - *standing.elapsed); };
  return Interval<Seconds>{left(standing.total->low), left(standing.total->mid),
                           left(standing.total->high)};
}

Cell cost_cell(const JobRow& row, const std::optional<Interval<Seconds>>& time) {
  if (!time || !row.context.price) return std::monostate{};
  return cost_cell(&*row.context.price, *time).cell;
}

std::optional<Interval<Seconds>> exactly(const std::optional<Seconds>& time) {
  if (!time) return std::nullopt;
  return Interval<Seconds>::exactly(*time);
}

/// What it waited in a cluster's queue.
Cell queue_cell(const JobRow& row) {
  if (!row.run) return std::monostate{};
  const Seconds queue = preparation_time(*row.run, "queue");
  return queue.count() > 0 ? Cell(queue) : Cell();
}

}  // namespace

Table jobs_table(const std::vector<JobRow>& rows) {
  Table table{"Offloaded trainings",
              {},
              {{"id", "id"},
               {"machine_type", "machine"},
               {.key = "place", .header = "place", .spare = 4},
               {.key = "settings", .header = "settings", .optional = true, .spare = 3},
               {"state", "state"},
               {.key = "laps", .header = "laps", .spare = 2},
               {.key = "epoch", .header = "epoch", .optional = true},
               {.key = "planned_epochs", .header = "of", .optional = true},
               {.key = "queue_s", .header = "queue", .optional = true},
               {"elapsed_s", "so far"},
               {.key = "left_s", .header = "left", .bounds = true},
               {.key = "cost_so_far_usd", .header = "USD so far", .bounds = true, .optional = true},
               {.key = "cost_usd", .header = "USD in the end", .bounds = true, .optional = true},
               {.key = "created_at", .header = "sent", .spare = 1}},
              {},
              {}};
  for (const JobRow& row : rows) {
    const Standing standing = standing_of(row);
    table.rows.push_back(
        {row.context.id, row.context.machine_type.name,
         row.context.place.empty() ? "this machine" : row.context.place, settings_text(row.context),
         row.state, cell_of(standing.laps), epoch_cell(standing),
         standing.planned_epochs > 0 ? Cell(standing.planned_epochs) : Cell(), queue_cell(row),
         cell_of(standing.elapsed), left_cell(row, standing),
         cost_cell(row, exactly(standing.elapsed)), cost_cell(row, standing.total), row.created_at});
  }
  if (rows.empty()) table.notes.push_back("no training is on its way; lapcast offload sends one");
  return table;
}

}  // namespace lapcast
