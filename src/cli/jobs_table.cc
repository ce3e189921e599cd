#include "cli/jobs_table.h"

#include <algorithm>

#include "choose/assessment.h"
#include "report/cost_cell.h"
#include "report/table_cell.h"

namespace lapcast {
namespace {

/// Holds how far a training is: from its result, else from what it told last.
struct JobProgress {
  std::optional<std::int64_t> laps;
  std::optional<std::int64_t> epoch;
  std::int64_t planned_epochs = 0;
  std::optional<Seconds> elapsed;
  std::optional<Interval<Seconds>> total;
};

JobProgress progress_of(const OffloadState& state) {
  if (state.run) {
    const LapLog log = laps_of(*state.run);
    ProbeProgress seen;
    if (!log.epochs.empty()) seen.epoch = log.epochs.back().epoch;
    return {static_cast<std::int64_t>(log.laps.size()), seen.epoch, 0, state.run->wall(),
            Interval<Seconds>::exactly(state.run->wall())};
  }
  if (!state.progress) return {};
  return {state.progress->laps, state.progress->epoch, state.progress->planned_epochs,
          state.progress->elapsed, state.progress->total};
}

Cell epoch_cell(const JobProgress& progress) {
  if (!progress.epoch || *progress.epoch == 0) return std::monostate{};
  return *progress.epoch;
}

/// Returns the time of the whole run less the time that has passed.
Cell left_cell(const OffloadState& state, const JobProgress& progress) {
  if (state.run || !progress.total || !progress.elapsed) return std::monostate{};
  const auto left = [&](Seconds total) { return std::max(Seconds{0}, total - *progress.elapsed); };
  return Interval<Seconds>{left(progress.total->low), left(progress.total->mid),
                           left(progress.total->high)};
}

Cell job_cost(const RunContext& context, const std::optional<Interval<Seconds>>& time) {
  if (!time || !context.price) return std::monostate{};
  return cost_cell(&*context.price, *time).cell;
}

std::optional<Interval<Seconds>> exactly(const std::optional<Seconds>& time) {
  if (!time) return std::nullopt;
  return Interval<Seconds>::exactly(*time);
}

/// Returns how long it waited in the queue of a cluster.
Cell queue_cell(const OffloadState& state) {
  if (!state.run) return std::monostate{};
  const Seconds queue = preparation_time(*state.run, "queue");
  return queue.count() > 0 ? Cell(queue) : Cell();
}

}  // namespace

Table jobs_table(const std::vector<AskedJob>& jobs) {
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
  for (const auto& [job, state] : jobs) {
    const RunContext& context = job.request.context;
    const JobProgress progress = progress_of(state);
    table.rows.push_back({context.id, context.machine_type.name,
                          context.place.empty() ? "this machine" : context.place,
                          settings_text(context), state_text(state), cell_of(progress.laps),
                          epoch_cell(progress),
                          progress.planned_epochs > 0 ? Cell(progress.planned_epochs) : Cell(),
                          queue_cell(state), cell_of(progress.elapsed), left_cell(state, progress),
                          job_cost(context, exactly(progress.elapsed)),
                          job_cost(context, progress.total), job.pending_run.created_at});
  }
  if (jobs.empty()) table.notes.push_back("no training is on its way; lapcast offload sends one");
  return table;
}

}  // namespace lapcast
