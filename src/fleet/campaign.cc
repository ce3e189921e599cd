#include "fleet/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "fleet/candidates.h"
#include "fleet/housekeeping.h"
#include "fleet/schedule.h"
#include "probe/ids_and_time.h"
#include "remote/remote_request.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kTellEvery = 100ms;

/// The state of a campaign between two events.
class Campaign {
 public:
  Campaign(std::vector<ProbeRequest> requests, Executor& executor, Store& store,
           Interrupt& interrupt, const CampaignListener& listener)
      : requests_(std::move(requests)),
        schedule_(requests_),
        executor_(executor),
        store_(store),
        interrupt_(interrupt),
        listener_(listener) {}

  CampaignResult run() {
    while (!running_.empty() || (schedule_.waiting() > 0 && !result_.interrupted)) {
      if (interrupt_.count() > interrupts_passed_on_) pass_on_interrupt();
      if (!result_.interrupted) start_what_can_run();
      for (Executor::Event& event : executor_.wait(1000ms)) take(event);
      note_removed(store_, executor_, false);
      if (Clock::now() >= tell_at_) tell();
    }
    tell();
    note_removed(store_, executor_, true);
    return result_;
  }

 private:
  struct Running {
    Schedule::Index request;
    ProbeProgress progress;
  };

  void pass_on_interrupt() {
    interrupts_passed_on_ = interrupt_.count();
    result_.interrupted = true;
    executor_.stop_all();
  }

  void start_what_can_run() {
    while (const auto index = schedule_.next()) {
      ProbeRequest& request = requests_[*index];
      request.context.started_at = utc_now();
      request.store_file = store_.file();
      const bool first_there = places_seen_.insert(request.context.place).second;
      if (request.context.start == StartKind::unknown)
        request.context.start = first_there ? StartKind::cold : StartKind::warm;
      if (!is_here(request.site.place)) store_.save_pending_run(pending_run_of(request));
      running_[executor_.start(request)] = {*index, {}};
    }
  }

  static PendingRun pending_run_of(const ProbeRequest& request) {
    const RunContext& context = request.context;
    return {context.id,         context.sweep,      "probe", context.place,
            context.started_at, to_json_line(RemoteRequest{request})};
  }

  void take(Executor::Event& event) {
    const auto entry = running_.find(event.ticket);
    if (entry == running_.end()) return;
    if (const auto* progress = std::get_if<ProbeProgress>(&event.what)) {
      entry->second.progress = *progress;
      return;
    }
    if (std::holds_alternative<SuspendedRun>(event.what)) return;  // of races only
    const Run& run = std::get<Run>(event.what);
    schedule_.release(entry->second.request);
    running_.erase(entry);
    store_.add(run);
    executor_.stored(event.ticket);
    if (std::holds_alternative<outcome::Interrupted>(run.outcome)) {
      result_.interrupted = true;
    } else {
      ++result_.finished;
      if (!has_laps(run.outcome)) ++result_.failed;
      spent_ += run.wall();
    }
    if (listener_.on_run) listener_.on_run(run);
  }

  void tell() {
    tell_at_ = Clock::now() + kTellEvery;
    if (!listener_.on_progress) return;
    CampaignProgress progress{result_.finished, requests_.size(), result_.failed, std::nullopt, {}};
    if (result_.finished > 0) {
      const auto left = static_cast<double>(requests_.size() - result_.finished);
      progress.eta = spent_ / static_cast<double>(result_.finished) * left;
    }
    for (const auto& [ticket, running] : running_)
      progress.running.push_back(
          fmt::format("{}: {}", candidate_name(requests_[running.request].context),
                      running.progress.state));
    listener_.on_progress(progress);
  }

  std::vector<ProbeRequest> requests_;
  Schedule schedule_;
  Executor& executor_;
  Store& store_;
  Interrupt& interrupt_;
  const CampaignListener& listener_;
  std::map<Executor::Ticket, Running> running_;
  CampaignResult result_;
  Seconds spent_{0};
  std::set<std::string> places_seen_;  // where a probe was started
  Clock::time_point tell_at_{};
  int interrupts_passed_on_ = 0;
};

}  // namespace

CampaignResult run_campaign(std::vector<ProbeRequest> requests, Executor& executor, Store& store,
                            Interrupt& interrupt, const CampaignListener& listener) {
  return Campaign(std::move(requests), executor, store, interrupt, listener).run();
}

}  // namespace lapcast
