#include "remote/slurm_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/units.h"
#include "machine/proc_text.h"
#include "probe/ids_and_time.h"
#include "remote/slurm_queue.h"
#include "remote/ssh.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicNs kMillisecond = 1'000'000;
constexpr MonotonicNs kSlurmSecond = 1000 * kMillisecond;
constexpr MonotonicNs kAheadEvery = 60 * kSlurmSecond;
// A controller may be down for maintenance: its jobs are still there afterwards.
constexpr MonotonicNs kOutagePatience = 24 * 3600 * kSlurmSecond;
// Applies at a run's end, for which a user waits: a restarted controller answers within this time.
constexpr MonotonicNs kRemovalPatience = 60 * kSlurmSecond;
constexpr auto kSlice = 50ms;

/// Calls the controller until it answers, `patience` is over or an interrupt comes.
template <class Call>
auto despite_outage(MonotonicNs patience, const Interrupt& interrupt, const RemoteProgress& tell,
                    const Call& call) {
  const MonotonicNs begin = monotonic_ns();
  for (SlurmPace pace;; pace.later(monotonic_ns())) {
    auto answer = call();
    const bool enough = monotonic_ns() - begin > patience || interrupt.count() > 0;
    if (answer || !answer.error().passes || enough) return answer;
    if (tell) tell(answer.error().reason.text + "; trying again");
    wait_unless_interrupted(pace.wait_ns() + SlurmPace::kFirstWait, interrupt);
  }
}

}  // namespace

// Beginning ---------------------------------------------------------------------------------------

SlurmRun::SlurmRun(const ProbeRequest& request, const Interrupt& interrupt)
    : request_(request),
      interrupt_(interrupt),
      host_(host_of(request.place_setup.place)),
      queue_(*host_),
      link_(*host_, request_.place_setup, request.context.id, interrupt),
      tracker_(request.goes_on_by_itself()),
      look_(*host_, queue_) {}

Result<void> SlurmRun::begin(const RemoteProgress& tell) {
  auto session = begin_run(*host_, request_, AgentTask::Kind::prepare, interrupt_, tell);
  if (!session) return tl::unexpected(session.error());
  for (std::string* path : {&folder_, &tool_}) {
    auto line = session->next_line();
    if (!line) return tl::unexpected(line.error().reason);
    if (!line->starts_with('/'))
      return because(fmt::format("{} does not say where its folder is", host_->name()));
    *path = std::move(*line);
  }
  return submit(tell);
}

Result<void> SlurmRun::submit(const RemoteProgress& tell) {
  const std::string name = slurm_job_name(request_.context, request_.place_setup.group);
  const auto command = sbatch_command(place(), request_.context, name, folder_);
  const auto job = despite_outage(kOutagePatience, interrupt_, tell, [&] {
    return queue_.submit(folder_, name, command, slurm_script(tool_, folder_));
  });
  if (!job) {
    if (!job.error().passes) remove_folders();
    return tl::unexpected(job.error().reason);
  }
  tracker_.submitted(*job);
  pace_.soon(monotonic_ns());
  return {};
}

// Following ---------------------------------------------------------------------------------------

RemoteNews SlurmRun::follow(std::chrono::milliseconds at_most) {
  RemoteNews news;
  const MonotonicNs end = monotonic_ns() + at_most.count() * kMillisecond;
  bool woken = false;
  while (!finished_ && news.is_empty() && !woken) {
    ask_queue(news);
    if (!tracker_.life()) find_life_on_this_machine();
    const auto left =
        std::chrono::milliseconds{std::max<MonotonicNs>((end - monotonic_ns()) / kMillisecond, 0)};
    if (tracker_.listens())
      take_record(std::min<std::chrono::milliseconds>(
                      left, look_.is_under_way() || tracker_.has_ended() ? kSlice : 1000ms),
                  news);
    else
      wait_unless_interrupted(
          std::min<std::chrono::milliseconds>(left, kSlice).count() * kMillisecond, interrupt_);
    take_step(news);
    woken = (interrupt_.count() > 0 && !tracker_.was_stopped()) || left.count() == 0;
  }
  news.ended = finished_;
  return news;
}

