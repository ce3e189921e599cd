#pragma once

#include "probe/interrupt.h"
#include "remote/record.h"

namespace lapcast {

/// Runs the request on this machine to its end, including the set-up command, and writes progress
/// and result into the record. Obeys the orders "stop" and "kill" meanwhile, and ends gracefully at
/// a signal. Returns false when there is no result, because it could not be written, or because the
/// run was cut off and can be resumed (ProbeRequest::resume).
bool record_run(const RecordFolder& folder, const RemoteRequest& request, RecordWriter& writer,
                Interrupt& interrupt);

/// Does what record_run() does, in a process that outlives this process, its terminal and its
/// session. The output of that process goes into the folder. The writer's lock passes on to it.
void record_run_detached(const RecordFolder& folder, const RemoteRequest& request,
                         RecordWriter writer);

}  // namespace lapcast
