#pragma once

#include <optional>
#include <string>

#include "core/error.h"
#include "price/offer.h"
#include "probe/probe_request.h"

namespace lapcast {

/// A watched run in one line: "epoch 3/12, 41.2 laps/s, 1 h 02 min left (58 min 20 s to 1 h 06
/// min), 0.42 of 1.31 USD (1.25 to 1.38)". What is not known is left out, and why there is no
/// forecast is said. Amounts are bills under the offer, with its boot time and billing steps.
std::string watch_line(const ProbeProgress& progress, const std::optional<Offer>& offer);

/// What a watched run came to: "ended after 12 min 04 s, 3400 laps, 0.61 USD".
std::string watch_words(const Run& run);
/// The same, and where there is more of it: "...; lapcast show 3fb0".
std::string watch_summary(const Run& run);

/// Of a run that was watched to its end: over a limit, interrupted, failed, or ok.
ExitCode exit_code_of(const Run& run);

/// When a line is due where none can be written over: the first after 10 s, each later one when a
/// quarter more time has passed, 10 s at least.
class PlainLines {
 public:
  bool is_due(Seconds elapsed);

 private:
  Seconds next_{10};
};

}  // namespace lapcast
