#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "campaign/measuring.h"
#include "campaign/sweep_plan.h"
#include "suite/split/pieces.h"

namespace lapcast {

/// Asks to count a board in pieces on the machines of a fleet.
struct SplitRequest {
  SweepRequest sweep;  // its program has the placeholder {piece}, with any value
  std::size_t pieces = 64;
  std::size_t queued = 4;  // pieces that wait in a queue, or run from it, at a time
  std::size_t tries = 5;   // of each piece, in one command
  std::string subject;     // what is counted, in messages
};

struct SplitPlan {
  SplitRequest request;
  SweepPlan sweep;  // with a candidate for each machine
  std::string key;  // is the same for the same board in as many pieces, on any machines
};

/// Reads the fleet file and checks that the count can begin. Throws Error as plan_sweep() does, and
/// (usage) for a machine that has to be rented or has several nodes.
SplitPlan plan_split(SplitRequest request);

/// Covers the runs of all pieces, including those of earlier commands.
struct SplitResult {
  std::string set;  // its id in the store
  SplitCount count;
  std::map<std::string, std::string> given_up;  // machine types that failed again and again, why
  bool interrupted = false;
};

/// Goes on with the set that the plan belongs to, or begins it: counts every piece that is not
/// counted yet. Throws Error (interrupted) when the user interrupts the wait for another lapcast
/// that counts the same, and Error as Campaign::run() does.
SplitResult run_split(const SplitPlan& plan, const MeasuringTools& tools);

}  // namespace lapcast
