#pragma once

#include <optional>
#include <string>

#include "price/offer.h"
#include "probe/probe_request.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Limits of a whole run, as text until they are checked.
struct WatchLimitOptions {
  std::string max_cost;
  std::string max_time;
  std::string on_exceed = "stop";

  void add_to(CLI::App& command);
  /// Throws Error (usage): no duration or amount, a cost without a price, one below the least bill.
  WatchLimits limits(const std::optional<Offer>& price) const;
};

}  // namespace lapcast
