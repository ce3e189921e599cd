#pragma once

#include "core/seconds.h"
#include "probe/interrupt.h"
#include "remote/host.h"
#include "suite/transfer/transfer.h"
#include "suite/transfer/transfer_report.h"

namespace lapcast {

/// Sends random bytes to a host for this time, over the connection that transfers use, and waits
/// until the host confirms that all have arrived. Nothing is written there. Throws Error (system,
/// interrupted).
LinkResult measure_link(const Host& host, Seconds length, const Interrupt& interrupt,
                        const TransferProgress& tell);

}  // namespace lapcast
