#pragma once

#include <cstddef>
#include <istream>
#include <string>

namespace lapcast {

/// A line of a stream, without its end.
struct BoundedLine {
  std::string text;
  bool was_cut = false;  // it was longer than asked for; the rest was skipped
};

/// Reads the next line, of which no more than `most` bytes are kept, however long it is. False at
/// the end of the stream.
bool read_line(std::istream& in, std::size_t most, BoundedLine& line);

}  // namespace lapcast
