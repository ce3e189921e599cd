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

/// Says what a transfer had sent by a certain second since its start.
struct SentUpTo {
  double second = 0;
  std::int64_t sent_bytes = 0;
};

struct FilesOfSize {
  std::int64_t up_to_bytes = 0;  // more than half as many, and at most this
  std::int64_t files = 0;
  std::optional<std::int64_t> made_files;  // prepared ones; nullopt = on the target
};

/// Holds the relevant data of a measured transfer, or of a measurement of a link alone.
struct MeasuredTransfer {
  bool is_link = false;
  std::optional<TransferWay> way;  // nullopt = it only sent
  int workers = 1;
  std::int64_t files = 0;
  std::int64_t bytes = 0;       // of the files
  std::int64_t sent_bytes = 0;  // over the link
  Seconds send{0};              // in all calls that send
  Seconds time{0};
  std::string host = {};  // ssh host; empty = a folder of this machine
  std::string name = {};  // of the file from which it was read, for messages
  std::vector<SentUpTo> seconds = {};
  std::vector<FilesOfSize> sizes = {};
};

/// Reads the output of `lapcast transfer run --json` or `transfer link --json`. The reason says
/// what is missing or wrong, or that the transfer resumed an earlier one or left out files, so that
/// it has no time of its own.
Result<MeasuredTransfer> parse_measured_transfer(std::string_view json);

/// Returns whether two transfers did the same with the same files to the same host, as far as is
/// known: only such transfers are averaged.
bool are_like(const MeasuredTransfer& a, const MeasuredTransfer& b);
/// Describes a transfer: "here-overlapped, 5 at a time, 119 files to box", "link to box".
std::string in_words(const MeasuredTransfer& transfer);

/// Holds a figure of a paper and the same figure from own measurements.
struct MeasuredFigure {
  std::string table;
  std::string row;
  std::string quantity;
  std::string unit;
  std::optional<Printed> printed;  // nullopt = the paper only draws it
  Interval<double> measured;  // 95 % by Student's t or Fieller; without bounds for few transfers
  std::size_t transfers = 0;  // number of transfers in it
};

/// Returns chapter 5 and table 6.1 of Künas 2023 from own transfers: times, images per second and
/// gains of preparing here and there, sequentially and in parallel, sizes and bandwidths; for
/// transfers that only sent, time and rate; and for the link alone table 5.1. Leaves out figures
/// without a transfer. The reason names two transfers that one figure would average although they
/// are not alike.
Result<std::vector<MeasuredFigure>> kunas_transfers(const std::vector<MeasuredTransfer>& transfers);

}  // namespace lapcast
