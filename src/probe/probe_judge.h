#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forecast/stopping_rule.h"
#include "probe/judge.h"

namespace lapcast {

/// Ends a probe when its laps are enough, after a short validation where the program can run one,
/// or when its budget is spent; a run that has to find the number of epochs, when it is out of
/// patience.
class ProbeJudge : public Judge {
 public:
  ProbeJudge(const RunContext& context, const ProbeLimits& limits)
      : context_(context), limits_(limits), rule_(StoppingRule{limits.precision}) {}

  std::optional<Outcome> look(LapFolder& laps, bool any_new, Seconds elapsed) override;
  void describe(const LapFolder& laps, ProbeProgress& progress) const override;

 private:
  std::optional<Outcome> judge_laps(LapFolder& laps, Seconds elapsed);
  std::optional<Outcome> check_limits(const LapFolder& laps, Seconds elapsed) const;
  bool wait_for_validation(LapFolder& laps, Seconds elapsed);
  std::int64_t validation_samples(const LapLog& log) const;

  const RunContext& context_;
  const ProbeLimits& limits_;
  StoppingRuleJudge rule_;
  bool rule_satisfied_ = false;
  std::string rule_text_;
  std::string state_ = "starting";
  int validations_asked_ = 0;
  Seconds validation_deadline_{0};
};

}  // namespace lapcast
