#pragma once

#include "probe/interrupt.h"
#include "remote/record.h"

namespace lapcast {

/// Runs what the request asks for to its end on this machine, set-up command included, and writes
/// progress and result into the record. Obeys the orders that come meanwhile ("stop", "kill"), and
/// ends in order at a signal. Returns false when there is no result: it could not be written, or
/// the run was cut off and has a plan to go on (ProbeRequest::resume).
bool record_run(const RecordFolder& folder, const RemoteRequest& request, RecordWriter& writer,
                Interrupt& interrupt);

/// Does what record_run() does, in a process that outlives this process, its terminal and its
/// session. The output of that process goes into the folder. The writer's lock passes on to it.
void record_run_detached(const RecordFolder& folder, const RemoteRequest& request,
                         RecordWriter writer);

}  // namespace lapcast
