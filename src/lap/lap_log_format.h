#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lapcast {

// The figures of docs/lap-log.md, version 1.
inline constexpr std::string_view kLapLogVersionLine = "lapcast-laps 1";
inline constexpr std::string_view kLapLogName = "lapcast-laps ";
inline constexpr std::size_t kMaxLineBytes = 4096;  // with its '\n'
inline constexpr std::size_t kMaxNameBytes = 64;
inline constexpr std::size_t kMaxNumberDigits = 18;  // times (31 years) and other large counts
inline constexpr std::int64_t kMaxSamples = 2147483647;
inline constexpr std::int64_t kMaxEpoch = 2147483647;
inline constexpr std::int64_t kMaxWorldSize = 32768;
inline constexpr double kMaxWallSeconds = 4102444800;  // the year 2100
inline constexpr std::size_t kMaxOpenStages = 64;
inline constexpr std::size_t kMaxPhases = 32767;
inline constexpr std::size_t kMaxNoteBytes = 400;
inline constexpr std::size_t kMaxNotes = 64;  // different ones of one log

constexpr bool is_name_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '/' || c == '-';
}

/// Returns whether a text is 1 to 64 characters of [A-Za-z0-9._/-].
constexpr bool is_name(std::string_view text) {
  for (const char c : text) {
    if (!is_name_character(c)) return false;
  }
  return !text.empty() && text.size() <= kMaxNameBytes;
}

constexpr bool is_note_character(char c) {
  return c >= ' ' && c <= '~';
}

/// Returns whether a text is 1 to 400 printable ASCII characters.
constexpr bool is_note(std::string_view text) {
  for (const char c : text) {
    if (!is_note_character(c)) return false;
  }
  return !text.empty() && text.size() <= kMaxNoteBytes;
}

}  // namespace lapcast
