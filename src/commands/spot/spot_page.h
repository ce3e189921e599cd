#pragma once

#include <string>

#include "pages/page_document.h"
#include "query/spot_plan.h"

namespace lapcast {

/// Returns the data of a page (docs/report.schema.json) about a plan for spot machines: its tables,
/// the trace, and a simulation of the training on it.
std::string spot_document(const SpotPlan& plan, const SpotPlanRequest& request,
                          const PageOrigin& origin);

}  // namespace lapcast
