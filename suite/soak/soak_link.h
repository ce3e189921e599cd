#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "remote/host.h"
#include "suite/soak/holder.h"

namespace lapcast {

/// Runs the availability experiment on a remote machine: heartbeats arrive over a link and get the
/// times of this machine's clocks. If the machine is gone, tries to reach it until it is back.
class SoakLink {
 public:
  /// Refers to the plan, the setup and the interrupt, which must outlive it. `plan.machine` is the
  /// machine's name in the fleet file, and `load` has the format of the command line. `tell`
  /// receives the heartbeats, and `note` receives texts for the user.
  SoakLink(const Soak& plan, const PlaceSetup& setup, std::string load, const Interrupt& interrupt,
           HeartbeatSink tell, std::function<void(const std::string&)> note);

  /// Returns when it is interrupted or plan.most is over, or with a Reason if the machine is
  /// unavailable for a permanent cause (no such host, its key has changed) before any session.
  std::optional<Reason> run();

 private:
  struct Held {
    std::string id;
    std::string boot_id;  // of that machine
    std::int64_t last_boot_ns = 0;
    std::int64_t work_before = 0;  // from earlier connections of this session
    std::int64_t work = 0;
  };
  /// Holds one connection from start to end, and returns why it ended.
  HostFailure connect();
  /// Returns whether a session is held.
  bool take_line(const std::string& line);
  void take(const Heartbeat& heartbeat);
  void take(const SessionBegin& begin);
  void take(const SessionBeat& beat);
  void lose_when_overdue();
  void pause(Seconds time) const;
  bool over() const;
  bool overdue() const;
  Seconds patience() const { return plan_.every * 3; }

  const Soak& plan_;
  const PlaceSetup& setup_;
  std::string load_;
  const Interrupt& interrupt_;
  HeartbeatSink tell_;
  std::function<void(const std::string&)> note_;
  std::unique_ptr<Host> host_;
  std::string own_boot_id_;
  std::optional<Held> held_;
  bool had_any_ = false;
  std::int64_t begin_boot_ns_;
};

}  // namespace lapcast
