#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace lapcast {

/// Calls with the text of a file piece by piece, decompressed where it is gzip; "-" is stdin. False
/// where compressed data end too early or are damaged: what came before was handed over. Error (bad
/// input) when the file cannot be read.
bool for_each_piece(const std::string& file, const std::function<void(std::string_view)>& take);

/// All of it; Error (bad input) also when it is longer than most_bytes.
struct WholeFile {
  std::string text;
  bool complete = true;  // as for_each_piece() returns
};
WholeFile read_whole(const std::string& file, std::size_t most_bytes);

}  // namespace lapcast
