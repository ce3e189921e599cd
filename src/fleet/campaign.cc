#include "fleet/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>

#include "fleet/candidates.h"
#include "probe/fresh.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

/// The state of a campaign between two events.
class Campaign {
 public:
  Campaign(std::vector<ProbeRequest> requests, Executor& executor, Store& store,
           Interrupt& interrupt, const CampaignListener& listener)
      : waiting_(requests.begin(), requests.end()),
        total_(requests.size()),
        executor_(executor),
        store_(store),
        interrupt_(interrupt),
        listener_(listener) {}

  CampaignResult run() {
    while (!running_.empty() || (!waiting_.empty() && !result_.interrupted)) {
      if (interrupt_.count() > interrupts_passed_on_) pass_on_interrupt();
      if (!result_.interrupted) start_what_can_run();
      for (Executor::Event& event : executor_.wait(1000ms)) take(event);
      tell();
    }
    return result_;
  }

 private:
  struct Running {
    RunContext context;
    ProbeProgress progress;
  };

  void pass_on_interrupt() {
    interrupts_passed_on_ = interrupt_.count();
    result_.interrupted = true;
    executor_.stop_all();
  }

  /// In order; one whose CPUs are taken waits, and those behind it may pass.
  void start_what_can_run() {
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      const MachineType& wanted = it->context.machine_type;
      const bool blocked = std::any_of(running_.begin(), running_.end(), [&](const auto& entry) {
        return share_cpus(entry.second.context.machine_type, wanted);
      });
      if (blocked) {
        ++it;
        continue;
      }
      ProbeRequest request = std::move(*it);
      it = waiting_.erase(it);
      request.context.started_at = utc_now();
      request.store_file = store_.file();
      if (request.context.start == StartKind::unknown)
        request.context.start = started_before_ ? StartKind::warm : StartKind::cold;
      started_before_ = true;
      running_[executor_.start(request)] = {request.context, {}};
    }
  }

  void take(Executor::Event& event) {
    const auto entry = running_.find(event.ticket);
    if (entry == running_.end()) return;
    if (const auto* progress = std::get_if<ProbeProgress>(&event.what)) {
      entry->second.progress = *progress;
      return;
    }
    const Run& run = std::get<Run>(event.what);
    running_.erase(entry);
    store_.add(run);
    if (std::holds_alternative<outcome::Interrupted>(run.outcome)) {
      result_.interrupted = true;
    } else {
      ++result_.finished;
      if (!has_laps(run.outcome)) ++result_.failed;
      spent_ += run.wall();
    }
    if (listener_.on_run) listener_.on_run(run);
  }

  void tell() const {
    if (!listener_.on_progress) return;
    CampaignProgress progress{result_.finished, total_, result_.failed, std::nullopt, {}};
    if (result_.finished > 0) {
      const auto left = static_cast<double>(total_ - result_.finished);
      progress.eta = spent_ / static_cast<double>(result_.finished) * left;
    }
    for (const auto& [ticket, running] : running_)
      progress.running.push_back(
          fmt::format("{}: {}", candidate_name(running.context), running.progress.state));
    listener_.on_progress(progress);
  }

  std::list<ProbeRequest> waiting_;
  std::size_t total_;
  Executor& executor_;
  Store& store_;
  Interrupt& interrupt_;
  const CampaignListener& listener_;
  std::map<Executor::Ticket, Running> running_;
  CampaignResult result_;
  Seconds spent_{0};
  bool started_before_ = false;
  int interrupts_passed_on_ = 0;
};

}  // namespace

CampaignResult run_campaign(std::vector<ProbeRequest> requests, Executor& executor, Store& store,
                            Interrupt& interrupt, const CampaignListener& listener) {
  return Campaign(std::move(requests), executor, store, interrupt, listener).run();
}

}  // namespace lapcast
