#include "import/imported.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace lapcast {

RunContext imported_context(std::string_view format, const std::string& source, std::string program,
                            std::string machine) {
  RunContext context;
  context.program = {std::string(format), program.empty() ? "unknown" : std::move(program)};
  context.machine_type.name = machine.empty() ? "unknown" : std::move(machine);
  context.imported_from = fmt::format("{} {}", format, source);
  context.lapcast_version = LAPCAST_VERSION;
  return context;
}

std::optional<double> whole_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = !text.empty() && error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

void LinesLeftOut::add(std::int64_t line, const std::string& why) {
  if (count_++ == 0) first_ = fmt::format("line {}: {}", line, why);
}

void LinesLeftOut::tell(std::vector<std::string>& problems, std::string_view what) const {
  if (count_ > 0) problems.push_back(fmt::format("{}; {} {}", first_, count_, what));
}

}  // namespace lapcast
