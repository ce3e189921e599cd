#include "commands/spot/spot_page.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/spot/spot_tables.h"
#include "pages/page_document.h"
#include "report/redaction.h"
#include "report/run_document.h"
#include "table/table.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSpans = 20'000;  // of the trace

const char* name_of_presence(Presence presence) {
  return presence == Presence::there    ? "there"
         : presence == Presence::absent ? "absent"
                                        : "not recorded";
}

Json span_of(std::string_view what, Seconds begin, Seconds end) {
  return {{"what", what}, {"begin_s", begin.count()}, {"end_s", end.count()}};
}

Json steps_part(const std::vector<SpotStep>& steps) {
  Json part = Json::array();
  for (const SpotStep& step : steps) {
    Json span = span_of(to_string(step.what), step.begin, step.end);
    if (step.checkpoints > 0) span["checkpoints"] = step.checkpoints;
    part.push_back(std::move(span));
  }
  return part;
}

/// Returns the part of the trace during the training.
Json trace_part(const SpotPlan& plan) {
  Json part = Json::array();
  const std::vector<SpotStep>& steps = plan.steps.all();
  if (steps.empty()) return part;
  for (const PresenceSpan& span : part_of(plan.spans, steps.front().begin, steps.back().end))
    if (part.size() < kMostSpans)
      part.push_back(span_of(name_of_presence(span.presence), span.begin, span.end));
  return part;
}

}  // namespace

std::string spot_document(const SpotPlan& plan, const SpotPlanRequest& request,
                          const PageOrigin& origin) {
  Json spot = json_of(spot_tables(plan, request), "spot");
  spot["trace"] = trace_part(plan);
  spot["steps"] = steps_part(plan.steps.all());
  return page_document("A training on spot machines", "spot", std::move(spot), Detail::usual,
                       origin);
}

}  // namespace lapcast
