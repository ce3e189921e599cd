#pragma once

#include "remote/record.h"

namespace lapcast {

/// Makes a result of a run whose recorder is gone (its machine was switched off, it was killed): the
/// laps that were written, or the reason why there are none. Nothing where another process records
/// it, or has finished it. Returns whether a result is there now.
bool salvage(const RecordFolder& folder);

}  // namespace lapcast
