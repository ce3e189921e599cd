#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fleet/executor.h"
#include "store/store.h"

namespace lapcast {

/// How far a campaign is, for a progress line.
struct CampaignProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  std::size_t failed = 0;
  std::optional<Seconds> eta;       // from the probes finished so far; absent before the first
  std::vector<std::string> running;  // "1c-avx2 batch=128: lap 12: ..."
};

struct CampaignListener {
  std::function<void(const CampaignProgress&)> on_progress;
  std::function<void(const Run&)> on_run;  // after it was stored
};

struct CampaignResult {
  std::size_t finished = 0;
  std::size_t failed = 0;     // finished, without laps or crashed
  bool interrupted = false;   // by the user; the runs in flight are stored as interrupted
};

/// Runs all requests in their order, as many at once as do not share CPUs, and stores each run as
/// soon as it ends. A failed run never stops the others. Throws Error when the store or the machine
/// refuses what is needed; what was finished is stored.
CampaignResult run_campaign(std::vector<ProbeRequest> requests, Executor& executor, Store& store,
                            Interrupt& interrupt, const CampaignListener& listener);

}  // namespace lapcast
