#include "rank/candidate.h"

#include <cmath>

#include "extrapolate/scaled_training.h"
#include "forecast/forecast.h"
#include "forecast/part.h"
#include "forecast/time_cases.h"
#include "run/settings.h"
#include "stats/intervals.h"

namespace lapcast {

Candidate candidate_of(const Run& run, const Assessment& assessment) {
  Candidate candidate{.run_id = run.context.id,
                      .machine_type = run.context.machine_type.name,
                      .offer = run.context.offer,
                      .settings = settings_text(run.context),
                      .time = assessment.forecast.map([](const Forecast& made) {
                        return made.method == Method::lapcast
                                   ? made.total
                                   : Interval<Seconds>::exactly(made.total.mid);
                      })};
  candidate.where = where_of(run.context);
  if (!assessment.forecast) return candidate;
  candidate.conditions = to_string(assessment.conditions);
  candidate.cases = assessment.cases;
  candidate.machine = machine_of(run);
  candidate.start_s = assessment.profile->init.count();
  if (const auto& checkpoint = assessment.profile->checkpoint)
    candidate.checkpoint_s = checkpoint->mid.count();
  for (const ForecastPart& part : assessment.forecast->parts)
    if (part.kind == PartKind::validation) candidate.demand.validation += part.time.mid;
  candidate.epochs = static_cast<double>(assessment.plan->epochs);
  candidate.time_by_epochs = time_by_epochs(assessment);
  return candidate;
}

void add_learned(Candidate& candidate, const LearnedEpochs& learned) {
  candidate.accuracy = learned.accuracy;
  if (learned.trained.size() < 2 || !candidate.time || !candidate.time_by_epochs ||
      candidate.epochs != static_cast<double>(learned.epochs))
    return;
  candidate.trained_epochs = learned.trained;
  const std::vector<double> values(learned.trained.begin(), learned.trained.end());
  const double spread = spread_of_next(values);
  const Seconds mid = candidate.time->mid;
  const auto away = [&](double epochs) {
    const Seconds time = candidate.time_by_epochs(epochs);
    return time.count() > 0 ? std::abs(std::log(time / mid)) : 0;
  };
  candidate.time = LogErrors()
                       .add(*candidate.time)
                       .add(away(candidate.epochs - spread), away(candidate.epochs + spread))
                       .around(mid);
}

std::vector<double> time_cases(const Candidate& candidate) {
  return candidate.cases ? *candidate.cases : time_cases(*candidate.time);
}

}  // namespace lapcast
