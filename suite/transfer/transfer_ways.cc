#include "suite/transfer/transfer_ways.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "price/quote.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kDraws = 2000;
constexpr std::uint64_t kDrawSeed = 20230711;

struct WayNames {
  std::string_view name, words;
};
// The names are in the order of TransferWay.
constexpr WayNames kWayNames[] = {{"here", "prepare here, then send"},
                                  {"here-overlapped", "prepare here while sending"},
                                  {"there", "send, then prepare there"},
                                  {"there-overlapped", "prepare there while sending"}};

/// Holds the seconds of one way for given costs.
struct WayTimes {
  double prepare = 0, send = 0, time = 0;
  double here = 0;   // use of this machine
  double there = 0;  // use of the other machine, without the training
};

/// Holds the costs of the pieces of a data set in seconds; all pieces are assumed equal.
struct PieceCosts {
  double pieces = 1;
  double prepare_here = 0, prepare_there = 0;  // of one piece, by one worker
  double workers_here = 1, workers_there = 1;
  double send_raw = 0, send_prepared = 0;  // of one piece
  double call = 0;
  double training = 0;
};

double rounds(double pieces, double workers) {
  return std::ceil(pieces / workers);
}

/// Returns the time of sending pieces while others are prepared: each call sends all pieces that
/// are ready. `calls` receives the number of calls.
double time_here_overlapped(const PieceCosts& costs, double& calls) {
  double time = 0, sent = 0, round = 0;
  calls = 0;
  while (sent < costs.pieces) {
    const double ready =
        costs.prepare_here > 0 ? std::floor(time / costs.prepare_here + 1e-9) : costs.pieces;
    round = std::max(round + 1, ready);
    time = std::max(time, round * costs.prepare_here);
    const double prepared = std::min(costs.pieces, round * costs.workers_here);
    time += costs.call + (prepared - sent) * costs.send_prepared;
    sent = prepared;
    ++calls;
  }
  return time;
}

WayTimes times_of(TransferWay way, const PieceCosts& costs) {
  const double rounds_here = rounds(costs.pieces, costs.workers_here);
  const double rounds_there = rounds(costs.pieces, costs.workers_there);
  const double prepare_here = rounds_here * costs.prepare_here;
  const double prepare_there = rounds_there * costs.prepare_there;
  const double send_prepared = costs.call + costs.pieces * costs.send_prepared;
  const double send_raw = costs.call + costs.pieces * costs.send_raw;
  switch (way) {
    case TransferWay::here: {
      const double time = prepare_here + send_prepared;
      return {prepare_here, send_prepared, time, time, send_prepared};
    }
    case TransferWay::here_overlapped: {
      double calls = 0;
      const double time = time_here_overlapped(costs, calls);
      const double first = std::min(time, costs.prepare_here);
      return {prepare_here, calls * costs.call + costs.pieces * costs.send_prepared, time, time,
              time - first};
    }
    case TransferWay::there: {
      const double time = send_raw + prepare_there;
      return {prepare_there, send_raw, time, send_raw, time};
    }
    case TransferWay::there_overlapped:
      break;
  }
  // Each call sends a piece for every worker; they are prepared while the next ones are sent.
  const double send = rounds_there * costs.call + costs.pieces * costs.send_raw;
  const double first = costs.call + std::min(costs.workers_there, costs.pieces) * costs.send_raw;
  const double time = std::max(first + prepare_there, send + costs.prepare_there);
  return {prepare_there, send, time, send, time};
}

/// Draws costs from their distributions; a draw of zeros gives the estimates.
class CostDraws {
 public:
  CostDraws(const TransferSample& sample, const TransferSize& size, const Interval<Seconds>& after)
      : sample_(sample), size_(size), after_(after) {}

  PieceCosts estimates() {
    return costs([](const RatioEstimate& known) { return known.ratio; }, 0);
  }
  PieceCosts draw() {
    PieceCosts drawn = costs(
        [this](const RatioEstimate& known) {
          const double df = std::max(known.df, 1.0);
          const double t = numbers_.normal() / std::sqrt(numbers_.chi_squared(df) / df);
          return std::max(known.ratio + t * known.standard_error, known.ratio * 1e-3);
        },
        numbers_.normal());
    const double common = sample_.same_machine ? numbers_.normal() : 0;
    drawn.prepare_here *= machine_change(common);
    drawn.prepare_there *= machine_change(common);
    const double link = std::exp(sample_.link_spread * numbers_.normal());
    drawn.send_raw *= link;
    drawn.send_prepared *= link;
    return drawn;
  }

 private:
  /// Returns how a machine's speed changes between the sample and the transfer. If both sides are
  /// one machine, the moment of the transfer is the same, so they share half of the variance.
  double machine_change(double common) {
    const double own = numbers_.normal();
    const double z = sample_.same_machine ? (common + own) / std::sqrt(2.0) : own;
    return std::exp(sample_.machine_spread * z);
  }

  template <class Value>
  PieceCosts costs(Value value, double z) {
    const auto pieces = static_cast<double>(size_.pieces());
    const auto files = static_cast<double>(size_.files);
    const auto bytes = static_cast<double>(size_.bytes);
    const auto piece_time = [&](const PreparingCost& cost) {
      return value(cost.seconds) * (cost.per_byte ? bytes : files) / pieces;
    };
    PieceCosts costs{pieces};
    costs.prepare_here = piece_time(sample_.prepare_here);
    costs.prepare_there = piece_time(sample_.prepare_there);
    costs.workers_here = sample_.prepare_here.workers;
    costs.workers_there = sample_.prepare_there.workers;
    const double byte_s = value(sample_.send_byte_s);
    costs.send_raw = byte_s * bytes / pieces;
    costs.send_prepared = (byte_s * value(sample_.prepared_bytes) * bytes +
                           sample_.send_prepared_file_s * sample_.prepared_files * files) /
                          pieces;
    costs.call = sample_.send_call_s;
    const double deviation = (after_.high - after_.low).count() / 2 / kZ95;
    costs.training = std::max(0.0, after_.mid.count() + z * deviation);
    return costs;
  }

