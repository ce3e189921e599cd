// Fuzzes what `lapcast serve` reads of a request: no bytes pass without the token, and a change
// that is accepted names an id, and is confirmed where it removes something.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"
#include "serve/change.h"
#include "serve/guard.h"

namespace {

void require_of_request(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lapcast;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= size && lines.size() < 6;) {
    const std::size_t end = lines.size() == 5 ? size : std::min(input.find('\n', at), size);
    lines.push_back(input.substr(at, end - at));
    at = end + 1;
  }
  lines.resize(6);
  RequestHead head{lines[0], lines[1], {lines[2]}, {}, {lines[4]}, {"application/json"}};
  if (!lines[3].empty()) head.origins.push_back(lines[3]);
  const ServeGuard guard{8642, "5ec7e75ec7e75ec7e75ec7e75ec7e75e", true};
  if (const auto checked = check_request(head, guard)) {
    const bool is_public = checked->route == Route::page || checked->route == Route::script;
    require_of_request(is_public || lines[4] == guard.token);
    require_of_request(checked->route != Route::change || !head.origins.empty());
    require_of_request(checked->name.empty() || is_run_id(checked->name));
  }
  if (const auto change = parse_change(lines[5])) {
    const bool removes =
        change->kind == Change::Kind::remove_run || change->kind == Change::Kind::remove_sweep;
    require_of_request(is_run_id(change->id) && change->text.size() <= 200);
    require_of_request(!removes || lines[5].find("confirmed") != std::string_view::npos ||
                       lines[5].find('\\') != std::string_view::npos);
  }
  return 0;
}