void SlurmRun::take_record(std::chrono::milliseconds at_most, RemoteNews& news) {
  RemoteNews heard = link_.follow(at_most);
  if (!heard.messages.empty()) pace_.after_silence(monotonic_ns());
  for (AgentMessage& said : heard.messages) {
    auto* run = std::get_if<Run>(&said);
    const bool unreadable = std::holds_alternative<Reason>(said);
    if (run != nullptr) tracker_.take_result(std::move(*run), monotonic_ns());
    if (unreadable) tracker_.take_no_result();
    if (run != nullptr || unreadable)
      pace_.at_once(monotonic_ns());
    else
      news.messages.push_back(std::move(said));
  }
  if (!heard.note.empty()) note(heard.note, news);
  if (heard.lost) {
    tracker_.take_no_result();
    pace_.soon(monotonic_ns());
  }
}

/// Looks at the folders directly if this machine has the cluster's file system: they say more than
/// Slurm does.
void SlurmRun::find_life_on_this_machine() {
  if (!place().login.empty()) return;
  const SlurmLife first = tracker_.next_life();
  for (const SlurmLife& life : {first, SlurmLife{first.job, first.restarts + 1}}) {
    std::error_code error;
    const auto size = std::filesystem::file_size(folder_ + life_suffix(life) + "/holder", error);
    if (!error && size > 0 && tracker_.take_new_life(life)) follow_life();
  }
}

void SlurmRun::follow_life() {
  link_.follow_folder(request_.context.id + life_suffix(*tracker_.life()));
  pace_.after_silence(monotonic_ns());
}

// What Slurm says ---------------------------------------------------------------------------------

void SlurmRun::ask_queue(RemoteNews& news) {
  const MonotonicNs now = monotonic_ns();
  if (!look_.is_under_way() && (!pace_.is_due(now) || tracker_.has_ended())) return;
  const SlurmPoll::PollResult sight = look_.look(folder_, tracker_.job(), now);
  if (tracker_.take_lives(look_.lives())) follow_life();
  if (const auto* failed = std::get_if<SlurmPoll::Unanswered>(&sight))
    return take_outage(failed->why, news);
  const auto* answer = std::get_if<SlurmPoll::Answer>(&sight);
  if (answer == nullptr) return;
  pace_.later(now);
  if (outage_since_ns_) note("Slurm answers again", news);
  outage_since_ns_.reset();
  take_sight(answer->job, news);
}

void SlurmRun::take_outage(const HostFailure& failure, RemoteNews& news) {
  const MonotonicNs now = monotonic_ns();
  if (!outage_since_ns_) outage_since_ns_ = now;
  pace_.later(now);
  if (now - *outage_since_ns_ > kOutagePatience) news.lost = failure.reason;
  note(failure.reason.text + "; its job is not touched by that, trying again", news);
}

void SlurmRun::take_sight(const std::optional<SlurmJob>& job, RemoteNews& news) {
  const auto phase = job ? job->phase() : SlurmJob::Phase::ended;
  if (phase == SlurmJob::Phase::waiting) return take_waiting(*job, news);
  if (phase == SlurmJob::Phase::ended) return tracker_.take_end(ending_of(job), monotonic_ns());
  tracker_.take_running();
  if (!tracker_.life()) note(fmt::format("starting on {}", job->nodes), news);
}

/// Returns how the job ended: as squeue still says, or as the accounts say.
SlurmEnding SlurmRun::ending_of(const std::optional<SlurmJob>& job) const {
  SlurmEnding ending{.job = tracker_.job()};
  if (job) {
    ending.state = job->state;
    ending.reason = job->reason;
    ending.time_limit_ns = job->time_limit_ns;
    if (job->state != "CANCELLED") return ending;
  }
  const auto accounted = queue_.ended(tracker_.job());
  if (!job && accounted) ending.state = accounted->state;
  if (accounted && accounted->cancelled_by) ending.who = queue_.user_name(*accounted->cancelled_by);
  return ending;
}

void SlurmRun::take_waiting(const SlurmJob& job, RemoteNews& news) {
  const MonotonicNs now = monotonic_ns();
  const bool had_life = tracker_.life().has_value();
  const SlurmTracker::WaitingJob waiting = tracker_.take_waiting(job);
  if (waiting == SlurmTracker::WaitingJob::irrelevant) return;
  if (had_life) pace_.soon(now);
  if (waiting == SlurmTracker::WaitingJob::hopeless) {
    queue_.cancel(tracker_.job());
    const auto never = why_never(job);
    news.lost =
        Reason{never ? *never
                     : fmt::format("{} nodes were powered up for its job and never registered; "
                                   "sinfo -R and the log of the cluster's ResumeProgram say why",
                                   tracker_.lost_nodes())};
    return;
  }
  if (job.reason == "Priority" && now >= next_ahead_ns_) {
    const auto ahead = queue_.ahead_of(job);
    ahead_ = ahead ? std::optional(*ahead) : std::nullopt;
    next_ahead_ns_ = now + kAheadEvery;
  }
  note(waiting_note(job, ahead_, tracker_.lost_nodes()), news);
}

