#include "choose/race_pause.h"

namespace lapcast {

PauseMethod between_rounds(const PauseCosts& racer) {
  if (!racer.can_be_suspended) return PauseMethod::restart;
  const Seconds idle = racer.billed_while_idle ? racer.wait : Seconds{0};
  // One price stands on both sides: where it is not 0 times can be compared.
  const bool idling_costs_more = racer.price.per_hour > Money() && idle > racer.again;
  return idling_costs_more ? PauseMethod::restart : PauseMethod::suspend;
}

}  // namespace lapcast
