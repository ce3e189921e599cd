#include "commands/rent/rent_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "core/units.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

std::string protection_text(const AdapterDescription& adapter) {
  switch (protection_of(adapter)) {
    case Protection::provider:
      return "the provider ends machines at their deadline";
    case Protection::machine:
      return "machines end themselves at their deadline";
    case Protection::this_computer:
      break;
  }
  return "nothing but this computer ends machines: refused without --unprotected";
}

AdapterCheck check_description(const std::filesystem::path& file) {
  const auto described = ask_adapter(file, "describe", "{}").and_then(parse_description);
  if (!described) return {"describe", false, described.error().text};
  return {"describe", true,
          fmt::format("{}; {}; {}; lists are right after {}", printable(described->name, 60),
                      protection_text(*described),
                      described->idempotent ? "create can be repeated" : "create is never repeated",
                      format_duration(described->settle))};
}

AdapterCheck check_offers(const std::filesystem::path& file) {
  const auto offers = ask_adapter(file, "offers", offers_request({}, {})).and_then(parse_offers);
  if (!offers) return {"offers", false, offers.error().text};
  const auto priced =
      std::ranges::count_if(*offers, [](auto& each) { return each.price.has_value(); });
  const auto with_egress =
      std::ranges::count_if(*offers, [](auto& each) { return each.egress.has_value(); });
  return {"offers", true,
          fmt::format("{} offers, {} with a price, {} with one of egress", offers->size(), priced,
                      with_egress)};
}

AdapterCheck check_list(const std::filesystem::path& file) {
  const auto list = ask_adapter(file, "list", "{}").and_then(parse_machine_list);
  if (!list) return {"list", false, list.error().text};
  return {"list", list->complete,
          fmt::format("{} entries{}", list->machines.size(),
                      list->complete ? "" : ", and not all regions have answered")};
}

/// Checks that an answer to delete() keeps the form; the machine does not exist.
AdapterCheck check_delete(const std::filesystem::path& file) {
  Lease lease;
  lease.id = new_id();
  const auto done = ask_adapter(file, "delete", delete_request(lease, {host_of_lease(lease.id)}))
                        .and_then(parse_done);
  if (done) return {"delete", true, "deleting what does not exist is fine"};
  return {"delete", false, done.error().text};
}

}  // namespace

Result<std::vector<AdapterCheck>> check_adapter(const std::string& name) {
  const auto file = find_adapter(name);
  if (!file) return tl::unexpected(file.error());
  std::vector<AdapterCheck> checks{check_description(*file)};
  if (!checks.front().passed) return checks;
  checks.push_back(check_offers(*file));
  checks.push_back(check_list(*file));
  checks.push_back(check_delete(*file));
  return checks;
}

Table checks_table(const std::string& adapter, const std::vector<AdapterCheck>& checks) {
  const std::vector<ColumnOf<AdapterCheck>> columns{
      {"check", "check", &AdapterCheck::what},
      {"passed", "", &AdapterCheck::passed},
      {"", "result", [](auto& check) { return check.passed ? "passed" : "failed"; }},
      {"found", "found", [](auto& check) { return printable(check.found, 500); }}};
  return table_of("adapter_checks", fmt::format("Contract of lapcast-rent-{}", adapter), columns,
                  checks);
}

}  // namespace lapcast
