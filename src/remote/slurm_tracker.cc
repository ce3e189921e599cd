#include "remote/slurm_tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "core/units.h"
#include "probe/gpu_memory_error.h"

namespace lapcast {
namespace {

bool has_any_lap(const Run& run) {
  return !laps_of(run)->laps.empty();
}

/// Says of a failed program that it was for lack of main memory; else adds a warning.
void tell_memory(Run& run, std::string why) {
  auto* crash = std::get_if<outcome::Crashed>(&run.outcome);
  if (crash == nullptr || is_out_of_memory(run.outcome)) {
    run.warnings.push_back(std::move(why));
    return;
  }
  crash->out_of_main_memory = outcome::OutOfMemory{
      std::move(why), batch_of(run.context, *laps_of(run)), run.usage.peak_rss_bytes};
}

constexpr MonotonicNs kTrackerSecond = 1'000'000'000;
// Limits the wait for Slurm to say what became of a job whose run ended by a signal. Slurm's own
// time-out for a node that does not answer is 5 min by default.
constexpr MonotonicNs kVerdictPatience = 30 * 60 * kTrackerSecond;
// Limits the wait for the last lines of a record on a shared file system.
constexpr MonotonicNs kRecordPatience = 5 * kTrackerSecond;
constexpr int kMostJobs = 6;
constexpr int kHopelessLooks = 3;

}  // namespace

bool may_be_ended_by_slurm(const Run& run) {
  return !run.stop_sent_ns || std::holds_alternative<outcome::Interrupted>(run.outcome);
}

bool should_resubmit(const SlurmEnding& ending) {
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
    tell_memory(run, why);
    return run;
  }
  const bool cut_short = ending.state == "TIMEOUT" || ending.state == "CANCELLED" ||
                         ending.state == "DEADLINE" || should_resubmit(ending);
  if (!cut_short || !may_be_ended_by_slurm(run)) return run;
  if (has_any_lap(run))
    run.outcome = outcome::BudgetSpent{why};
  else
    run.outcome = outcome::NoLaps{why + " before the first lap"};
  return run;
}

std::string waiting_note(const SlurmJob& job, std::optional<std::int64_t> ahead, int lost_nodes) {
  const std::string in_vain =
      lost_nodes == 0
          ? ""
          : fmt::format("; {} powered up for it never registered",
                        lost_nodes == 1 ? "a node" : fmt::format("{} nodes", lost_nodes));
  if (job.state == "CONFIGURING")
    return fmt::format("its node {} is made ready (CONFIGURING){}", job.nodes, in_vain);
  if (job.held())
    return fmt::format("waiting in the queue, held ({}); to let it go: scontrol release {}",
                       job.reason.empty() ? job.state : job.reason, job.id);
  if (job.reason == "Dependency")
    return "waiting in the queue, behind another probe of its machine";
  if (job.reason == "BeginTime")
    return "waiting in the queue again: its job was requeued" + in_vain;
  std::string note = "waiting in the queue";
  if (!job.reason.empty()) note += ": " + job.reason;
  if (ahead && job.reason == "Priority") note += fmt::format(", {} ahead", *ahead);
  return note + in_vain;
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

std::optional<SlurmLife> SlurmTracker::life() const {
  if (const auto* following = std::get_if<Following>(&record_)) return following->life;
  if (const auto* held = std::get_if<Held>(&record_)) return held->life;
  if (const auto* none = std::get_if<NoResult>(&record_)) return none->life;
  return std::nullopt;
}

SlurmLife SlurmTracker::next_life() const {
  return {job_, left_ && left_->job == job_ ? left_->restarts + 1 : 0};
}

void SlurmTracker::submitted(std::int64_t job) {
  job_ = job;
  ++jobs_;
  if (jobs_ == 1) return;
  end_.reset();
  leave_life();
}

bool SlurmTracker::take_lives(const SlurmLives& lives) {
  if (stands_) return false;
  stands_ = lives.ended.has_value();
  if (!stands_)
    return lives.recording && lives.recording->job == job_ && take_new_life(*lives.recording);
  if (life() == lives.ended) return false;
  record_ = Following{*lives.ended};
  return true;
}

bool SlurmTracker::take_new_life(const SlurmLife& found) {
  const auto followed = life();
  if ((followed && *followed >= found) || (left_ && *left_ >= found)) return false;
  record_ = Following{found};
  powering_since_s_.reset();
  lost_nodes_ = 0;
  return true;
}

void SlurmTracker::take_result(Run run, MonotonicNs now) {
  if (const auto followed = life()) record_ = Held{*followed, std::move(run), now};
}

void SlurmTracker::take_no_result() {
  if (const auto* following = std::get_if<Following>(&record_)) record_ = NoResult{following->life};
}

SlurmTracker::WaitingJob SlurmTracker::take_waiting(const SlurmJob& job) {
  if (stands_) return WaitingJob::irrelevant;  // whatever its job waits for
  // The job waits again, so what it recorded to its end does not count. While a record grows, what
  // Slurm said is older than the record.
  if (listens()) return WaitingJob::irrelevant;
  leave_life();
  count_lost_node(job);
  hopeless_looks_ = why_never(job) ? hopeless_looks_ + 1 : 0;
  const bool hopeless = hopeless_looks_ >= kHopelessLooks || lost_nodes_ >= kMostLostNodes;
  return hopeless ? WaitingJob::hopeless : WaitingJob::waits;
}

/// A requeue gives the job a new time of submission.
void SlurmTracker::count_lost_node(const SlurmJob& job) {
  if (powering_since_s_ && powering_since_s_ != job.submitted_s) {
    ++lost_nodes_;
    powering_since_s_.reset();
  }
  if (job.state == "CONFIGURING") powering_since_s_ = job.submitted_s;
}

void SlurmTracker::leave_life() {
  if (const auto followed = life()) left_ = followed;
  record_ = NoLife{};
}

/// Returns whether a result is final without Slurm, which may know why a program failed: it took
/// too much memory.
bool SlurmTracker::is_trusted(const Run& run) const {
  return !may_be_ended_by_slurm(run) || stopped_ ||
         (stands_ && std::holds_alternative<outcome::Ended>(run.outcome));
}

SlurmTracker::Step SlurmTracker::next(MonotonicNs now) {
  auto* held = std::get_if<Held>(&record_);
  const MonotonicNs patience = stands_ ? kRecordPatience : kVerdictPatience;
  if (held != nullptr && (is_trusted(held->run) || now - held->since_ns > patience))
    return Finish{std::move(held->run)};
  if (!end_) return Wait{};
  const bool goes_on =
      resumes_ && end_->ending.state == "TIMEOUT" && held != nullptr && has_any_lap(held->run);
  const bool is_tried_again = should_resubmit(end_->ending) && jobs_ < kMostJobs;
  if (!stands_ && !stopped_ && (goes_on || is_tried_again)) return SubmitAgain{end_->ending};
  if (held != nullptr && stands_ && end_->ending.state != "OUT_OF_MEMORY")
    return Finish{std::move(held->run)};
  if (held != nullptr) return Finish{judged_by_slurm(std::move(held->run), end_->ending)};
  if (auto* following = std::get_if<Following>(&record_)) {
    if (now - end_->since_ns < kRecordPatience) return Wait{};
    if (!std::exchange(following->holder_removed, true)) {
      end_->since_ns = now;
      return RemoveHolder{};
    }
  }
  return FinishWithoutRun{end_->ending, stopped_};
}

}  // namespace lapcast
