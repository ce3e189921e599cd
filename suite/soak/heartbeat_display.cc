#include "suite/soak/heartbeat_display.h"

#include <fmt/format.h>

#include <variant>

#include "core/units.h"

namespace lapcast {

void HeartbeatDisplay::show(const Heartbeat& heartbeat, const Result<void>& written) {
  if (!written) say("warning: " + written.error().text);
  if (const auto* begin = std::get_if<SessionBegin>(&heartbeat)) {
    begin_ = begin->at;
    beats_ = 0;
    say(fmt::format("{} is held; heartbeats go to {}", printable(begin->machine),
                    printable(file_)));
  } else if (const auto* beat = std::get_if<SessionBeat>(&heartbeat)) {
    line_.show(fmt::format("held for {}, {} heartbeats, {} units of work",
                           format_duration(from_ns(beat->at.boot_ns - begin_.boot_ns)), ++beats_,
                           beat->work));
  } else if (const auto* lost = std::get_if<SessionLost>(&heartbeat)) {
    say(fmt::format("lost after {} and {} heartbeats",
                    format_duration(from_ns(lost->at.boot_ns - begin_.boot_ns)), beats_));
  }
}

void HeartbeatDisplay::say(const std::string& text) {
  if (text == said_) return;
  said_ = text;
  line_.finished("lapcast: " + printable(text, 1000));
}

}  // namespace lapcast
