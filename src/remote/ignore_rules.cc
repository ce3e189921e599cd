#include "remote/ignore_rules.h"

#include <fnmatch.h>

#include <algorithm>

namespace lapcast {
namespace {

constexpr std::string_view kDefaults = R"(# version control
.git
.hg
.svn
# secrets
.env
.env.*
.envrc
.netrc
.pgpass
.git-credentials
.ssh
.gnupg
.aws
.azure
.kube
.docker
id_rsa*
id_dsa*
id_ecdsa*
id_ed25519*
*.pem
*.key
*.p12
*.pfx
*.kdbx
*.keystore
credentials
credentials.json
# what can be made anew
__pycache__
*.pyc
.ipynb_checkpoints
*.swp
.DS_Store
)";

std::string_view take_segment(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view segment = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return segment;
}

bool fits_segment(std::string_view pattern, std::string_view name) {
  return fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), 0) == 0;
}

/// Segment by segment; "**" takes any number of them.
bool fits_path(std::string_view pattern, std::string_view path) {
  while (!pattern.empty()) {
    std::string_view rest = pattern;
    const std::string_view segment = take_segment(rest);
    if (segment == "**") {
      if (rest.empty()) return true;
      while (true) {
        if (fits_path(rest, path)) return true;
        if (path.empty()) return false;
        take_segment(path);
      }
    }
    if (path.empty() || !fits_segment(segment, take_segment(path))) return false;
    pattern = rest;
  }
  return path.empty();
}

std::string_view last_segment(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view without_trailing_blanks(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
    line.remove_suffix(1);
  return line;
}

}  // namespace

IgnoreRules IgnoreRules::defaults() {
  IgnoreRules rules;
  rules.add(kDefaults);
  return rules;
}

void IgnoreRules::add(std::string_view text) {
  constexpr std::size_t kMostRules = 10'000;
  while (!text.empty() && rules_.size() < kMostRules) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = without_trailing_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    Rule rule;
    rule.takes_in = line.front() == '!';
    if (rule.takes_in) line.remove_prefix(1);
    rule.folders_only = line.ends_with('/');
    while (line.ends_with('/')) line.remove_suffix(1);
    rule.from_top = line.find('/') != std::string_view::npos;
    while (line.starts_with('/')) line.remove_prefix(1);
    if (line.empty()) continue;
    rule.pattern = line;
    rules_.push_back(std::move(rule));
  }
}

bool IgnoreRules::ignores(std::string_view path, bool is_folder) const {
  const auto rule = std::find_if(rules_.rbegin(), rules_.rend(), [&](const Rule& candidate) {
    if (candidate.folders_only && !is_folder) return false;
    return candidate.from_top ? fits_path(candidate.pattern, path)
                              : fits_segment(candidate.pattern, last_segment(path));
  });
  return rule != rules_.rend() && !rule->takes_in;
}

}  // namespace lapcast
