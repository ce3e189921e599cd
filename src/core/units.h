#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/seconds.h"

namespace lapcast {

/// Text that people write and read for amounts of time, bytes and shares. Parsers throw Error
/// (usage) and name the text; numbers may have decimals, spaces are not allowed.

/// "90", "90s", "1.5m", "2h", "3d", "250ms" -> seconds; a bare number is seconds. Not negative.
Seconds parse_duration(std::string_view text);

/// "2%" -> 0.02, "0.02" -> 0.02. PauseMethod 0 and 1 (100 %).
double parse_share(std::string_view text);

/// "1500", "20 kB", "1.5GiB" -> bytes; powers of 1000 with B, kB, MB, GB, TB, powers of 1024 with
/// KiB, MiB, GiB, TiB; one space may stand before the unit. At most 2^60.
std::int64_t parse_bytes(std::string_view text);

/// Three significant digits with the unit that fits: "312 ns", "4.21 ms", "18.3 s", "4 min 12 s",
/// "3 h 07 min", "2 d 4 h"; from 100 years on "1.27e+03 years".
std::string format_duration(Seconds time);

/// "812 B", "1.5 KiB", "24.0 GiB".
std::string format_bytes(std::int64_t bytes);

/// 0.0212 -> "2.1 %", 0.5 -> "50 %", 0.0004 -> "0.04 %".
std::string format_share(double share);

/// Makes foreign text (program output, names from files) safe to show on a terminal: control
/// characters, escape sequences and invalid UTF-8 become '?', line breaks and tabs a space; cut
/// after max_chars bytes with "...".
std::string printable(std::string_view text, std::size_t max_chars = 200);

}  // namespace lapcast
