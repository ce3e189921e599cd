#include "report/sent_files_report.h"

#include <fmt/format.h>

#include "core/units.h"

namespace lapcast {
namespace {

/// "3 files, links and empty folders, 12.0 KiB"
template <class Row>
std::string sum_of(const std::vector<Row>& rows, const char* what) {
  std::int64_t bytes = 0;
  for (const Row& row : rows) bytes += row.bytes;
  return fmt::format("{} {}, {}", rows.size(), what, format_bytes(bytes));
}

}  // namespace

std::vector<Table> sent_files_tables(const std::vector<SentFileRow>& sent,
                                     const std::vector<UnsentFileRow>& unsent) {
  Table files{"Sent",
              {},
              {{"path", "path"}, {"type", "type"}, {"part", "part"}, {"bytes", "bytes"}},
              {},
              {}};
  for (const SentFileRow& row : sent)
    files.rows.push_back({row.path, row.type, row.part, row.bytes});
  files.notes.push_back(sum_of(sent, "files, links and empty folders"));
  Table rest{"Not sent, by default rules",
             {},
             {{"path", "path"}, {"rule", "rule"}, {"bytes", "bytes"}},
             {},
             {}};
  for (const UnsentFileRow& row : unsent) rest.rows.push_back({row.path, row.rule, row.bytes});
  rest.notes.push_back(sum_of(unsent, "files and folders") +
                       "; to send one, write !NAME into .lapcastignore");
  return {std::move(files), std::move(rest)};
}

}  // namespace lapcast