void SlurmRun::take_step(RemoteNews& news) {
  if (finished_) return;
  SlurmTracker::Step step = tracker_.next(monotonic_ns());
  if (auto* end = std::get_if<SlurmTracker::Finish>(&step))
    return finish(std::move(end->run), news);
  if (const auto* again = std::get_if<SlurmTracker::SubmitAgain>(&step))
    return submit_again(again->why, news);
  if (std::holds_alternative<SlurmTracker::RemoveHolder>(step)) {
    // The agent then makes a result of what the lap logs hold.
    link_.run_script("rm -f -- \"$1/holder\"", {run_folder() + life_suffix(*tracker_.life())});
    link_.follow_folder(request_.context.id + life_suffix(*tracker_.life()));
  }
  const auto* end = std::get_if<SlurmTracker::FinishWithoutRun>(&step);
  if (end == nullptr) return;
  Run run = run_not_started(request_.context, describe(end->why) + printed_by_job(end->why));
  if (end->stopped) run.outcome = outcome::Interrupted{};
  finish(std::move(run), news);
}

void SlurmRun::submit_again(const SlurmEnding& why, RemoteNews& news) {
  if (const auto forgotten = queue_.forget(folder_); !forgotten)
    return take_outage(forgotten.error(), news);
  if (const auto again = submit([](const std::string&) {}); !again) {
    news.lost = again.error();
    return;
  }
  note(fmt::format("{}; another one, {}, was submitted", describe(why), tracker_.job()), news);
}

void SlurmRun::finish(Run run, RemoteNews& news) {
  add_history(slurm_history(*host_, folder_), run);
  news.messages.emplace_back(std::move(run));
  finished_ = true;
}

/// Returns what the job script printed before lapcast began, to be added to the reason of a
/// failure.
std::string SlurmRun::printed_by_job(const SlurmEnding& ending) const {
  if (ending.state != "FAILED" && !ending.state.empty()) return "";
  const auto output = host_->run({"tail", "-c", "600", "--", folder_ + "/slurm.out"});
  if (!output || output->status != 0)
    return fmt::format("; it printed nothing: is {} on a file system that the nodes share?",
                       folder_);
  const std::string words = printable(trimmed(output->output), 400);
  return words.empty() ? "" : ": " + words;
}

void SlurmRun::note(std::string text, RemoteNews& news) {
  if (text == last_note_) return;
  last_note_ = text;
  news.note = std::move(text);
}

// Orders and files --------------------------------------------------------------------------------

Result<void> SlurmRun::order(const std::string& what) {
  if (what != "stop" && what != "kill") return link_.order(what);
  tracker_.stop_ordered();
  if (tracker_.life()) {
    if (auto ordered = link_.order(what); !ordered) return ordered;
    if (what == "stop") return {};
  }
  const auto cancelled = queue_.cancel(tracker_.job());
  pace_.soon(monotonic_ns());
  if (!cancelled) return tl::unexpected(cancelled.error().reason);
  return {};
}

Result<void> SlurmRun::remove() {
  std::int64_t job = tracker_.job();
  if (job == 0) {
    const auto noted = link_.run_script("cat \"$1/job\" 2>/dev/null || :", {run_folder()});
    if (!noted) return tl::unexpected(noted.error());
    job = parse_integer(*noted).value_or(0);
  }
  if (job != 0) {
    const auto cancelled =
        despite_outage(kRemovalPatience, interrupt_, {}, [&] { return queue_.cancel(job); });
    if (!cancelled) return tl::unexpected(cancelled.error().reason);
  }
  link_.close();
  return remove_folders();
}

Result<void> SlurmRun::remove_folders() {
  const auto removed = link_.run_script("rm -rf -- \"$1\" \"$1\".*.*", {run_folder()});
  if (!removed) return tl::unexpected(removed.error());
  return {};
}

Result<FetchedFiles> SlurmRun::fetch(const std::filesystem::path& local) {
  if (!tracker_.life()) return because("its job has not started yet");
  return link_.fetch(local);
}

std::string SlurmRun::end_command() const {
  return fmt::format("scancel $(cat {}/job)",
                     shell_quote(agent_folder(request_.place_setup) + "/" + run_folder()));
}

}  // namespace lapcast
