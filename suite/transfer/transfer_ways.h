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

/// Says where the files of a data set are prepared, and whether others are sent meanwhile.
enum class TransferWay { here, here_overlapped, there, there_overlapped };
inline constexpr std::array kTransferWays{TransferWay::here, TransferWay::here_overlapped,
                                          TransferWay::there, TransferWay::there_overlapped};

/// Returns the name of a way in options and JSON: "here-overlapped".
std::string_view to_string(TransferWay way);
std::optional<TransferWay> transfer_way_named(std::string_view name);
/// Returns the way in words: "prepare here while sending".
std::string_view in_words(TransferWay way);

/// Returns whether the way prepares files before they are sent.
constexpr bool prepares_here(TransferWay way) {
  return way == TransferWay::here || way == TransferWay::here_overlapped;
}
constexpr bool is_overlapped(TransferWay way) {
  return way == TransferWay::here_overlapped || way == TransferWay::there_overlapped;
}

/// Counts the files of a data set, which are prepared in pieces of `piece_files`.
struct TransferSize {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t piece_files = 1;

  std::int64_t pieces() const { return (files + piece_files - 1) / piece_files; }
};

/// Holds the cost of preparing: the time of one worker per file, or per byte of its input.
struct PreparingCost {
  RatioEstimate seconds;
  bool per_byte = false;
  int workers = 1;

  /// Returns the time of one worker for all files of that size.
  Interval<double> worker_seconds(const TransferSize& size) const;
};

/// Returns the cost per file or per byte, whichever explains the times of the pieces better.
PreparingCost preparing_cost(std::span<const double> seconds, std::span<const double> files,
                             std::span<const double> bytes, int workers);

/// Give the relative standard deviations of a machine's and of a link's speed between a sample of
/// some seconds and the whole transfer. With nothing else running on a shared machine, six
/// forecasts of preparing were off by 17 % (root mean square of the logarithm), four of sending
/// over a shaped link by 4 % (`./bench transfer-forecast`).
inline constexpr double kMachineSpread = 0.15;
inline constexpr double kLinkSpread = 0.05;

struct TransferSample {
  PreparingCost prepare_here;
  PreparingCost prepare_there;
  RatioEstimate prepared_bytes;     // per byte of input
  RatioEstimate send_byte_s;        // seconds per byte
  double send_prepared_file_s = 0;  // seconds per prepared file besides those for its bytes
  double prepared_files = 1;        // files made by the preparation from one file
  double send_call_s = 0;           // seconds of a call that sends nothing
  double machine_spread = kMachineSpread;
  double link_spread = kLinkSpread;
  bool same_machine = false;  // one machine prepares on both sides
};

/// Holds the prices of the machines, and the training after the transfer.
struct TransferPrices {
  std::optional<Offer> here;     // this machine is used until the last file is sent
  std::optional<Offer> there;    // the other machine is used from the first sent file on
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

/// Returns a forecast for each way, in the order of kTransferWays. The bounds and probabilities
/// come from 2000 draws of all estimates from their t distributions, and of the speeds of both
/// machines and the link from log-normal ones (on one machine with half of the variance in common);
/// every way uses the same draws. Throws Error if an amount is out of range.
std::vector<WayForecast> forecast_ways(const TransferSample& sample, const TransferSize& size,
                                       const TransferPrices& prices);

}  // namespace lapcast
