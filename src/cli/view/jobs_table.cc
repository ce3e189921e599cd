#include "cli/view/jobs_table.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "choose/assessment.h"
#include "report/cells.h"

namespace lapcast {
namespace {

/// Holds what is known of a training: from its result, else from what it reported last.
struct JobProgress {
  const AskedJob* asked;

  const RunContext& context() const { return asked->job.request.context; }
  std::optional<std::int64_t> laps = {};
  std::optional<std::int64_t> epoch = {};
  std::optional<std::int64_t> planned_epochs = {};
  std::optional<Seconds> elapsed = {};
  std::optional<Interval<Seconds>> total = {};

  Cell cost_of(const std::optional<Interval<Seconds>>& time) const {
    if (!time || !context().price) return {};
    return cost_cell(&*context().price, *time).cell;
  }
};

std::optional<std::int64_t> unless_zero(std::int64_t number) {
  return number == 0 ? std::nullopt : std::optional(number);
}

JobProgress progress_of(const AskedJob& asked) {
  JobProgress progress{&asked};
  const OffloadState& row = asked.state;
  if (row.run) {
    const LapLog log = laps_of(*row.run);
    progress.laps = static_cast<std::int64_t>(log.laps.size());
    if (!log.epochs.empty()) progress.epoch = unless_zero(log.epochs.back().epoch);
    progress.elapsed = row.run->wall();
    progress.total = Interval<Seconds>::exactly(row.run->wall());
  } else if (row.progress) {
    progress.laps = row.progress->laps;
    progress.epoch = unless_zero(row.progress->epoch);
    progress.planned_epochs = unless_zero(row.progress->planned_epochs);
    progress.elapsed = row.progress->elapsed;
    progress.total = row.progress->total;
  }
  return progress;
}

/// Returns the time of the whole run less what has passed.
Cell left_cell(const JobProgress& progress) {
  if (progress.asked->state.run || !progress.total || !progress.elapsed) return {};
  const auto left = [&](Seconds total) { return std::max(Seconds{0}, total - *progress.elapsed); };
  return Interval<Seconds>{left(progress.total->low), left(progress.total->mid),
                           left(progress.total->high)};
}

/// Returns how long the run waited in a cluster's queue.
Cell queue_cell(const JobProgress& progress) {
  if (!progress.asked->state.run) return {};
  const Seconds queue = preparation_time(*progress.asked->state.run, "queue");
  return queue.count() > 0 ? Cell(queue) : Cell();
}

Cell cost_so_far(const JobProgress& progress) {
  if (!progress.elapsed) return {};
  return progress.cost_of(Interval<Seconds>::exactly(*progress.elapsed));
}

std::vector<ColumnOf<JobProgress>> job_columns() {
  const auto place = [](const JobProgress& progress) {
    const std::string& name = progress.context().place;
    return name.empty() ? "this machine" : name;
  };
  return {{"id", "id", [](auto& r) { return r.context().id; }},
          {"machine_type", "machine", [](auto& r) { return r.context().machine_type.name; }},
          {"place", "place", place, {.spare = 4}},
          {"settings",
           "settings",
           [](auto& r) { return settings_text(r.context()); },
           {.optional = true, .spare = 3}},
          {"state", "state", [](auto& r) { return state_text(r.asked->state); }},
          {"laps", "laps", &JobProgress::laps, {.spare = 2}},
          {"epoch", "epoch", &JobProgress::epoch, {.optional = true}},
          {"planned_epochs", "of", &JobProgress::planned_epochs, {.optional = true}},
          {"queue_s", "queue", queue_cell, {.optional = true}},
          {"elapsed_s", "so far", &JobProgress::elapsed},
          {"left_s", "left", left_cell, {.bounds = true}},
          {"cost_so_far_usd", "USD so far", cost_so_far, {.bounds = true, .optional = true}},
          {"cost_usd",
           "USD in the end",
           [](auto& r) { return r.cost_of(r.total); },
           {.bounds = true, .optional = true}},
          {"created_at",
           "sent",
           [](auto& r) { return r.asked->job.pending_run.created_at; },
           {.spare = 1}}};
}

}  // namespace

Table jobs_table(const std::vector<AskedJob>& jobs) {
  std::vector<JobProgress> progresss;
  for (const AskedJob& job : jobs) progresss.push_back(progress_of(job));
  Table table = table_of("Offloaded trainings", job_columns(), progresss);
  if (jobs.empty()) table.notes.push_back("no training is on its way; lapcast offload sends one");
  return table;
}

}  // namespace lapcast
