#include "cli/bounded_line.h"

#include <algorithm>

namespace lapcast {

bool read_line(std::istream& in, std::size_t most, BoundedLine& line) {
  line = {};
  char piece[4096];
  bool any = false;
  while (in.good()) {
    in.getline(piece, sizeof piece);
    const auto bytes = static_cast<std::size_t>(in.gcount());
    any = any || bytes > 0;
    const bool ended = !in.fail() && !in.eof();  // the end of the line was read, and counted
    const std::size_t text_bytes = bytes - (ended ? 1 : 0);
    line.was_cut = line.was_cut || text_bytes > most - line.text.size();
    line.text.append(piece, std::min(text_bytes, most - line.text.size()));
    if (!in.fail() || in.eof() || in.bad()) break;
    in.clear();  // the piece was full
  }
  return any;
}

}  // namespace lapcast
