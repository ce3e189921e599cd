#include "report/table.h"

#include <fmt/core.h>

#include <ostream>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "report/table_columns.h"
#include "report/table_writers.h"

namespace lapcast {
namespace {

constexpr std::pair<std::string_view, Format> kFormats[] = {{"table", Format::table},
                                                            {"csv", Format::csv},
                                                            {"json", Format::json},
                                                            {"jsonl", Format::jsonl},
                                                            {"markdown", Format::markdown}};

template <class Write>
void with_empty_lines_between(const std::vector<Table>& tables, std::ostream& out, Write write) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (i > 0) out << '\n';
    write(tables[i]);
  }
}

}  // namespace

Format parse_format(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (name == known) return format;
  }
  throw Error(ExitCode::usage, fmt::format("unknown format '{}'; choose one of table, csv, json, "
                                           "jsonl, markdown",
                                           printable(name, 40)));
}

void write(const std::vector<Table>& tables, Format format, TextStyle look, std::ostream& out) {
  switch (format) {
    case Format::table:
      return with_empty_lines_between(tables, out, [&](const Table& t) {
        write_text(fitted(without_empty_columns(t), look.width), look.colour, out);
      });
    case Format::markdown:
      return with_empty_lines_between(
          tables, out, [&](const Table& t) { write_markdown(without_empty_columns(t), out); });
    case Format::csv:
      return with_empty_lines_between(tables, out, [&](const Table& t) { write_csv(t, out); });
    case Format::json:
      return write_json(tables, out);
    case Format::jsonl:
      for (const Table& table : tables) write_jsonl(table, out);
  }
}

}  // namespace lapcast
