#include "remote/slurm_run.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "core/units.h"
#include "machine/proc_text.h"
#include "remote/slurm_history.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicNs kMillisecond = 1'000'000;
constexpr MonotonicNs kSlurmSecond = 1000 * kMillisecond;
constexpr MonotonicNs kFirstQueueWait = kSlurmSecond / 2;
constexpr MonotonicNs kLongestQueueWait = 30 * kSlurmSecond;
constexpr MonotonicNs kSilence = 15 * kSlurmSecond;
constexpr MonotonicNs kAheadEvery = 60 * kSlurmSecond;
// A controller may be down for maintenance: its jobs are still there afterwards.
constexpr MonotonicNs kOutagePatience = 24 * 3600 * kSlurmSecond;
// Until Slurm says what became of a job whose run ended by a signal: its own time-out of a node that
// does not answer is 5 min by default.
constexpr MonotonicNs kVerdictPatience = 30 * 60 * kSlurmSecond;
constexpr MonotonicNs kRecordPatience = 5 * kSlurmSecond;  // for the last lines on a shared file system
constexpr int kMostJobs = 6;
constexpr int kHopelessLooks = 3;
constexpr auto kSlice = 50ms;

void sleep_for(std::chrono::milliseconds time, const Interrupt& interrupt) {
  pollfd waiting{interrupt.count() == 0 ? interrupt.fd() : -1, POLLIN, 0};
  poll(&waiting, 1, static_cast<int>(time.count()));
}

bool is_news(const RemoteRun::News& news) {
  return !news.lines.empty() || !news.note.empty() || news.ended || news.lost;
}

}  // namespace

void SlurmRun::Pace::soon(MonotonicNs now) {
  wait_ns = kFirstQueueWait;
  next_ns = now + wait_ns;
}

void SlurmRun::Pace::at_once(MonotonicNs now) {
  wait_ns = 0;
  next_ns = now;
}

void SlurmRun::Pace::later(MonotonicNs now) {
  wait_ns = std::min(std::max(kFirstQueueWait, wait_ns + wait_ns / 2), kLongestQueueWait);
  next_ns = now + wait_ns;
}

void SlurmRun::Pace::after_silence(MonotonicNs now) {
  wait_ns = kSilence;
  next_ns = now + wait_ns;
}

SlurmRun::SlurmRun(const ProbeRequest& request, const Interrupt& interrupt)
    : HostRun(request, interrupt, "prepare"), queue_(host()) {}

const SlurmPlace& SlurmRun::place() const { return std::get<SlurmPlace>(request().site.place); }

// Beginning ---------------------------------------------------------------------------------------

Result<void> SlurmRun::begin(const RemoteProgress& tell) {
  if (const auto prepared = HostRun::begin(tell); !prepared) return prepared;
  const Result<std::string> paths = rest_of_answer();
  if (!paths) return tl::unexpected(paths.error());
  const auto lines = split(*paths, '\n');
  if (lines.size() < 2 || !lines[0].starts_with('/') || !lines[1].starts_with('/'))
    return because(fmt::format("{} does not say where its folder is", host().name()));
  folder_ = std::string(lines[0]);
  tool_ = std::string(lines[1]);
  return submit(tell);
}

Result<void> SlurmRun::submit(const RemoteProgress& tell) {
  const std::string name =
      slurm_job_name(request().context.machine_type.name, request().site.group);
  const auto command = sbatch_command(place(), request().context, name, folder_);
  const MonotonicNs begin = monotonic_ns();
  for (Pace pace;; pace.later(monotonic_ns())) {
    const auto job = queue_.submit(folder_, name, command, slurm_script(tool_, folder_));
    if (job) {
      job_ = *job;
      pace_.soon(monotonic_ns());
      return {};
    }
    const HostFailure& failure = job.error();
    const bool enough = monotonic_ns() - begin > kOutagePatience || interrupt().count() > 0;
    if (!failure.passes || enough) {
      if (!failure.passes) remove_folder();
      return tl::unexpected(failure.reason);
    }
    tell(failure.reason.text + "; trying again");
    sleep_for(std::chrono::milliseconds{(pace.wait_ns + kFirstQueueWait) / kMillisecond}, interrupt());
  }
}

