#include "common/memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace lapcast::workloads {

bool keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kTopPadBytes = 64 << 20;
  // No block is mapped separately, whatever its size, so M_MMAP_THRESHOLD has no effect. Setting
  // any of these options also stops malloc from adapting its thresholds.
  const bool no_mmap = mallopt(M_MMAP_MAX, 0) == 1;
  // -1 becomes the largest size_t: the top of the heap is never returned to the kernel.
  const bool no_trim = mallopt(M_TRIM_THRESHOLD, -1) == 1;
  const bool grow_in_big_steps = mallopt(M_TOP_PAD, kTopPadBytes) == 1;
  // All threads share one arena. Other arenas are pieces of 64 MiB that are mapped and unmapped as
  // they fill.
  const bool one_arena = mallopt(M_ARENA_MAX, 1) == 1;
  return no_mmap && no_trim && grow_in_big_steps && one_arena;
#else
  return false;
#endif
}

void end_without_freeing() {
#ifdef __GLIBC__
  on_exit(
      [](int status, void*) {
        std::cout.flush();
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
#endif
}

}  // namespace lapcast::workloads
