#pragma once

#include <cstddef>
#include <cstdint>

#include "suite/transfer/transfer.h"
#include "suite/transfer/transfer_report.h"
#include "suite/transfer/transfer_ways.h"

namespace lapcast {

/// Says what is forecast, and from how many files.
struct TransferPlanRequest {
  TransferRequest transfer;  // its way is ignored
  int workers_there = 1;     // on the target; transfer.workers is the number on this machine
  std::size_t sample = 200;
  std::uint64_t seed = 1;
  TransferPrices prices;
  bool has_training = false;
};

/// Prepares a random sample of the files on this machine and on the target, sends it raw and
/// prepared, and forecasts every way for all files. The first piece is a warm-up and does not
/// count. Nothing of the sample remains. Throws Error (usage) for a sample of fewer than three
/// pieces, the errors of transfer(), and (program failed) if the program cannot prepare the sample.
TransferForecast plan_transfer(const TransferPlanRequest& request, const Interrupt& interrupt,
                               const TransferProgress& tell);

}  // namespace lapcast
