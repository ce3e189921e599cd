#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Says what a run did to one cache of compiled code on its machine.
struct CompileCache {
  std::string compiler;           // "inductor", "Triton", "CUDA", "XLA" ...
  std::int64_t files_before = 0;  // just before the program was started
  std::int64_t files_added = 0;   // until it had ended
  friend bool operator==(const CompileCache&, const CompileCache&) = default;
};

/// Returns a line of a lap log: "0 compile-cache inductor before=12 added=300". A reader that does
/// not know the event skips it.
std::string compile_cache_line(const CompileCache& cache);

/// Returns the caches in the lap logs of a run; the first one if a compiler occurs twice.
std::vector<CompileCache> compile_caches_of(const Run& run);

/// Says whether a program found its compiled code.
enum class CacheState {
  unknown,  // no cache is known, as in runs that an older lapcast recorded
  cold,     // it compiled: a cache grew
  warm,     // caches have files, and none grew
};

CacheState cache_state_of(const std::vector<CompileCache>& caches);

/// Returns "inductor (300 files), Triton (12 files)": the caches that grew.
std::string grown_text(const std::vector<CompileCache>& caches);

}  // namespace lapcast
