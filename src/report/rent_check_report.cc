#include "report/rent_check_report.h"

#include <fmt/format.h>

#include "core/units.h"

namespace lapcast {

Table rent_check_table(const std::vector<RentCheckRow>& rows) {
  const std::vector<ColumnOf<RentCheckRow>> columns{
      {"machine_type", "machine", &RentCheckRow::machine},
      {"by", "by", &RentCheckRow::by},
      {"type", "type", &RentCheckRow::type},
      {"usd_per_hour", "now $/h", &RentCheckRow::usd_per_hour},
      {"most_usd_per_hour", "at most $/h", &RentCheckRow::most_per_hour},
      {"egress_usd_per_gb", "egress $/GB", &RentCheckRow::egress, kOptional},
      {"most_usd", "until its deadline", &RentCheckRow::at_most},
      {"protected_by", "protected by", [](auto& row) { return text_cell(row.protected_by); }},
      {"is_ready", "ready", [](auto& row) { return Mark{row.problem.empty()}; }},
      {"problem", "", [](auto& row) { return text_cell(row.problem); }}};
  Table table = table_of<RentCheckRow>("rentable", "Machines to rent", columns, rows);
  for (const RentCheckRow& row : rows)
    if (!row.problem.empty())
      table.notes.push_back(fmt::format("{}: {}", printable(row.machine), row.problem));
  return table;
}

}  // namespace lapcast
