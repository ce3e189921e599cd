#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace lapcast::workloads {

/// Reports when the device ended the work of laps, which was only queued when they were reported.
///
/// An event follows the work of a lap on each device, and later laps look whether it has happened,
/// so nothing waits. Its time counts from the event before it, and from a wait that ties the clocks
/// of host and device. Laps have no event while as many as fit into a ring are under way, or when
/// events have taken their share of the time. A device whose events have no times reports nothing.
class DeviceClock {
 public:
  /// Receives the number of a lap and the end of its work, in ns of CLOCK_MONOTONIC.
  using Report = std::function<void(int64_t lap, int64_t at_ns)>;
  using Now = std::function<int64_t()>;  ///< returns ns of CLOCK_MONOTONIC

  explicit DeviceClock(std::vector<c10::Device> devices);  ///< reports through lap.h
  DeviceClock(std::vector<c10::Device> devices, Report report, Now now);

  /// Marks the end of the work that is queued so far as that of a lap. The latest device counts.
  void mark(int64_t lap);

  /// Waits for the devices, reports the ends of all marked laps, and ties the clocks.
  void tie();

 private:
  /// Is a point of the work of all devices.
  struct Mark {
    int64_t lap;
    std::vector<c10::Event> events;  // one for each device
  };

  std::vector<c10::Event> record();
  void look();            // Reports the marks that have happened.
  void end_first_mark();  // Which has happened.
  void guard(const std::function<void()>& work);

  std::vector<c10::Device> devices_;
  Report report_;
  Now now_;
  bool failed_ = false;
  std::vector<c10::Event> last_;  // the newest events whose times are known
  std::vector<double> last_ns_;   // their times
  std::deque<Mark> pending_;      // oldest first
  std::vector<std::vector<c10::Event>> spare_;
  int64_t begun_ns_ = 0;
  int64_t spent_ns_ = 0;
  int64_t rest_until_ns_ = 0;
};

}  // namespace lapcast::workloads