// Following ---------------------------------------------------------------------------------------

RemoteRun::News SlurmRun::follow(std::chrono::milliseconds at_most) {
  News news;
  const MonotonicNs end = monotonic_ns() + at_most.count() * kMillisecond;
  bool woken = false;
  while (!finished_ && !is_news(news) && !woken) {
    look(news);
    if (!life_) new_life_here();
    const auto left = std::chrono::milliseconds{
        std::max<MonotonicNs>((end - monotonic_ns()) / kMillisecond, 0)};
    const bool listens = life_ && !held_ && !no_result_;
    if (listens)
      follow_life(std::min<std::chrono::milliseconds>(left, looking_ || ending_ ? kSlice : 1000ms),
                  news);
    else
      sleep_for(std::min<std::chrono::milliseconds>(left, kSlice), interrupt());
    conclude(news);
    woken = (interrupt().count() > 0 && !stop_ordered_) || left.count() == 0;
  }
  news.ended = finished_;
  return news;
}

void SlurmRun::follow_life(std::chrono::milliseconds at_most, News& news) {
  News heard = HostRun::follow(at_most);
  if (!heard.lines.empty()) pace_.after_silence(monotonic_ns());
  for (std::string& line : heard.lines) {
    if (!line.starts_with("R ")) {
      news.lines.push_back(std::move(line));
      continue;
    }
    ProbeLine said = parse_probe_line(line);
    if (Run* run = std::get_if<Run>(&said)) {
      held_ = std::move(*run);
      held_since_ns_ = monotonic_ns();
    }
    no_result_ = !held_;
    pace_.at_once(monotonic_ns());
  }
  if (!heard.note.empty()) note(heard.note, news);
  if (heard.lost) {
    no_result_ = !held_;
    pace_.soon(monotonic_ns());
  }
}

/// Where the cluster's file system is that of this machine a look at it says more than Slurm does.
void SlurmRun::new_life_here() {
  if (!place().login.empty()) return;
  const std::int64_t first = left_ && left_->job == job_ ? left_->restarts + 1 : 0;
  for (const std::int64_t restarts : {first, first + 1}) {
    const SlurmLife next{job_, restarts};
    std::error_code error;
    const auto size = std::filesystem::file_size(folder_ + life_suffix(next) + "/holder", error);
    if (!error && size > 0) enter(next);
  }
}

void SlurmRun::enter(const SlurmLife& life) {
  if (!(life_ && *life_ >= life) && !(left_ && *left_ >= life)) follow_life_of(life);
}

void SlurmRun::follow_life_of(const SlurmLife& life) {
  life_ = life;
  held_.reset();
  no_result_ = holder_removed_ = false;
  follow_folder(request().context.id + life_suffix(life));
  pace_.after_silence(monotonic_ns());
}

// What Slurm says ---------------------------------------------------------------------------------

void SlurmRun::look(News& news) {
  const MonotonicNs now = monotonic_ns();
  if (!looking_) {
    if (now < pace_.next_ns || ending_) return;
    auto command = host().start(SlurmQueue::look_command(folder_, job_));
    if (!command) return take_outage(command.error(), news);
    looking_.emplace(std::move(*command));
    looking_->close_input();
    looking_since_ns_ = now;
    seen_.clear();
  }
  looking_->wait(0ms);
  seen_ += looking_->take_output();
  take_lives_of(seen_);  // before squeue has an answer, which it may never have
  const bool hangs = from_ns(now - looking_since_ns_) > longest_contact();
  if (!looking_->ended() && (hangs || seen_.size() > Host::kMostOutput)) {
    looking_.reset();
    const char* how = hangs ? "does not end" : "prints without end";
    return take_outage({{fmt::format("squeue on {} {}", host().name(), how)}, true}, news);
  }
  if (!looking_->ended()) return;
  const CommandOutput output{looking_->status(), std::move(seen_), looking_->error()};
  const auto unreachable = host().failure_of(*looking_);
  looking_.reset();
  pace_.later(now);
  if (unreachable) return take_outage(*unreachable, news);
  const auto job = queue_.read_look(output);
  if (!job) return take_outage(job.error(), news);
  if (outage_since_ns_ != 0) note("Slurm answers again", news);
  outage_since_ns_ = 0;
  take_sight(*job, news);
}

