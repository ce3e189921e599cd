#pragma once

#include "probe/interrupt.h"
#include "remote/record.h"

namespace lapcast {

/// Runs what the request asks for to its end on this machine, set-up command included, and writes
/// progress and result into the record. Obeys the orders that come meanwhile ("stop", "kill"), and
/// ends in order at a signal. Returns false when the result could not be written.
bool record_run(const RecordFolder& folder, const RemoteRequest& request, RecordWriter& writer,
                Interrupt& interrupt);

/// Does the same in a process that outlives this one, its terminal and its session; what that
/// process prints goes into the folder. The writer's lock passes on to it.
void record_run_detached(const RecordFolder& folder, const RemoteRequest& request,
                         RecordWriter writer);

}  // namespace lapcast
