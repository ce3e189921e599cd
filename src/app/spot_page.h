#pragma once

#include <string>

#include "app/spot_plan.h"

namespace lapcast {

/// Says how a page came about.
struct PageOrigin {
  std::string command;  // that made it, as it was typed
  std::string version;  // of lapcast
  std::string made_at;  // UTC, "2026-11-20T12:00:00Z"
  std::string home;     // the user's home folder, which the page writes as ~
};

/// Returns the data of a page (docs/report.schema.json) about a plan for spot machines: its tables,
/// the trace, and what the training would have done on it.
std::string spot_document(const SpotPlan& plan, const SpotPlanRequest& request,
                          const PageOrigin& origin);

}  // namespace lapcast
