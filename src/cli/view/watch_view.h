#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "cli/view/live_line.h"
#include "cli/view/watch_line.h"
#include "price/offer.h"
#include "probe/program_view.h"

namespace lapcast {

/// A watched program on this process's own stdout and stderr, with a live line on a stderr that is
/// a terminal, else with a plain line every so often; without either when quiet. While lapcast is
/// not in the foreground of its terminal it draws nothing there.
class WatchView : public ProgramView {
 public:
  WatchView(bool quiet, std::optional<Offer> offer);
  std::size_t write(Stream stream, std::string_view bytes) override;
  int fd(Stream stream) const override { return stream == Stream::output ? 1 : 2; }
  void show(const ProbeProgress& progress) override;
  void warn(const std::string& what) override;
  void end() override;

 private:
  using Clock = std::chrono::steady_clock;
  bool is_terminal(Stream stream) const {
    return stream == Stream::output ? output_tty_ : error_tty_;
  }
  bool may_draw() const;
  void draw();
  void hide();
  void say(const std::string& line);

  bool quiet_;
  std::optional<Offer> offer_;
  bool output_tty_;
  bool error_tty_;
  pid_t group_;  // of lapcast itself; the view is used in a process of another one
  LiveLine live_;
  std::string line_;
  Clock::time_point drawn_{};
  PlainLines plain_;
};

}  // namespace lapcast
