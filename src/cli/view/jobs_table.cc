#include "cli/view/jobs_table.h"

#include <algorithm>

#include "choose/assessment.h"
#include "report/cells.h"

namespace lapcast {
namespace {

/// Holds what is known of a training: from its result, else from what it reported last.
struct Standing {
  const JobRow* job;
  std::optional<std::int64_t> laps = {};
  std::optional<std::int64_t> epoch = {};
  std::optional<std::int64_t> planned_epochs = {};
  std::optional<Seconds> elapsed = {};
  std::optional<Interval<Seconds>> total = {};

  Cell cost_of(const std::optional<Interval<Seconds>>& time) const {
    if (!time || !job->context.price) return {};
    return cost_cell(&*job->context.price, *time).cell;
  }
};

std::optional<std::int64_t> unless_zero(std::int64_t number) {
  return number == 0 ? std::nullopt : std::optional(number);
}

Standing standing_of(const JobRow& row) {
  Standing standing{&row};
  if (row.run) {
    const LapLog log = laps_of(*row.run);
    standing.laps = static_cast<std::int64_t>(log.laps.size());
    if (!log.epochs.empty()) standing.epoch = unless_zero(log.epochs.back().epoch);
    standing.elapsed = row.run->wall();
    standing.total = Interval<Seconds>::exactly(row.run->wall());
  } else if (row.progress) {
    standing.laps = row.progress->laps;
    standing.epoch = unless_zero(row.progress->epoch);
    standing.planned_epochs = unless_zero(row.progress->planned_epochs);
    standing.elapsed = row.progress->elapsed;
    standing.total = row.progress->total;
  }
  return standing;
}

/// Returns the time of the whole run less what has passed.
Cell left_cell(const Standing& standing) {
  if (standing.job->run || !standing.total || !standing.elapsed) return {};
  const auto left = [&](Seconds total) { return std::max(Seconds{0}, total - *standing.elapsed); };
  return Interval<Seconds>{left(standing.total->low), left(standing.total->mid),
                           left(standing.total->high)};
}

/// Returns how long the run waited in a cluster's queue.
Cell queue_cell(const Standing& standing) {
  if (!standing.job->run) return {};
  const Seconds queue = preparation_time(*standing.job->run, "queue");
  return queue.count() > 0 ? Cell(queue) : Cell();
}

Cell cost_so_far(const Standing& standing) {
  if (!standing.elapsed) return {};
  return standing.cost_of(Interval<Seconds>::exactly(*standing.elapsed));
}

std::vector<ColumnOf<Standing>> job_columns() {
  const auto place = [](const Standing& standing) {
    const std::string& name = standing.job->context.place;
    return name.empty() ? "this machine" : name;
  };
  return {{"id", "id", [](auto& r) { return r.job->context.id; }},
          {"machine_type", "machine", [](auto& r) { return r.job->context.machine_type.name; }},
          {"place", "place", place, {.spare = 4}},
          {"settings",
           "settings",
           [](auto& r) { return settings_text(r.job->context); },
           {.optional = true, .spare = 3}},
          {"state", "state", [](auto& r) { return r.job->state; }},
          {"laps", "laps", &Standing::laps, {.spare = 2}},
          {"epoch", "epoch", &Standing::epoch, {.optional = true}},
          {"planned_epochs", "of", &Standing::planned_epochs, {.optional = true}},
          {"queue_s", "queue", queue_cell, {.optional = true}},
          {"elapsed_s", "so far", &Standing::elapsed},
          {"left_s", "left", left_cell, {.bounds = true}},
          {"cost_so_far_usd", "USD so far", cost_so_far, {.bounds = true, .optional = true}},
          {"cost_usd",
           "USD in the end",
           [](auto& r) { return r.cost_of(r.total); },
           {.bounds = true, .optional = true}},
          {"created_at", "sent", [](auto& r) { return r.job->created_at; }, {.spare = 1}}};
}

}  // namespace

Table jobs_table(const std::vector<JobRow>& rows) {
  std::vector<Standing> standings;
  for (const JobRow& row : rows) standings.push_back(standing_of(row));
  Table table = table_of("Offloaded trainings", job_columns(), standings);
  if (rows.empty()) table.notes.push_back("no training is on its way; lapcast offload sends one");
  return table;
}

}  // namespace lapcast
