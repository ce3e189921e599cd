#pragma once

#include <string>
#include <vector>

#include "core/seconds.h"
#include "probe/interrupt.h"

namespace lapcast {

/// Says how busy a machine was with other work during a short check, and how evenly it worked.
struct QuietCheck {
  Seconds length{0};
  double cpus = 0;         // that this process may use
  double others_cpus = 0;  // used by all else, on average; 0 if the system does not tell
  double lost_share = 0;   // of the time, to others: time_lost_in()
  double stolen = 0;       // share of the CPUs' time that the host took
  double spread = 0;       // standard deviation / mean of the times of equal pieces of work
};

/// Keeps every CPU of `cpus` busy with equal pieces of work for `length`, or until the interrupt,
/// and returns what it saw.
QuietCheck check_quiet(const std::vector<int>& cpus, Seconds length, const Interrupt& interrupt);

/// Returns why a measurement should wait, in words such as "others used 1.2 of 2 CPUs"; empty where
/// the machine is quiet: others used at most 5 % of it, the host took at most 1 %, and the spread
/// was at most 3 %.
std::string why_not_quiet(const QuietCheck& check);

}  // namespace lapcast
