#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Holds the most memory that a process had held when its longest batch so far was worked on.
struct SequencePeak {
  std::int64_t length = 0;         // padded, of each sequence of the batch
  std::int64_t process_bytes = 0;  // resident; 0 = not known
  std::int64_t device_bytes = 0;   // by the allocator of its device; 0 = none, or not known
};

/// Holds what a run says of the lengths of its sequences (docs/lap-log.md, `sequence`).
struct SequencesSeen {
  std::vector<SequencePeak> peaks;  // each longer than the one before; all of batches of one size
  std::int64_t most = 0;            // how long a sequence of the data may be; 0 = not known
  std::string most_from = {};       // what says so: "tokenizer.model_max_length"
  bool by_tokens = false;           // lengths are the padded tokens of batches of varying size
};

/// Returns what the run's log with the longest sequence says; no peaks without sequences.
SequencesSeen sequences_of(const Run& run);

}  // namespace lapcast
