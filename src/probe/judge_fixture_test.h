#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "posix/folder_test.h"
#include "probe/judge.h"

namespace lapcast {

inline constexpr MonotonicNs kStarted = 5'000'000'000;
inline MonotonicNs stopped_clock() {
  return kStarted;  // forecasts take no time
}

/// Plays a program that reports laps of 100 ms, 32 samples each, from 1 s after its start on.
class JudgeTest : public FolderTest {
 protected:
  JudgeTest() {
    context_.plan.steps = 1000;  // 101 s in all
    write_text(folder_ / "laps.7.log",
               fmt::format("lapcast-laps 1\n0 hello clock={}\n", kStarted + 1'000'000'000));
  }
  void laps_until(double elapsed) {
    std::ofstream log(folder_ / "laps.7.log", std::ios::app);
    for (; 1 + 0.1 * (laps_ + 1) <= elapsed + 1e-9; ++laps_) {
      const long long begin = 100'000'000LL * laps_;
      if (laps_of_epoch_ > 0 && laps_ == 0)
        log << begin << " plan epochs=9 iterations=" << laps_of_epoch_ << '\n';
      if (laps_of_epoch_ > 0 && laps_ % laps_of_epoch_ == 0) {
        const int epoch = laps_ / laps_of_epoch_;
        if (epoch > 0) log << begin << " epoch-end " << epoch << '\n';
        log << begin << " epoch-begin " << epoch + 1 << '\n';
      }
      log << begin + 100'000'000LL << " i 32\n";
    }
  }
  /// Looks every 0.2 s, with laps. Returns when the program was stopped, and why.
  std::pair<double, Outcome> stopped(Judge& judge, double until) {
    for (int tick = 1; tick * 0.2 <= until; ++tick) {
      laps_until(tick * 0.2);
      const bool any_new = folder_laps_.poll();
      if (auto outcome = judge.look(folder_laps_, any_new, Seconds{tick * 0.2}))
        return {tick * 0.2, *outcome};
      for (std::string& warning : judge.take_warnings()) warnings_.push_back(warning);
    }
    return {until, outcome::Ended{}};
  }
  static std::string why(const Outcome& outcome) { return describe(outcome); }

  ProbeRequest request_;
  RunContext& context_ = request_.context;
  LapFolder folder_laps_{folder_, 1 << 20};
  int laps_ = 0;
  int laps_of_epoch_ = 0;  // 0: the program reports no epochs
  std::vector<std::string> warnings_;
};

}  // namespace lapcast
