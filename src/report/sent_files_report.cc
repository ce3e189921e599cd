#include "report/sent_files_report.h"

#include <fmt/format.h>

#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

/// Returns "3 files, links and empty folders, 12.0 KiB".
template <class Row>
std::string sum_of(const std::vector<Row>& rows, const char* what) {
  std::int64_t bytes = 0;
  for (const Row& row : rows) bytes += row.bytes;
  return fmt::format("{} {}, {}", rows.size(), what, format_bytes(bytes));
}

}  // namespace

std::vector<Table> sent_files_tables(const std::vector<SentFileRow>& sent,
                                     const std::vector<UnsentFileRow>& unsent) {
  Table files = table_of<SentFileRow>("Sent",
                                      {{"path", "path", &SentFileRow::path},
                                       {"type", "type", &SentFileRow::type},
                                       {"part", "part", &SentFileRow::part},
                                       {"bytes", "bytes", &SentFileRow::bytes}},
                                      sent);
  files.notes.push_back(sum_of(sent, "files, links and empty folders"));
  Table rest = table_of<UnsentFileRow>("Not sent, by default rules",
                                       {{"path", "path", &UnsentFileRow::path},
                                        {"rule", "rule", &UnsentFileRow::rule},
                                        {"bytes", "bytes", &UnsentFileRow::bytes}},
                                       unsent);
  rest.notes.push_back(sum_of(unsent, "files and folders") +
                       "; to send one, write !NAME into .lapcastignore");
  return {std::move(files), std::move(rest)};
}

}  // namespace lapcast
