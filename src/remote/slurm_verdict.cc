#include "remote/slurm_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "core/units.h"

namespace lapcast {
namespace {

bool has_any_lap(const Run& run) {
  return !laps_of(run).laps.empty();
}

}  // namespace

bool needs_slurms_word(const Run& run) {
  return !run.stop_sent_ns || std::holds_alternative<outcome::Interrupted>(run.outcome);
}

bool deserves_another_job(const SlurmEnding& ending) {
  return ending.state == "PREEMPTED" || ending.state == "NODE_FAIL" ||
         ending.state == "BOOT_FAIL" || ending.state == "REVOKED";
}

std::string describe(const SlurmEnding& ending) {
  std::string text = fmt::format("its Slurm job {} ", ending.job);
  if (ending.state.empty()) return text + "is in the queue no more, and left no result";
  if (ending.state == "CANCELLED")
    return text + "was cancelled" + (ending.who.empty() ? "" : " by " + ending.who);
  if (ending.state == "TIMEOUT") {
    text += "ran into its time limit";
    return ending.time_limit_ns == 0
               ? text
               : text + " of " + format_duration(from_ns(ending.time_limit_ns));
  }
  if (ending.state == "OUT_OF_MEMORY") return text + "took more memory than it was given";
  if (ending.state == "NODE_FAIL") return text + "lost its node";
  if (ending.state == "PREEMPTED") return text + "had to make room for another";
  return text + "ended as " + ending.state + (ending.reason.empty() ? "" : ", " + ending.reason);
}

Run judged_by_slurm(Run run, const SlurmEnding& ending) {
  const std::string why = describe(ending);
  if (ending.state == "OUT_OF_MEMORY") {
    run.warnings.push_back(why);
    return run;
  }
  const bool cut_short = ending.state == "TIMEOUT" || ending.state == "CANCELLED" ||
                         ending.state == "DEADLINE" || deserves_another_job(ending);
  if (!cut_short || !needs_slurms_word(run)) return run;
  if (has_any_lap(run))
    run.outcome = outcome::BudgetSpent{why};
  else
    run.outcome = outcome::NoLaps{why + " before the first lap"};
  return run;
}

std::string waiting_note(const SlurmJob& job, std::optional<std::int64_t> ahead) {
  if (job.held())
    return fmt::format("waiting in the queue, held ({}); to let it go: scontrol release {}",
                       job.reason.empty() ? job.state : job.reason, job.id);
  if (job.reason == "Dependency")
    return "waiting in the queue, behind another probe of its machine";
  if (job.reason == "BeginTime") return "waiting in the queue again: its job was requeued";
  std::string note = "waiting in the queue";
  if (!job.reason.empty()) note += ": " + job.reason;
  if (ahead && job.reason == "Priority") note += fmt::format(", {} ahead", *ahead);
  return note;
}

std::optional<std::string> why_never(const SlurmJob& job) {
  struct Never {
    std::string_view reason;
    std::string_view meaning;
  };
  static constexpr std::array<Never, 7> kNever{{
      {"PartitionTimeLimit", "it asks for more time than its partition allows"},
      {"PartitionNodeLimit", "it asks for more nodes than its partition has"},
      {"BadConstraints", "no node meets what it asks for"},
      {"InvalidAccount", "its account is not known"},
      {"AccountNotAllowed", "its account may not use this partition"},
      {"InvalidQOS", "its quality of service is not known"},
      {"QOSNotAllowed", "its quality of service is not allowed in this partition"},
  }};
  const auto found = std::find_if(kNever.begin(), kNever.end(),
                                  [&](const Never& never) { return never.reason == job.reason; });
  if (job.phase() != SlurmJob::Phase::waiting || found == kNever.end()) return std::nullopt;
  return fmt::format("Slurm will not start its job: {} ({})", found->meaning, found->reason);
}

}  // namespace lapcast
