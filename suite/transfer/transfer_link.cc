#include "suite/transfer/transfer_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <random>
#include <string>

#include "core/error.h"
#include "probe/ids_and_time.h"
#include "suite/transfer/transfer_seconds.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kChunk = 1 << 20;  // larger than the window of ssh's compression
constexpr Seconds kLongestRest{120};     // until the host confirms that all bytes have arrived

std::string random_bytes() {
  std::mt19937_64 random(1);
  std::string bytes(kChunk, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

/// Measures one link. An object is used once.
class LinkMeasurement {
 public:
  LinkMeasurement(const Host& host, const Interrupt& interrupt, const TransferProgress& tell)
      : host_(host), interrupt_(interrupt), tell_(tell) {}

  LinkResult measure(Seconds length) {
    auto command = host_.start({"sh", "-c", "wc -c"});
    if (!command) refuse(command.error().reason);
    while (!command->marker_seen() && !command->ended()) wait(*command);
    TransferSeconds seconds;
    const std::string chunk = random_bytes();
    while (seconds.elapsed() < length && !command->ended()) {
      if (command->unsent() == 0) {
        command->write(chunk);
        written_ += static_cast<std::int64_t>(kChunk);
      }
      wait(*command);
      note(*command, seconds);
    }
    command->close_input();
    while (!command->ended() && seconds.elapsed() < length + kLongestRest) {
      wait(*command);
      note(*command, seconds);
    }
    return result_of(*command, seconds);
  }

 private:
  [[noreturn]] void refuse(const Reason& reason) const {
    throw Error(ExitCode::system_failed, "the link is not measured: " + reason.text);
  }
  void wait(RunningCommand& command) {
    command.wait(1ms, interrupt_.fd());
    said_ += command.take_output();
    if (interrupt_.count() > 0) throw Error(ExitCode::interrupted, "interrupted");
  }
  /// Counts the bytes sent since the last call.
  void note(const RunningCommand& command, TransferSeconds& seconds) {
    const auto sent = written_ - static_cast<std::int64_t>(command.unsent());
    seconds.sent(sent - seconds.now().sent_bytes, 0);
    tell_(
        fmt::format("{:.0f} s, {:.1f} MB/s", seconds.elapsed().count(),
                    static_cast<double>(sent) * 1e-6 / std::max(seconds.elapsed().count(), 1e-3)));
  }
  LinkResult result_of(const RunningCommand& command, TransferSeconds& seconds) const {
    if (!command.ended())
      refuse({fmt::format("{} has not said within {:.0f} s that all bytes have come", host_.name(),
                          kLongestRest.count())});
    if (const auto lost = host_.failure_of(command)) refuse(lost->reason);
    const std::size_t digits = said_.find_first_of("0123456789");
    std::int64_t came = 0;
    if (digits != said_.npos)
      std::from_chars(said_.data() + digits, said_.data() + said_.size(), came);
    if (command.status() != 0 || came != written_)
      refuse({fmt::format("of {} bytes {} came to {}", written_, came, host_.name())});
    return {.host = host_.name(),
            .sent_bytes = written_,
            .time = seconds.elapsed(),
            .seconds = seconds.all()};
  }

  const Host& host_;
  const Interrupt& interrupt_;
  const TransferProgress& tell_;
  std::int64_t written_ = 0;
  std::string said_;
};

}  // namespace

LinkResult measure_link(const Host& host, Seconds length, const Interrupt& interrupt,
                        const TransferProgress& tell) {
  return LinkMeasurement(host, interrupt, tell).measure(length);
}

}  // namespace lapcast
