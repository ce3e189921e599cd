#pragma once

namespace lapcast::workloads {

/// Makes malloc keep the memory that the program frees instead of returning it to the kernel.
///
/// A training step frees and allocates the same large blocks again and again. By default malloc
/// maps each large block and unmaps it when it is freed (or trims the heap), so every step pays for
/// zeroing and mapping its pages. It must be called first in main(), before other threads exist.
/// The process keeps its largest footprint until it ends.
///
/// Returns false when a setting is refused, or when the C library has no mallopt() and nothing is
/// done.
bool keep_freed_memory();

/// Makes the process end right after the exit handlers that are registered later than this call
/// (among them lap.h's), with all output written. LibTorch's static destructors take about 60 ms to
/// free memory that the end of the process frees anyway. Does nothing where libc has no on_exit().
void end_without_freeing();

}  // namespace lapcast::workloads
