#include "toml/fleet_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/date.h"
#include "core/nearest_name.h"
#include "core/units.h"

namespace lapcast {
namespace {

using Kind = TomlNode::Kind;

std::string in_quotes(std::string_view text) {
  return "'" + printable(text, 60) + "'";
}

}  // namespace

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
  });
}

FleetSection::FleetSection(const TomlNode& table, std::string name, const std::string& file)
    : table_(&table), name_(std::move(name)), file_(&file) {
  if (table.kind != Kind::table) fail("write " + name_ + " as a table of its own");
}

void FleetSection::allow_only(const std::vector<std::string_view>& names) const {
  for (const TomlNode::Key& key : table_->keys) {
    if (std::find(names.begin(), names.end(), key.name) != names.end()) continue;
    const std::string all = fmt::format("it can have {}", fmt::join(names, ", "));
    fail_at(*file_, key.place,
            "unknown key " + in_quotes(key.name) + " in " + name_ + "; " +
                did_you_mean(key.name, names, all));
  }
}

const TomlNode& FleetSection::value(std::string_view key) const {
  const TomlNode::Key* found = table_->find(key);
  if (!found) fail(name_ + " has no " + std::string(key));
  return found->value;
}

void FleetSection::fail(const std::string& what) const {
  fail_at(*file_, table_->place, what);
}

void FleetSection::fail(std::string_view key, const std::string& what) const {
  const TomlNode::Key* found = table_->find(key);
  fail_at(*file_, found ? found->value.place : table_->place, std::string(key) + ": " + what);
}

std::string FleetSection::text(std::string_view key) const {
  const TomlNode& node = value(key);
  if (node.kind != Kind::text) {
    fail(key, "write it as text, in quotes, not as " + std::string(kind_name(node.kind)));
  }
  if (node.text.empty()) fail(key, "it is empty; write something or leave the key out");
  if (has_control_characters(node.text)) {
    fail(key, "control characters in " + in_quotes(node.text) + "; use letters and signs only");
  }
  return node.text;
}

std::string FleetSection::word(std::string_view key) const {
  const std::string word = text(key);
  if (word.front() == '-') fail(key, "it begins with '-', like an option");
  if (word.find(' ') != std::string::npos) fail(key, "it has a blank in it");
  return word;
}

bool FleetSection::flag(std::string_view key) const {
  if (!has(key)) return false;
  const TomlNode& node = value(key);
  if (node.kind != Kind::boolean) fail(key, "write true or false");
  return node.text == "true";
}

Money FleetSection::money(std::string_view key) const {
  const TomlNode& node = value(key);
  const auto digits = std::count_if(node.text.begin(), node.text.end(),
                                    [](char c) { return c >= '0' && c <= '9'; });
  if ((node.kind != Kind::text && node.kind != Kind::number) ||
      (node.kind == Kind::number && digits > 15)) {
    fail(key, "write the amount in dollars as text, such as \"0.031\"");
  }
  const Money amount = at(key, [&node] { return Money::parse(node.text); });
  if (amount < Money{})
    fail(key, "negative amount " + in_quotes(node.text) + "; write what is paid");
  return amount;
}

double FleetSection::number(std::string_view key, double low, double high) const {
  const TomlNode& node = value(key);
  const bool may_be_one = node.kind == Kind::number || node.kind == Kind::text;
  const auto number = may_be_one ? number_in(node.text) : std::nullopt;
  if (!number || *number < low || *number > high) {
    const std::string what =
        node.text.empty() ? std::string(kind_name(node.kind)) : in_quotes(node.text);
    fail(key, fmt::format("{} is not a number from {:g} to {:g}", what, low, high));
  }
  return *number;
}

int FleetSection::count(std::string_view key, int most) const {
  const double written = number(key, 1, most);
  if (written != std::floor(written)) fail(key, "it is not a whole number");
  return static_cast<int>(written);
}

std::int64_t FleetSection::duration_ns(std::string_view key) const {
  constexpr double kYear = 366.0 * 86400;
  const TomlNode& node = value(key);
  if (node.kind != Kind::text && node.kind != Kind::number) {
    fail(key, "write a time such as \"60s\" or \"1h\"");
  }
  const Seconds time = at(key, [&node] { return parse_duration(node.text); });
  if (!(time.count() >= 0 && time.count() <= kYear)) fail(key, "it is longer than a year");
  return std::llround(time.count() * 1e9);
}

std::string FleetSection::date(std::string_view key) const {
  const TomlNode& node = value(key);
  const std::string written = node.kind == Kind::date ? node.text : text(key);
  if (!parse_date(written))
    fail(key, in_quotes(written) + " is not a date; write such as \"2026-11-20\"");
  return written;
}

FleetSection FleetSection::section(std::string_view key) const {
  return {value(key), "[machine." + std::string(key) + "]", *file_};
}

}  // namespace lapcast
