#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "suite/transfer/transfer_ways.h"
#include "table/table.h"

namespace lapcast {

/// Holds what a transfer has done up to the end of a second.
struct TransferSecond {
  std::int64_t sent_bytes = 0;  // of files; what the protocol adds is not in it
  std::int64_t sent_files = 0;
  std::int64_t prepared_files = 0;  // of the input
  friend bool operator==(const TransferSecond&, const TransferSecond&) = default;
};

/// Names a piece whose files were not prepared.
struct FailedPiece {
  std::string piece;
  std::vector<std::string> files;
  std::string why;
};

/// Counts the files of a data set whose size is at most up_to_bytes and more than half of it.
struct SizeCount {
  std::int64_t up_to_bytes = 0;  // a power of two, from 1024 on
  std::int64_t files = 0;
  std::int64_t made_files = 0;  // that were prepared on this machine
};

/// Holds what came of a transfer.
struct TransferResult {
  std::string way;  // to_string() of the way, or "send"
  std::string target;
  int workers = 1;         // pieces that were prepared at the same time
  std::int64_t files = 0;  // of the input
  std::int64_t bytes = 0;
  std::int64_t prepared_files = 0;  // of the input
  std::int64_t made_files = 0;      // by the preparation
  std::int64_t resumed_files = 0;   // of the input, which an earlier command had prepared
  std::int64_t sent_bytes = 0;      // over the link, with what the protocol adds
  std::int64_t drops = 0;           // of the link
  Seconds prepare{0};               // from the begin of the first piece to the end of the last
  Seconds send{0};                  // in all calls that send
  Seconds time{0};
  bool verified = false;  // contents were compared by checksum
  std::vector<FailedPiece> failed;
  std::vector<std::string> notes;
  std::vector<TransferSecond> seconds;  // one for each second from the begin
  std::vector<SizeCount> sizes;         // of the input, and of what was prepared on this machine
};

/// Holds what came of measuring a link alone.
struct LinkResult {
  std::string host;
  std::int64_t sent_bytes = 0;
  Seconds time{0};  // until the host had all of them
  std::vector<TransferSecond> seconds;
};

/// Returns the tables of a transfer: what it did, the pieces that were not prepared, and for JSON
/// what was sent by which second and how large the files are.
std::vector<Table> transfer_tables(const TransferResult& result);

/// Returns the tables of a link: its bandwidth, and for JSON what was sent by which second.
std::vector<Table> link_tables(const LinkResult& result);

/// Returns the seconds of a transfer as CSV: what was sent and prepared up to each, and in it.
std::string transfer_csv(const std::vector<TransferSecond>& seconds);

/// Holds what a sample was and what it says of the whole.
struct TransferForecast {
  std::string target;
  TransferSize size;
  std::int64_t sampled_files = 0;
  std::int64_t sampled_bytes = 0;
  Seconds sampling{0};
  TransferSample sample;
  std::vector<WayForecast> ways;
  bool has_training = false;
  std::vector<std::string> notes;
};

/// Returns the tables of a forecast: its ways, and what the sample has shown. `command` returns the
/// command that goes a way.
std::vector<Table> transfer_plan_tables(const TransferForecast& forecast,
                                        const std::function<std::string(TransferWay)>& command);

}  // namespace lapcast
