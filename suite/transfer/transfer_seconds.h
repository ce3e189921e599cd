#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/seconds.h"
#include "suite/transfer/transfer_report.h"

namespace lapcast {

/// Counts what a transfer sends and prepares, second by second.
class TransferSeconds {
 public:
  TransferSeconds();

  /// Takes a line of progress from rsync, which counts from the start of its call.
  void take_progress(std::string_view line);
  /// Adds what a finished call has sent.
  void sent(std::int64_t bytes, std::int64_t files);
  /// Adds files of the input that were prepared.
  void prepared(std::int64_t files);
  Seconds elapsed() const;
  const TransferSecond& now() const { return now_; }
  /// Returns one entry for each second until now; the last second may be incomplete.
  std::vector<TransferSecond> all();

 private:
  /// Fills in the seconds that have ended.
  void note();

  MonotonicNs begin_;
  TransferSecond ended_;  // without the running call
  TransferSecond now_;
  std::vector<TransferSecond> seconds_;
};

}  // namespace lapcast
