#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "choose/transfer_ways.h"
#include "core/error.h"
#include "core/seconds.h"
#include "papers/paper_table.h"

namespace lapcast {

/// Holds what counts of a measured transfer.
struct MeasuredTransfer {
  std::optional<TransferWay> way;  // nothing = it only sent
  int workers = 1;
  std::int64_t files = 0;
  std::int64_t bytes = 0;       // of the files
  std::int64_t sent_bytes = 0;  // over the link
  Seconds send{0};              // in all calls that send
  Seconds time{0};
};

/// Reads what `lapcast transfer run --json` prints. The reason says what is missing or wrong, or
/// that the transfer went on after an earlier one or left files out, and so has no time of its own.
Result<MeasuredTransfer> parse_measured_transfer(std::string_view json);

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
/// those that only sent their time and rate. Figures without a transfer are left out.
std::vector<MeasuredFigure> kunas_transfers(const std::vector<MeasuredTransfer>& transfers);

}  // namespace lapcast
