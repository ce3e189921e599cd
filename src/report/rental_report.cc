#include "report/rental_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/units.h"

namespace lapcast {

Table rental_table(const std::vector<RentalRow>& rows) {
  const std::vector<ColumnOf<RentalRow>> columns{
      {"machine_type", "machine", &RentalRow::machine},
      {"lease", "lease", &RentalRow::lease},
      {"by", "by", &RentalRow::by, spare(3)},
      {"where", "where", [](const RentalRow& row) { return text_cell(row.where); }, spare(4)},
      {"boot_s", "boot", &RentalRow::boot},
      {"sending_s", "sending", &RentalRow::sending},
      {"set_up_s", "set-up", &RentalRow::set_up},
      {"measuring_s", "measuring", &RentalRow::measuring},
      {"give_back_s", "give back", &RentalRow::give_back},
      {"other_s", "other", &RentalRow::other, spare(1)},
      {"rounding_usd", "rounding up", &RentalRow::rounding, spare(2)},
      {"fetched_bytes", "", &RentalRow::fetched},
      {"egress_usd", "egress", &RentalRow::egress, kOptional},
      {"cost_usd", "cost", &RentalRow::cost},
      {"state", "state", &RentalRow::state},
      {"why_ended", "", [](const RentalRow& row) { return text_cell(row.reason); }}};
  Table table = table_of<RentalRow>("rentals", "Rented machines", columns, rows);
  Money sum;
  for (const RentalRow& row : rows) sum = saturating_sum(sum, row.cost);
  const auto open = std::ranges::count_if(rows, &RentalRow::is_open);
  table.notes.push_back(fmt::format(
      "the search cost {} on rented machines{}", dollar_text(sum),
      open == 0 ? std::string()
                : fmt::format(" so far; {} of them may still cost money: lapcast leases", open)));
  std::int64_t uncounted = 0;
  for (const RentalRow& row : rows)
    if (!row.egress) uncounted += row.fetched;
  if (uncounted > 0)
    table.notes.push_back(fmt::format(
        "egress is not counted: {} were fetched, and its price is not known (egress_usd_per_gb)",
        format_bytes(uncounted)));
  return table;
}

}  // namespace lapcast
