#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

// These functions read and write texts for people. The parsers throw Error (usage) that quotes the
// text; numbers may have decimals, but spaces are not allowed.

/// Parses "90", "90s", "1.5m", "2h", "3d" or "250ms"; a bare number is seconds. The result is not
/// negative.
Seconds parse_duration(std::string_view text);

/// Returns the finite number that the whole text stands for, such as "-1.5e3", or nothing.
std::optional<double> number_in(std::string_view text);

/// Parses the speed of a link, "8.75 MB/s", "1GiB/s" or "70 Mbit/s" (kbit, Mbit, Gbit), into bytes
/// per second, more than 0 and at most 2^50.
double parse_speed(std::string_view text);

/// Parses "2%" or "0.02", both of which are 0.02. The result is between 0 and 1 (100 %).
double parse_share(std::string_view text);

/// Parses "1500", "20 kB" or "1.5GiB" into bytes: powers of 1000 with B, kB, MB, GB, TB, powers of
/// 1024 with KiB, MiB, GiB, TiB; one space may stand before the unit. The result is at most 2^60.
std::int64_t parse_bytes(std::string_view text);

/// Returns three significant digits with the unit that fits: "312 ns", "4.21 ms", "18.3 s", "4 min
/// 12 s", "3 h 07 min", "2 d 4 h"; from 100 years on "1.27e+03 years".
std::string format_duration(Seconds time);

/// Returns the time as "2026-11-20T12:00:00Z".
std::string utc_text(std::chrono::sys_seconds time);
/// Parses a time as utc_text() writes it; returns nothing for any other text.
std::optional<std::chrono::sys_seconds> parse_utc(std::string_view text);

/// Returns "812 B", "1.5 KiB" or "24.0 GiB".
std::string format_bytes(std::int64_t bytes);

/// Returns "2.1 %" for 0.0212, "50 %" for 0.5, "0.04 %" for 0.0004.
std::string format_share(double share);

/// Returns how many decimals show three significant digits without an exponent; at most 9.
int decimals_for(double value);
/// Returns three significant digits, and all digits before the point: "4.12", "2.5", "1234".
std::string format_number(double value);

/// Returns "1 probe" or "2 probes".
std::string counted(std::int64_t count, std::string_view noun);

/// Returns a probability in whole percent, at most "> 99 %" and at least "< 1 %", because no model
/// is surer than that.
std::string format_chance(double probability);

/// Returns a text such as "train.py, lib/layers.py and 3 more", with at most `most` names, each
/// printable().
std::string short_list(const std::vector<std::string>& names, std::size_t most = 5);

/// Makes foreign text (program output, names from files) safe to show on a terminal: control
/// characters, escape sequences and invalid UTF-8 become '?', line breaks and tabs a space. A text
/// that is wider than max_columns (display_width()) is cut to fit and ends in "...".
std::string printable(std::string_view text, std::size_t max_columns = 200);

}  // namespace lapcast
