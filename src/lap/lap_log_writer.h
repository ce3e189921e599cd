#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "lap/lap_log.h"

namespace lapcast {

/// The text of a lap log, docs/lap-log.md, for what is not reported through lap.h: the shell
/// command, exporters, tests. Every text is whole lines.

/// The first two lines: version and hello. Host and emitter are made names ("_" where empty).
std::string lap_log_opening(const Hello& hello);

/// Only the fields that are known.
std::string plan_line(std::int64_t at_ns, const ReportedPlan& plan);

/// One event other than hello from its words, such as {"i", "128"}, {"stage-begin", "compile"},
/// {"plan", "epochs=3"}. "iteration" and "iteration-queued" are taken for "i" and "q"; names are
/// made valid. The reason says what is wrong and what the event takes.
Result<std::string> event_line(std::int64_t at_ns, std::span<const std::string> words);

/// Characters outside [A-Za-z0-9._/-] become '_'; ends after 64; "_" when empty.
std::string lap_log_name(std::string_view text);

/// Characters that are not printable ASCII become '?'; ends after 400; "?" when empty.
std::string lap_log_note(std::string_view text);

}  // namespace lapcast
