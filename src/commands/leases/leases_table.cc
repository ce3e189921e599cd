#include "commands/leases/leases_table.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "core/units.h"
#include "lease/lease_cost.h"
#include "lease/lease_text.h"

namespace lapcast {
namespace {

std::string where_of(const std::string& region, const std::string& zone) {
  return printable(zone.empty() ? region : zone, 60);
}

/// Returns what the lease does in one word; people want to know that nobody holds it.
std::string state_of(const LeaseRow& row) {
  if (is_open(row.lease) && !row.is_held && row.lease.is_kept && row.now < row.lease.keep_until)
    return "kept";
  return std::string(name_of(row.lease.state));
}

std::string left_of(const LeaseRow& row) {
  if (!is_open(row.lease)) return "";
  const Seconds left = from_ns(row.lease.deadline - row.now);
  return left > Seconds{0} ? format_duration(left) : "overdue";
}

Seconds age_of(const LeaseRow& row) {
  return from_ns(row.lease.gone.value_or(row.now) - row.lease.asked);
}

std::vector<ColumnOf<LeaseRow>> lease_columns() {
  const auto where = [](const LeaseRow& row) {
    const Lease& lease = row.lease;
    return lease.zone.empty() && lease.region.empty()
               ? where_of(lease.order.region, lease.order.zone)
               : where_of(lease.region, lease.zone);
  };
  const auto holder = [](const LeaseRow& row) {
    return row.is_held || !is_open(row.lease) ? "" : "nobody";
  };
  const auto boot = [](const LeaseRow& row) {
    return row.lease.reachable ? Cell(from_ns(*row.lease.reachable - row.lease.asked)) : Cell();
  };
  const auto left = [](const LeaseRow& row) {
    return is_open(row.lease) ? Cell(from_ns(row.lease.deadline - row.now)) : Cell();
  };
  return {{"lease", "lease", [](auto& row) { return row.lease.id; }},
          {"machine", "machine",
           [](auto& row) { return text_cell(printable(row.lease.order.name, 40)); }},
          {"adapter", "by", [](auto& row) { return row.lease.order.adapter; }},
          {"type", "", [](auto& row) { return text_cell(printable(row.lease.order.type, 60)); }},
          {"zone", "where", [=](auto& row) { return text_cell(where(row)); }, spare(2)},
          {"provider_id", "", [](auto& row) { return text_cell(printable(row.lease.machine)); }},
          {"state", "state", state_of},
          {"held", "", [](auto& row) { return row.is_held; }},
          {"", "held by", [=](auto& row) { return text_cell(holder(row)); }, kOptional},
          {"asked_at", "", [](auto& row) { return utc_text_of(row.lease.asked); }},
          {"deadline_at", "", [](auto& row) { return utc_text_of(row.lease.deadline); }},
          {"age_s", "since", age_of, spare(1)},
          {"boot_s", "", boot},
          {"left_s", "", left},
          {"", "left", [](auto& row) { return text_cell(left_of(row)); }, kOptional},
          {"usd_per_hour", "", [](auto& row) { return row.lease.price.per_hour; }},
          {"cost_usd", "so far", [](auto& row) { return cost_so_far(row.lease, row.now); }},
          {"cost_at_most_usd", "at most", [](auto& row) { return worst_cost(row.lease, row.now); }},
          {"protected_by", "protected by", [](auto& row) { return name_of(row.lease.protection); },
           spare(3)},
          {"reason", "why it ends",
           [](auto& row) { return text_cell(printable(row.lease.reason)); }, kOptional | spare(4)}};
}

}  // namespace

Table leases_table(const std::vector<LeaseRow>& rows) {
  Table table = table_of("leases", "Rented machines", lease_columns(), rows);
  if (rows.empty()) table.notes.push_back("no rented machine is open");
  return table;
}

Table strays_table(const std::vector<Stray>& strays) {
  const std::vector<ColumnOf<Stray>> columns{
      {"lease", "lease", [](auto& row) { return row.entry.lease; }},
      {"adapter", "by", [](auto& row) { return row.adapter; }},
      {"provider_id", "id", [](auto& row) { return printable(row.entry.machine); }},
      {"zone", "where",
       [](auto& row) { return text_cell(where_of(row.entry.region, row.entry.zone)); }},
      {"state", "state", [](auto& row) { return name_of(row.entry.state); }},
      {"usd_per_hour", "price/h",
       [](auto& row) { return row.entry.price ? Cell(row.entry.price->per_hour) : Cell(); }}};
  Table table = table_of("strays", "Machines that this computer has not rented", columns, strays);
  table.notes.push_back(
      strays.empty() ? "no adapter lists a machine of lapcast that this computer does not know"
                     : "another computer of yours may use them; lapcast leases --strays --end "
                       "LEASE gives one back");
  return table;
}

}  // namespace lapcast
