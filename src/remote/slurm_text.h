#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace lapcast {

// These functions read what Slurm's commands print, without trusting it: fields that lapcast asked
// for by -o, separated by a byte that stands in no name.

constexpr char kSlurmSeparator = '\x1f';

/// Returns the -o argument for these fields: "%i", "%T" -> "%i\x1f%T".
std::string slurm_format(const std::vector<std::string_view>& fields);

/// Returns the lines of such a text, each with exactly that many fields, without blank lines.
/// Refuses lines with more or fewer fields, and more than 4 MiB.
Result<std::vector<std::vector<std::string_view>>> slurm_rows(std::string_view text,
                                                              std::size_t fields);

/// Returns a field without the blanks around it; Slurm's words for nothing ("(null)", "N/A",
/// "None") are empty.
std::string_view slurm_value(std::string_view field);

/// Returns "2026-11-22T05:49:31" as seconds since 1970, read as UTC; absent for "N/A", "Unknown"
/// and what is no date.
std::optional<std::int64_t> slurm_time(std::string_view text);

/// Returns "30" and "30:00" (30 minutes), "1:00:00", "2-12:00:00" in nanoseconds; 0 = without
/// limit. Absent for what is no length of time.
std::optional<std::int64_t> slurm_duration_ns(std::string_view text);

/// Returns a time as sbatch's --time, rounded up to whole seconds: 90 s -> "0:01:30".
std::string slurm_duration_text(std::int64_t ns);

}  // namespace lapcast
