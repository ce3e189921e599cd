#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "extrapolate/memory_line.h"
#include "forecast/memory_use.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Forecasts the peak of memory at other lengths of the sequences of a batch. Memory grows with the
/// length, and where attention keeps its products also with its square: the line is one in L + q
/// L^2, with the q of the peaks. It is straight (q = 0) unless the peaks show that it bends: at
/// least three lengths, off the straight line by more than kLeastMemoryDeviation.
class LengthLine {
 public:
  /// Returns the line through peaks, whose `batch` is the length of the sequences. The reason says
  /// what is missing.
  static Result<LengthLine> through(std::span<const MemoryPeak> peaks);

  /// Returns the peak in bytes at a length with its 95 % interval, which takes in every bend that
  /// the peaks do not exclude: two lengths exclude none.
  Interval<double> at(std::int64_t length) const;
  bool bends() const { return bends_; }

 private:
  /// Is the line with one bend.
  struct Bent {
    double bend = 0;  // q, where lengths are shares of the longest one
    MemoryLine line;
  };
  Interval<double> at(const Bent& bent, std::int64_t length) const;

  std::int64_t longest_ = 1;
  std::vector<Bent> possible_;  // the first is the likeliest
  bool bends_ = false;
};

/// Says what a meter has at the lengths that a run saw, and needs at the longest that may come.
struct SequenceNeed {
  MemoryMeter meter = MemoryMeter::process;
  std::int64_t longest = 0;       // that was seen
  std::int64_t peak_bytes = 0;    // with it
  std::int64_t lengths = 0;       // different ones with a peak
  std::int64_t most = 0;          // that is asked for, or may come; 0 = not known
  std::string most_from = {};     // what says that it may
  bool by_tokens = false;         // lengths are the padded tokens of batches
  std::int64_t memory_bytes = 0;  // 0 = not known
  Result<LengthLine> line;
  Interval<double> needed_bytes = {};  // at `most`, if both are known

  /// Returns whether the sequences may get longer than those seen, and what they need is known.
  bool is_forecast() const { return line.has_value() && most > longest; }
  /// Returns whether the longest surely fits: the upper end of its interval below kUsableShare of
  /// the memory.
  bool fits() const;
  /// Returns "fits at the lengths seen (up to 412), not surely at 1024", or "fits in the batches
  /// seen (up to 3900 tokens), not surely at 8000 tokens".
  std::string in_words() const;
};

/// Returns the need of each meter that has peaks. `most` is the length that is asked for; 0 = what
/// the run says. `memories` are those of the run's meters.
std::vector<SequenceNeed> sequence_needs(const SequencesSeen& seen,
                                         std::span<const MeteredMemory> memories,
                                         std::int64_t most = 0);

/// Returns a warning for each meter whose longest sequences do not surely fit.
std::vector<std::string> sequence_warnings(std::span<const SequenceNeed> needs);

}  // namespace lapcast