  const TransferSample& sample_;
  const TransferSize& size_;
  const Interval<Seconds>& after_;
  SeededNumbers numbers_{kDrawSeed};
};

Money bill(const Offer& offer, double transfer_s, double training_s) {
  const auto bill = quote(offer, Interval<Seconds>::exactly(Seconds{training_s}),
                          {.before = {.data_in = Seconds{transfer_s}}});
  if (!bill) throw Error(ExitCode::bad_input, bill.error().text);
  return bill->total.mid;
}

Money cost_of_way(const WayTimes& times, double training_s, const TransferPrices& prices) {
  Money cost;
  if (prices.here) cost += bill(*prices.here, times.here, 0);
  if (prices.there) cost += bill(*prices.there, times.there, training_s);
  return cost;
}

/// Collects the figures of one way over all draws.
struct DrawnWay {
  std::vector<double> prepare, send, time, whole, nanos;

  void add(const WayTimes& times, double training_s, const TransferPrices& prices) {
    prepare.push_back(times.prepare);
    send.push_back(times.send);
    time.push_back(times.time);
    whole.push_back(times.time + training_s);
    nanos.push_back(static_cast<double>(cost_of_way(times, training_s, prices).nanos()));
  }
};

Interval<double> around(double mid, const std::vector<double>& drawn) {
  return {std::min(mid, quantile(drawn, 0.025)), mid, std::max(mid, quantile(drawn, 0.975))};
}

Interval<Seconds> seconds_around(double mid, const std::vector<double>& drawn) {
  const auto interval = around(mid, drawn);
  return {Seconds{interval.low}, Seconds{interval.mid}, Seconds{interval.high}};
}

WayForecast forecast_of(TransferWay way, const PieceCosts& costs, const DrawnWay& drawn,
                        const TransferPrices& prices) {
  const WayTimes times = times_of(way, costs);
  WayForecast forecast{
      .way = way,
      .prepare = seconds_around(times.prepare, drawn.prepare),
      .send = seconds_around(times.send, drawn.send),
      .time = seconds_around(times.time, drawn.time),
      .time_with_training = seconds_around(times.time + costs.training, drawn.whole)};
  if (!prices.here && !prices.there) return forecast;
  const Money mid = cost_of_way(times, costs.training, prices);
  const auto bounds = around(static_cast<double>(mid.nanos()), drawn.nanos);
  forecast.cost = {Money::from_nanos(std::llround(bounds.low)), mid,
                   Money::from_nanos(std::llround(bounds.high))};
  return forecast;
}

/// Returns for each way the share of the draws in which it has the smallest figure; ties are split.
std::vector<double> shares_of_smallest(const std::vector<DrawnWay>& ways,
                                       std::vector<double> DrawnWay::*figure) {
  std::vector<double> shares(ways.size(), 0);
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const auto value = [&](const DrawnWay& way) { return (way.*figure)[draw]; };
    const double least = value(*std::ranges::min_element(ways, {}, value));
    const auto ties = std::ranges::count(ways, least, value);
    for (std::size_t i = 0; i < ways.size(); ++i)
      if (value(ways[i]) == least) shares[i] += 1.0 / static_cast<double>(ties);
  }
  for (double& share : shares) share /= kDraws;
  return shares;
}

}  // namespace

std::string_view to_string(TransferWay way) {
  return kWayNames[static_cast<std::size_t>(way)].name;
}

std::optional<TransferWay> transfer_way_named(std::string_view name) {
  const auto found =
      std::ranges::find(kTransferWays, name, [](TransferWay way) { return to_string(way); });
  return found == kTransferWays.end() ? std::nullopt : std::optional(*found);
}

std::string_view in_words(TransferWay way) {
  return kWayNames[static_cast<std::size_t>(way)].words;
}

Interval<double> PreparingCost::worker_seconds(const TransferSize& size) const {
  return interval_of(seconds, static_cast<double>(per_byte ? size.bytes : size.files));
}

PreparingCost preparing_cost(std::span<const double> seconds, std::span<const double> files,
                             std::span<const double> bytes, int workers) {
  const PreparingCost by_file{ratio_estimate(seconds, files), false, workers};
  const PreparingCost by_byte{ratio_estimate(seconds, bytes), true, workers};
  const auto relative = [](const PreparingCost& cost) {
    return cost.seconds.standard_error / cost.seconds.ratio;
  };
  return relative(by_byte) < relative(by_file) ? by_byte : by_file;
}

std::vector<WayForecast> forecast_ways(const TransferSample& sample, const TransferSize& size,
                                       const TransferPrices& prices) {
  CostDraws known(sample, size, prices.training);
  std::vector<DrawnWay> drawn(kTransferWays.size());
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const PieceCosts costs = known.draw();
    for (std::size_t i = 0; i < drawn.size(); ++i)
      drawn[i].add(times_of(kTransferWays[i], costs), costs.training, prices);
  }
  const auto fastest = shares_of_smallest(drawn, &DrawnWay::time);
  const auto cheapest = shares_of_smallest(drawn, &DrawnWay::nanos);
  std::vector<WayForecast> forecasts;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    forecasts.push_back(forecast_of(kTransferWays[i], known.estimates(), drawn[i], prices));
    forecasts.back().fastest = fastest[i];
    forecasts.back().cheapest = cheapest[i];
  }
  return forecasts;
}

}  // namespace lapcast
