#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace lapcast {

/// Calls `take` with the text of a file piece by piece, decompressed if it is gzip; "-" is stdin.
/// Returns false if compressed data end too early or are damaged; `take` then got what came before.
/// Throws Error (bad input) when the file cannot be read.
bool for_each_piece(const std::string& file, const std::function<void(std::string_view)>& take);

/// Returns the first bytes of a file, at most as many as asked for, decompressed if it is gzip.
/// Throws Error (bad input) when the file cannot be read.
std::string read_head(const std::string& file, std::size_t most_bytes);

/// Holds the text of a whole file, and what for_each_piece() returned for it.
struct WholeFile {
  std::string text;
  bool complete = true;
};

/// Reads a whole file as for_each_piece() does. Throws Error (bad input) also when its text is
/// longer than most_bytes.
WholeFile read_whole(const std::string& file, std::size_t most_bytes);

/// Returns the text, decompressed where it is gzip. Throws Error (bad input) that names the file
/// for damaged data, and for a text longer than most_bytes.
std::string decompressed(std::string text, const std::string& file, std::size_t most_bytes);

}  // namespace lapcast
