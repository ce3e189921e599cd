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

/// Holds the totals of a transfer at the end of a second.
struct TransferSecond {
  std::int64_t sent_bytes = 0;  // of files, without the protocol
  std::int64_t sent_files = 0;
  std::int64_t prepared_files = 0;  // of the input
  friend bool operator==(const TransferSecond&, const TransferSecond&) = default;
};

struct FailedPiece {
  std::string piece;
  std::vector<std::string> files;
  std::string why;
};

/// Counts the files of a data set whose size is at most up_to_bytes and more than half of it.
struct SizeCount {
  std::int64_t up_to_bytes = 0;  // a power of two, from 1024 on
  std::int64_t files = 0;
  std::int64_t made_files = 0;  // prepared on this machine
};

struct TransferResult {
  std::string way;  // to_string() of the way, or "send"
  std::string target;
  int workers = 1;         // number of pieces prepared at the same time
  std::int64_t files = 0;  // of the input
  std::int64_t bytes = 0;
  std::int64_t prepared_files = 0;  // of the input
  std::int64_t made_files = 0;      // by the preparation
  std::int64_t resumed_files = 0;   // of the input, prepared by an earlier command
  std::int64_t sent_bytes = 0;      // over the link, including the protocol
  std::int64_t drops = 0;           // number of lost links
  Seconds prepare{0};               // from the start of the first piece to the end of the last
  Seconds send{0};                  // in all calls that send
  Seconds time{0};
  bool verified = false;  // contents were compared by checksum
  std::vector<FailedPiece> failed;
  std::vector<std::string> notes;
  std::vector<TransferSecond> seconds;  // one for each second from the start
  std::vector<SizeCount> sizes;         // of the input, and of files prepared on this machine
};

/// Holds the outcome of a measurement of a link alone.
struct LinkResult {
  std::string host;
  std::int64_t sent_bytes = 0;
  Seconds time{0};  // until the host had received all of them
  std::vector<TransferSecond> seconds;
};

/// Returns the tables of a transfer: what it did, the pieces that were not prepared, and for JSON
/// the totals by second and the sizes of the files.
std::vector<Table> transfer_tables(const TransferResult& result);

/// Returns the tables of a link: its bandwidth, and for JSON the totals by second.
std::vector<Table> link_tables(const LinkResult& result);

/// Returns the seconds of a transfer as CSV: sent and prepared in each, and in total up to each.
std::string transfer_csv(const std::vector<TransferSecond>& seconds);

/// Describes a sample and what it says about all files.
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

/// Returns the tables of a forecast: its ways, and the results of the sample. `command` returns the
/// command that performs a way.
std::vector<Table> transfer_plan_tables(const TransferForecast& forecast,
                                        const std::function<std::string(TransferWay)>& command);

}  // namespace lapcast
