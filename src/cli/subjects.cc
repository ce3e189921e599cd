#include "cli/subjects.h"

#include <algorithm>
#include <cstddef>

#include "machine/proc_text.h"

namespace lapcast {
namespace {

constexpr Subject kSubjects[] = {
    {"agent-protocol", "reference", "Agent protocol"},
    {"any-program", "first-hour", "Other programs"},
    {"bill", "money", "Bills"},
    {"catalog", "money", "Catalogs"},
    {"defaults", "reference", "Defaults"},
    {"energy", "money", "Energy and CO2"},
    {"epochs", "forecast", "Epochs until a target"},
    {"exit-codes", "reference", "Exit codes"},
    {"export", "formats", "Export"},
    {"fleet-file", "fleet", "The fleet file"},
    {"import", "formats", "Import"},
    {"json", "reference", "JSON"},
    {"offload", "remote", "Offload a training"},
    {"race", "measuring", "Race"},
    {"repeat", "measuring", "Repeat"},
    {"secrets", "security", "Secrets"},
    {"serve", "report", "Live page"},
    {"slurm", "fleet", "Slurm"},
    {"spot", "money", "Spot machines"},
    {"store", "reference", "Store"},
    {"tune", "measuring", "Tune"},
    {"watch", "measuring", "Watch"},
};

/// Removes the first line from the text and returns it.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::span<const Subject> subjects() {
  return kSubjects;
}

std::string_view section_of(std::string_view markdown, std::string_view heading) {
  const char* begin = nullptr;
  std::size_t level = 0;
  bool in_code = false;
  for (std::string_view rest = markdown; !rest.empty();) {
    const std::string_view line = take_line(rest);
    if (line.starts_with("```")) in_code = !in_code;
    const std::size_t marks = std::min(line.find_first_not_of('#'), line.size());
    if (in_code || marks == 0) continue;
    if (begin != nullptr && marks <= level) return {begin, line.data()};
    if (begin == nullptr && trimmed(line.substr(marks)) == heading) {
      begin = line.data();
      level = marks;
    }
  }
  if (begin == nullptr) return {};
  return {begin, markdown.data() + markdown.size()};
}

std::optional<std::string_view> help_text(std::span<const Page> pages, std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  if (name.ends_with(".md")) name.remove_suffix(3);
  const auto page_of = [&](std::string_view page) {
    return std::ranges::find(pages, page, &Page::name);
  };
  if (const auto page = page_of(name); page != pages.end()) return page->text;
  const auto subject = std::ranges::find(kSubjects, name, &Subject::name);
  if (subject == std::end(kSubjects)) return std::nullopt;
  return section_of(page_of(subject->page)->text, subject->heading);
}

}  // namespace lapcast
