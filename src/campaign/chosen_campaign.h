#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "campaign/campaign.h"

namespace lapcast {

/// Returns the name of the machine type that is to be probed next, by the runs so far; none = the
/// search is over. Runs that failed are among them.
using ProbeChooser = std::function<std::optional<std::string>(std::span<const Run> runs)>;

/// Runs one request after the other, each the first of the machine type that `choose` returns,
/// until it returns none or one without a request. Only its machine is rented meanwhile. `earlier`
/// has the runs of earlier commands. Throws Error as Campaign::run() does.
CampaignResult run_chosen(std::vector<ProbeRequest> requests, const ProbeChooser& choose,
                          std::vector<Run> earlier, CampaignTools tools);

}  // namespace lapcast
