#pragma once

#include <cstdint>

namespace lapcast::workloads {

/// Makes LibTorch place large tensors of the CPU in a range of addresses of their own, by FirstFit,
/// and keep their memory for the next ones.
///
/// malloc's heap, which takes the best fitting gap, needs 1.15 to 1.25 times as much memory for
/// the same steps, and how much depends on what the reading of the data left behind. Blocks below
/// 64 KiB stay in malloc's heap. Call it before the first tensor is made. Does nothing where the
/// addresses cannot be reserved (a limit on the address space); returns whether it did.
bool place_tensors_by_first_fit();

/// Returns the resident memory of this process in bytes, or 0 where /proc does not tell.
int64_t resident_bytes();

}  // namespace lapcast::workloads
