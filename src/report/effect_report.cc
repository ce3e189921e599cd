#include "report/effect_report.h"

#include "forecast/effects.h"

namespace lapcast {

Table effect_table(const Assessment& assessment) {
  Table table{"Effects",
              {},
              {{"effect", "effect"},
               {"what", "what was seen"},
               {"time_s", "time"},
               {"share", "share"},
               {"forecast", "in the forecast"}},
              {},
              {}};
  const auto add = [&table](const Effect& effect) {
    table.rows.push_back({std::string(to_string(effect.kind)), effect.what, effect.time,
                          Percentage{effect.share}, effect.forecast});
  };
  if (assessment.forecast)
    if (const auto start = start_up_effect(*assessment.profile, *assessment.forecast)) add(*start);
  for (const Effect& effect : assessment.profile->effects) add(effect);
  return table;
}

}  // namespace lapcast
