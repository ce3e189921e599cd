// Fuzzes what lapcast reads of an adapter's answers: nothing that is accepted can say more in a
// configuration of ssh than one word, and costs nothing only where it says that it has ended.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lease/adapter_answer.h"
#include "lease/lease.h"

namespace {

void require_of_answer(bool holds) {
  if (!holds) std::abort();
}

void check_entry(const lapcast::ProviderEntry& entry) {
  for (const std::string_view word :
       {std::string_view(entry.address), std::string_view(entry.user)})
    require_of_answer(word.find_first_of(" \t\r\n\"'\\") == word.npos && !word.starts_with('-'));
  require_of_answer(entry.host_key.find_first_of("\t\r\n\"'\\") == std::string_view::npos);
  require_of_answer(entry.lease.size() == 12 && entry.port > 0 && entry.port < 65536);
  require_of_answer(!entry.price || entry.price->per_hour >= lapcast::Money{});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lapcast;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto machine = parse_machine(input)) check_entry(*machine);
  if (const auto list = parse_machine_list(input))
    for (const ProviderEntry& entry : list->machines) check_entry(entry);
  if (const auto described = parse_description(input))
    require_of_answer(described->settle.count() > 0);
  (void)parse_offers(input);
  require_of_answer(!tells_error(input) || !parse_done(input));
  return 0;
}