void SlurmRun::take_lives_of(std::string_view printed) {
  const SlurmLives lives = take_lives(printed);
  if (stands_) return;
  stands_ = lives.ended.has_value();
  if (stands_ && life_ != lives.ended)
    follow_life_of(*lives.ended);
  else if (!stands_ && lives.recording && lives.recording->job == job_)
    enter(*lives.recording);
}

void SlurmRun::take_outage(const HostFailure& failure, News& news) {
  const MonotonicNs now = monotonic_ns();
  if (outage_since_ns_ == 0) outage_since_ns_ = now;
  pace_.later(now);
  if (now - outage_since_ns_ > kOutagePatience) news.lost = failure.reason;
  note(failure.reason.text + "; its job is not touched by that, trying again", news);
}

void SlurmRun::take_sight(const std::optional<SlurmJob>& seen, News& news) {
  if (!seen) {
    const auto end = queue_.ended(job_);
    SlurmEnding ending{job_, end ? end->state : "", "", "", 0};
    if (end && end->cancelled_by) ending.who = queue_.user_name(*end->cancelled_by);
    return take_end(ending);
  }
  const SlurmJob& job = *seen;
  if (job.phase() == SlurmJob::Phase::waiting) return take_waiting(job, news);
  if (job.phase() == SlurmJob::Phase::running) {
    if (!life_) note(fmt::format("starting on {}", job.nodes), news);
    return;
  }
  SlurmEnding ending{job_, job.state, job.reason, "", job.time_limit_ns};
  if (job.state == "CANCELLED")
    if (const auto end = queue_.ended(job_); end && end->cancelled_by)
      ending.who = queue_.user_name(*end->cancelled_by);
  take_end(ending);
}

void SlurmRun::take_waiting(const SlurmJob& job, News& news) {
  if (stands_) return;  // whatever its job waits for
  if (life_ && (held_ || no_result_)) leave_life();
  if (life_) return;  // what Slurm said is older than what was recorded since, or will be
  hopeless_looks_ = why_never(job) ? hopeless_looks_ + 1 : 0;
  if (hopeless_looks_ >= kHopelessLooks) {
    queue_.cancel(job_);
    news.lost = Reason{*why_never(job)};
    return;
  }
  const MonotonicNs now = monotonic_ns();
  if (job.reason == "Priority" && now >= next_ahead_ns_) {
    ahead_ = queue_.ahead_of(job).value_or(-1);
    next_ahead_ns_ = now + kAheadEvery;
  }
  note(waiting_note(job, ahead_), news);
}

/// Its job waits again: what it recorded does not count.
void SlurmRun::leave_life() {
  if (life_) left_ = life_;
  life_.reset();
  held_.reset();
  no_result_ = false;
  pace_.soon(monotonic_ns());
}

void SlurmRun::take_end(SlurmEnding ending) {
  ending_ = std::move(ending);
  ended_since_ns_ = monotonic_ns();
}

// The end -----------------------------------------------------------------------------------------

