#include "import/mllog_reader.h"

#include <fmt/format.h>

#include <cstring>

#include "import/mllog_run.h"

namespace lapcast {

void MllogReader::take_line(std::string_view line) {
  ++line_;
  const MllogLine kind = parse_mllog_line(line, event_);
  if (kind == MllogLine::foreign) return;
  if (kind == MllogLine::broken) {
    if (broken_++ == 0) first_broken_ = line_;
    return;
  }
  ++marked_;
  event_.line = line_;
  drafts_.add(event_);
}

void MllogReader::keep_rest(std::string_view rest) {
  too_long_ = too_long_ || rest_.size() + rest.size() > kLongestLine;
  if (too_long_) {
    rest_.clear();
  } else {
    rest_ += rest;
  }
}

void MllogReader::feed(std::string_view piece) {
  while (!piece.empty()) {
    const auto* end = static_cast<const char*>(std::memchr(piece.data(), '\n', piece.size()));
    if (end == nullptr) return keep_rest(piece);
    const auto bytes = static_cast<std::size_t>(end - piece.data());
    if (too_long_ || rest_.size() + bytes > kLongestLine) {
      ++line_;
      if (broken_++ == 0) first_broken_ = line_;
      too_long_ = false;
    } else if (rest_.empty()) {
      take_line(piece.substr(0, bytes));
    } else {
      rest_ += piece.substr(0, bytes);
      take_line(rest_);
    }
    rest_.clear();
    piece.remove_prefix(bytes + 1);
  }
}

ImportedLog MllogReader::finish(const std::string& source) {
  if (!rest_.empty() || too_long_) feed("\n");
  ImportedLog result;
  for (const MllogDraft& draft : drafts_.drafts()) {
    const bool says_nothing = draft.events.empty() && !draft.run_start;
    if (!says_nothing) result.runs.push_back(mllog_run(draft, source));
  }
  if (broken_ > 0) {
    result.problems.push_back(fmt::format("line {}: a line of an MLPerf log that cannot be read{}",
                                          first_broken_,
                                          broken_ > 1 ? fmt::format("; {} in all", broken_) : ""));
  }
  if (drafts_.first_lost_line() > 0) {
    result.problems.push_back(
        fmt::format("line {}: more than {} runs in one file; the rest is left "
                    "out",
                    drafts_.first_lost_line(), MllogDrafts::kMostRuns));
  }
  if (result.runs.empty()) {
    result.problems.push_back(marked_ == 0 ? "no line of an MLPerf log (\":::MLLOG ...\")"
                                           : "no run: neither run_start nor anything timed");
  }
  return result;
}

}  // namespace lapcast
