#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/money.h"
#include "core/seconds.h"
#include "price/offer.h"
#include "stats/ratio_estimate.h"

namespace lapcast {

/// Says where the files of a data set are prepared, and whether that goes on while others are sent.
enum class TransferWay { here, here_overlapped, there, there_overlapped };
inline constexpr std::array kTransferWays{TransferWay::here, TransferWay::here_overlapped,
                                          TransferWay::there, TransferWay::there_overlapped};

/// Returns the name of a way for options and JSON: "here-overlapped".
std::string_view to_string(TransferWay way);
/// Returns the way of that name, or nothing.
std::optional<TransferWay> transfer_way_named(std::string_view name);
/// Returns the way in words: "prepare here while sending".
std::string_view in_words(TransferWay way);

/// Returns whether the way prepares files before they are sent.
constexpr bool prepares_here(TransferWay way) {
  return way == TransferWay::here || way == TransferWay::here_overlapped;
}
/// Returns whether the way prepares and sends at the same time.
constexpr bool is_overlapped(TransferWay way) {
  return way == TransferWay::here_overlapped || way == TransferWay::there_overlapped;
}

/// Counts the files of a data set. They are prepared in pieces of so many files.
struct TransferSize {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t piece_files = 1;

  std::int64_t pieces() const { return (files + piece_files - 1) / piece_files; }
};

/// Holds what preparing costs: the time of one worker for a file, or for a byte of its input.
struct PreparingCost {
  RatioEstimate seconds;
  bool per_byte = false;
  int workers = 1;

  /// Returns the time of one worker for all files of that size.
  Interval<double> worker_seconds(const TransferSize& size) const;
};

/// Returns the cost by the unit, files or bytes, that explains the times of the pieces better.
PreparingCost preparing_cost(std::span<const double> seconds, std::span<const double> files,
                             std::span<const double> bytes, int workers);

/// Give the relative standard deviations of a machine's and of a link's speed between a sample of
/// some seconds and the whole transfer. Where nothing else ran on a shared machine, six forecasts
/// of preparing were off by 17 % (root mean square of the logarithm), four of sending over a shaped
/// link by 4 % (`./bench transfer-forecast`).
inline constexpr double kMachineSpread = 0.15;
inline constexpr double kLinkSpread = 0.05;

/// Holds what a sample of the files has shown.
struct TransferSample {
  PreparingCost prepare_here;
  PreparingCost prepare_there;
  RatioEstimate prepared_bytes;     // of one byte of input
  RatioEstimate send_byte_s;        // seconds for a byte
  double send_prepared_file_s = 0;  // seconds for each prepared file beyond those of its bytes
  double prepared_files = 1;        // files that the preparation makes of one file
  double send_call_s = 0;           // seconds of a call that sends nothing
  double machine_spread = kMachineSpread;
  double link_spread = kLinkSpread;
  bool same_machine = false;  // both prepare on one machine
};

/// Says what the machines cost, and what follows the transfer.
struct TransferPrices {
  std::optional<Offer> here;     // this machine is used until the last file is sent
  std::optional<Offer> there;    // the other machine is used from the first file that is sent on
  Interval<Seconds> training{};  // on the other machine, after the last file
};

/// Holds the forecast of one way. Intervals are of 95 % confidence.
struct WayForecast {
  TransferWay way{};
  Interval<Seconds> prepare;  // from the first piece to the last one
  Interval<Seconds> send;     // all calls that send
  Interval<Seconds> time;     // until all files are prepared on the other machine
  Interval<Seconds> time_with_training;
  std::optional<Interval<Money>> cost;  // of both machines, with the training
  double fastest = 0;                   // probability that no other way is faster
  double cheapest = 0;                  // probability that no other way is cheaper
};

/// Returns a forecast for each way, in the order of kTransferWays. The bounds and probabilities are
/// those of 2000 draws of all estimates from their t distributions, and of the speeds of both
/// machines and the link from log-normal ones (on one machine with half of the variance in common);
/// every way sees the same draws. Throws Error where an amount is out of range.
std::vector<WayForecast> forecast_ways(const TransferSample& sample, const TransferSize& size,
                                       const TransferPrices& prices);

}  // namespace lapcast