void SlurmRun::conclude(News& news) {
  if (finished_) return;
  const MonotonicNs now = monotonic_ns();
  if (held_) {
    // Slurm may know why a program failed: it took too much memory.
    const bool trusted = !needs_slurms_word(*held_) || stop_ordered_ ||
                         (stands_ && std::holds_alternative<outcome::Ended>(held_->outcome));
    const bool enough =
        now - held_since_ns_ > (stands_ ? kRecordPatience : kVerdictPatience);
    if (trusted || enough) return finish(std::move(*held_), news);
  }
  if (!ending_) return;
  if (!stands_ && !stop_ordered_ && deserves_another_job(*ending_) && jobs_tried_ < kMostJobs)
    return try_another_job(news);
  if (held_ && stands_ && ending_->state != "OUT_OF_MEMORY") return finish(std::move(*held_), news);
  if (held_) return finish(judged_by_slurm(std::move(*held_), *ending_), news);
  const bool waits = life_ && !no_result_;
  if (waits && now - ended_since_ns_ < kRecordPatience) return;
  if (waits && !holder_removed_) {
    // Held on a machine that does not record any more: what its lap logs hold is made the result.
    run_in_folder("rm -f -- \"$1/holder\"", {"runs/" + request().context.id + life_suffix(*life_)});
    holder_removed_ = true;
    follow_folder(request().context.id + life_suffix(*life_));
    ended_since_ns_ = now;
    return;
  }
  Run run = run_not_started(request().context, describe(*ending_) + last_words());
  if (stop_ordered_) run.outcome = outcome::Interrupted{};
  finish(std::move(run), news);
}

void SlurmRun::try_another_job(News& news) {
  const std::string why = describe(*ending_);
  if (const auto forgotten = queue_.forget(folder_); !forgotten)
    return take_outage(forgotten.error(), news);
  if (const auto again = submit([](const std::string&) {}); !again) {
    news.lost = again.error();
    return;
  }
  ++jobs_tried_;
  ending_.reset();
  leave_life();
  note(fmt::format("{}; another one, {}, was submitted", why, job_), news);
}

void SlurmRun::finish(Run run, News& news) {
  add_history(slurm_history(host(), folder_), run);
  std::string line = result_line(run);
  line.pop_back();  // its line break
  news.lines.push_back(std::move(line));
  finished_ = true;
}

/// What the job script itself printed, which lapcast has no part in.
std::string SlurmRun::last_words() const {
  if (ending_->state != "FAILED" && !ending_->state.empty()) return "";
  const auto output = host().run({"tail", "-c", "600", "--", folder_ + "/slurm.out"});
  if (!output || output->status != 0)
    return fmt::format("; it printed nothing: is {} on a file system that the nodes share?", folder_);
  const std::string words = printable(trimmed(output->output), 400);
  return words.empty() ? "" : ": " + words;
}

void SlurmRun::note(std::string text, News& news) {
  if (text == last_note_) return;
  last_note_ = text;
  news.note = std::move(text);
}

// Orders and files --------------------------------------------------------------------------------

Result<void> SlurmRun::order(const std::string& what) {
  if (what != "stop" && what != "kill") return HostRun::order(what);
  stop_ordered_ = true;
  if (life_) {
    if (auto ordered = HostRun::order(what); !ordered) return ordered;
    if (what == "stop") return {};
  }
  const auto cancelled = queue_.cancel(job_);
  pace_.soon(monotonic_ns());
  if (!cancelled) return tl::unexpected(cancelled.error().reason);
  return {};
}

Result<void> SlurmRun::remove() {
  const std::string run = "runs/" + request().context.id;
  if (job_ == 0) {
    const auto noted = run_in_folder("cat \"$1/job\" 2>/dev/null || :", {run});
    if (!noted) return tl::unexpected(noted.error());
    job_ = parse_integer(noted->output).value_or(0);
  }
  if (job_ != 0)
    if (const auto cancelled = queue_.cancel(job_); !cancelled)
      return tl::unexpected(cancelled.error().reason);
  follow_folder(request().context.id);  // ends the command that follows
  return remove_folder();
}

Result<void> SlurmRun::remove_folder() {
  const auto removed =
      run_in_folder("rm -rf -- \"$1\" \"$1\".*.*", {"runs/" + request().context.id});
  if (!removed) return tl::unexpected(removed.error());
  return {};
}

Result<FilesNotCopied> SlurmRun::fetch(const std::filesystem::path& local) {
  if (!life_) return because("its job has not started yet");
  return HostRun::fetch(local);
}

}  // namespace lapcast
