#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "suite/papers/paper_table.h"
#include "suite/transfer/transfer_ways.h"

namespace lapcast {

/// Says what a transfer had sent up to a second since its begin.
struct SentUpTo {
  double second = 0;
  std::int64_t sent_bytes = 0;
};

struct FilesOfSize {
  std::int64_t up_to_bytes = 0;  // and more than half as many
  std::int64_t files = 0;
  std::optional<std::int64_t> made_files;  // that were prepared; nothing = on the target
};

/// Holds what counts of a measured transfer, or of a link that was measured alone.
struct MeasuredTransfer {
  bool is_link = false;
  std::optional<TransferWay> way;  // nothing = it only sent
  int workers = 1;
  std::int64_t files = 0;
  std::int64_t bytes = 0;       // of the files
  std::int64_t sent_bytes = 0;  // over the link
  Seconds send{0};              // in all calls that send
  Seconds time{0};
  std::string host = {};  // ssh host; empty = a folder of this machine
  std::string name = {};  // of the file that it was read from, for people
  std::vector<SentUpTo> seconds = {};
  std::vector<FilesOfSize> sizes = {};
};

/// Reads what `lapcast transfer run --json` or `transfer link --json` prints. The reason says what
/// is missing or wrong, or that the transfer went on after an earlier one or left files out, and so
/// has no time of its own.
Result<MeasuredTransfer> parse_measured_transfer(std::string_view json);

/// Returns whether two transfers did the same with the same files to the same host, as far as is
/// known: only such transfers are averaged.
bool are_like(const MeasuredTransfer& a, const MeasuredTransfer& b);
/// Returns what a transfer did: "here-overlapped, 5 at a time, 119 files to box", "link to box".
std::string in_words(const MeasuredTransfer& transfer);

/// Holds a figure of a paper and the same one of own measurements.
struct MeasuredFigure {
  std::string table;
  std::string row;
  std::string quantity;
  std::string unit;
  std::optional<Printed> printed;  // nothing = the paper only draws it
  Interval<double> measured;  // 95 % by Student's t or Fieller; without bounds of few transfers
  std::size_t transfers = 0;  // that it is made of
};

/// Returns chapter 5 and table 6.1 of Künas 2023 from own transfers: times, images per second and
/// gains of preparing here and there, one at a time and in parallel, sizes and bandwidths, and of
/// those that only sent their time and rate, and of the link alone table 5.1. Figures without a
/// transfer are left out. The reason names two transfers that one figure would average though they
/// are not alike.
Result<std::vector<MeasuredFigure>> kunas_transfers(const std::vector<MeasuredTransfer>& transfers);

}  // namespace lapcast
