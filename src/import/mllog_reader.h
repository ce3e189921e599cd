#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/imported.h"
#include "import/mllog_draft.h"

namespace lapcast {

/// Reads an MLPerf result log piece by piece, in memory that does not grow with the file: only the
/// events of epochs, blocks and evaluations are kept, of each run so many as MllogDrafts says.
class MllogReader {
 public:
  static constexpr std::size_t kLongestLine = 1 << 20;  // a longer one is broken

  void feed(std::string_view piece);
  /// Returns the runs, after the last piece. `source` is the name of the file as it is shown.
  ImportedLog finish(const std::string& source);

 private:
  void take_line(std::string_view line);
  void keep_rest(std::string_view rest);

  MllogDrafts drafts_;
  std::string rest_;         // of a line whose end has not been seen
  bool too_long_ = false;    // it is longer than kLongestLine: its bytes are not kept
  std::int64_t line_ = 0;    // complete lines so far
  std::int64_t marked_ = 0;  // lines of an MLPerf log that matter
  std::int64_t broken_ = 0;
  std::int64_t first_broken_ = 0;
  MllogEvent event_;
};

}  // namespace lapcast
