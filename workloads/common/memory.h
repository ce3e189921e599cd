#pragma once

namespace lapcast::workloads {

/// Makes malloc keep what the program frees, instead of handing it back to the kernel.
///
/// A training step frees and allocates the same large blocks again and again. By default malloc
/// maps each large block anew and unmaps it when it is freed (or trims the heap), so that every
/// step pays for its pages being zeroed and mapped in again. Call it first in main(), before any
/// other thread exists. The process keeps its largest footprint until it ends.
///
/// Where the C library has no mallopt() it does nothing; false then, or when a setting is refused.
bool keep_freed_memory();

/// Lets the process end right after the exit handlers that are registered later than this call
/// (among them lap.h's) and with all output written: LibTorch's static destructors take some 60 ms
/// to free what the end of the process frees anyway. Does nothing where libc has no on_exit().
void end_without_freeing();

}  // namespace lapcast::workloads
