#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "lap/lap_log.h"

namespace lapcast {

// These functions write the lap log (docs/lap-log.md) where lap.h does not: in the shell command,
// in exporters and in tests. Each line ends with a line break.

/// Returns the first two lines: version and hello. Host and emitter become names, "_" when empty.
std::string lap_log_opening(const Hello& hello);

/// Returns the line of a plan, with only the fields that are known.
std::string plan_line(std::int64_t at_ns, const TrainingPlan& plan);

/// Returns the line of a load, with only the fields that are known.
std::string load_line(const LoadSample& load);
/// Returns the line of a GPU, with only the fields that are known.
std::string gpu_line(const GpuSample& gpu);

/// Returns the line of one event other than hello from its words, such as {"i", "128"},
/// {"stage-begin", "compile"}, {"plan", "epochs=3"}. "iteration" and "iteration-queued" stand for
/// "i" and "q"; names are made valid. The reason says what is wrong and what the event takes.
Result<std::string> event_line(std::int64_t at_ns, std::span<const std::string> words);

/// Returns a name of at most 64 characters: those outside [A-Za-z0-9._/-] become '_'; "_" when
/// empty.
std::string lap_log_name(std::string_view text);

/// Returns a text of at most 400 characters: those that are not printable ASCII become '?'; "?"
/// when empty.
std::string lap_log_note(std::string_view text);

}  // namespace lapcast
