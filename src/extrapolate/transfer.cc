#include "extrapolate/transfer.h"

namespace lapcast {

Interval<double> with_host_part(NormalPart by_device, double log_home, double share) {
  return mixture_interval(by_device, {log_home, kHostBoundSd}, share);
}

}  // namespace lapcast
