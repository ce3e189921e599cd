#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/progress_line.h"
#include "commands/offload/offload.h"
#include "core/units.h"
#include "history/assessment.h"
#include "report/cells.h"
#include "run/attempts.h"
#include "run/settings.h"

namespace lapcast {
namespace {

constexpr const char* kJobsFooter = R"(
Examples:
  lapcast jobs
  lapcast jobs --json

Asks every machine that a training was sent to. Where a machine is out of reach its row says so; the
training there goes on.)";

/// Holds what is known of a training: its result, or else its last report.
struct JobRow {
  const AskedJob& asked;
  std::optional<ProbeProgress> known = asked.state.progress;

  explicit JobRow(const AskedJob& job) : asked(job) {
    if (!job.state.run) return;
    const auto log = laps_of(*job.state.run);
    known = {.elapsed = time_of_attempts(*job.state.run),
             .laps = static_cast<std::int64_t>(log->laps.size())};
    if (!log->epochs.empty()) known->epoch = static_cast<std::int32_t>(log->epochs.back().epoch);
    known->total = Interval<Seconds>::exactly(known->elapsed);
  }
  const RunContext& context() const { return asked.job.request.context; }
};

Cell unless_zero(std::int64_t number) {
  return number == 0 ? Cell() : Cell(number);
}

/// Returns the time of the whole run minus the elapsed time.
Cell left_cell(const JobRow& row) {
  if (row.asked.state.run || !row.known || !row.known->total) return {};
  const auto left = [&](Seconds total) { return std::max(Seconds{0}, total - row.known->elapsed); };
  const Interval<Seconds>& total = *row.known->total;
  return Interval<Seconds>{left(total.low), left(total.mid), left(total.high)};
}

/// Returns how long the run waited in a cluster's queue.
Cell queue_cell(const JobRow& row) {
  if (!row.asked.state.run) return {};
  const Seconds queue = preparation_time(*row.asked.state.run, "queue");
  return queue.count() > 0 ? Cell(queue) : Cell();
}

Cell cost_of(const JobRow& row, const std::optional<Interval<Seconds>>& time) {
  if (!time || !row.context().price) return {};
  return cost_cell(&*row.context().price, *time).cell;
}

/// Returns the cell that a function makes of what is known; an empty one if nothing is known.
template <class Make>
auto if_known(Make make) {
  return [make](const JobRow& row) { return row.known ? make(row) : Cell(); };
}

std::vector<ColumnOf<JobRow>> job_columns() {
  const auto place = [](const JobRow& row) {
    const std::string& name = row.context().place;
    return name.empty() ? "this machine" : name;
  };
  const auto so_far = [](const JobRow& row) {
    return cost_of(row, Interval<Seconds>::exactly(row.known->elapsed));
  };
  const auto in_the_end = [](const JobRow& row) { return cost_of(row, row.known->total); };
  const auto sent = [](const JobRow& row) { return row.asked.job.pending_run.created_at; };
  const auto settings = [](const JobRow& row) { return Settings{settings_text(row.context())}; };
  return {{"id", "id", [](auto& row) { return row.context().id; }},
          {"machine_type", "machine", [](auto& row) { return row.context().machine_type.name; }},
          {"place", "place", place, {.spare = 4}},
          {"settings", "settings", settings, {.optional = true, .spare = 3}},
          {"state", "state", [](auto& row) { return state_text(row.asked.state); }},
          {"laps", "laps", if_known([](auto& row) { return Cell(row.known->laps); }), {.spare = 2}},
          {"epoch",
           "epoch",
           if_known([](auto& row) { return unless_zero(row.known->epoch); }),
           {.optional = true}},
          {"planned_epochs",
           "of",
           if_known([](auto& row) { return unless_zero(row.known->planned_epochs); }),
           {.optional = true}},
          {"queue_s", "queue", queue_cell, {.optional = true}},
          {"elapsed_s", "so far", if_known([](auto& row) { return Cell(row.known->elapsed); })},
          {"left_s", "left", left_cell, {.bounds = true}},
          {"cost_so_far_usd", "cost so far", if_known(so_far), {.bounds = true, .optional = true}},
          {"cost_usd", "cost in the end", if_known(in_the_end), {.bounds = true, .optional = true}},
          {"created_at", "sent", sent, {.spare = 1}}};
}

/// Returns a table of trainings with their time and money so far and in total; amounts are bills
/// under each one's offer.
Table jobs_table(const std::vector<AskedJob>& jobs) {
  Table table = table_of("jobs", "Offloaded trainings", job_columns(),
                         std::vector<JobRow>(jobs.begin(), jobs.end()));
  if (jobs.empty()) table.notes.push_back("no training is on its way; lapcast offload sends one");
  return table;
}

ExitCode list_jobs(const Globals& globals) {
  const Store store = globals.open_existing_store();
  Interrupt interrupt;
  ProgressLine line(globals.quiet);
  const auto asked = ask_all(store, interrupt, [&](const OffloadedJob& job) {
    line.show(fmt::format("asking for {} on {}", job.pending_run.id,
                          printable(job.request.context.machine_type.name)));
  });
  line.clear();
  print(globals, {jobs_table(asked)});
  return interrupt.count() > 0 ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace

static void add_jobs(CLI::App& app, CommandLine& line) {
  line.add(app, "jobs", "the trainings that were offloaded: state, time, money", kJobsFooter,
           list_jobs);
}

extern const NamedCommand kJobsCommand{"jobs", add_jobs};

}  // namespace lapcast
