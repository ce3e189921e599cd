#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "run/run.h"
#include "suite/driver/queens.h"

namespace lapcast {

/// Returns the value of kPieceSetting for a piece, counted from 0: "1/20" for the first of 20.
std::string piece_text(std::size_t piece, std::size_t pieces);

/// Returns the piece of a run, counted from 0; nullopt if the run is not one of so many pieces.
std::optional<std::size_t> piece_of(const RunContext& context, std::size_t pieces);

/// Holds what the runs of one piece tell.
struct PieceResult {
  std::size_t piece = 0;               // counted from 0
  std::optional<QueensResult> result;  // of the run that counts; none = it is not counted yet
  std::string machine;                 // the machine type of that run
  std::string run;                     // its id
  Seconds time{0};                     // from its start to its end
  Seconds cpu{0};                      // that its program took
  std::size_t tries = 0;               // all runs of the piece
  std::string reason;                  // why it is not counted

  bool is_done() const { return result.has_value(); }
};

/// Holds a count in pieces, each of which one run counts at most.
struct SplitCount {
  std::vector<PieceResult> pieces;
  Seconds lost{0};      // time of the runs that do not count
  Seconds lost_cpu{0};  // CPU time of these
  std::string why_not;  // two runs of one piece differ; empty = none do

  std::size_t done() const;
  std::size_t tries() const;
  std::size_t machines() const;  // machine types with a run that counts
  std::int64_t solutions() const;
  double nodes() const;
  Seconds time() const;
  Seconds cpu() const;
};

/// Merges the runs of a set of so many pieces. The first run that counted a piece is the one that
/// counts; all others are lost work.
SplitCount merge_pieces(std::span<const Run> runs, std::size_t pieces);

}  // namespace lapcast
