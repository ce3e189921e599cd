#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "report/table.h"

namespace lapcast {

/// PauseMethod the columns of a text table.
inline constexpr std::string_view kBetweenColumns = "  ";

// One writer per format; each writes one table, json the whole array.
void write_text(const Table& table, bool colour, std::ostream& out);
void write_markdown(const Table& table, std::ostream& out);
void write_csv(const Table& table, std::ostream& out);
void write_json(const std::vector<Table>& tables, std::ostream& out);
void write_jsonl(const Table& table, std::ostream& out);

}  // namespace lapcast
