#include "remote/program_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lapcast {
namespace {

// These patterns are written as in a .lapcastignore, but with blanks between them.
constexpr const char* kSecrets =
    // environments and shells
    ".env .env.* .envrc .*_history .history .histfile fish_history .Rhistory .lesshst "
    ".viminfo "
    // keys and certificates
    ".ssh .gnupg .password-store id_rsa* id_dsa* id_ecdsa* id_ed25519* *.pem *.key *.p8 "
    "*.p12 *.pfx *.ppk *.jks *.kdbx *.keystore "
    // logins
    ".netrc _netrc .authinfo .authinfo.gpg .pgpass .my.cnf .mylogin.cnf .htpasswd "
    ".Xauthority .git-credentials .vault-token credentials credentials.json credentials.toml "
    "credentials.yaml credentials.yml *[-_]credentials.json secrets.json secrets.toml "
    "secrets.yaml secrets.yml .secrets "
    // package registries and containers
    ".npmrc .yarnrc.yml .pypirc .docker .dockercfg .dockerconfigjson "
    // clouds
    ".aws .azure .kube .oci .s3cfg .boto .passwd-s3fs .databrickscfg .modal.toml .runpod "
    ".vast_api_key .lambda_cloud rclone.conf **/.config/gcloud **/.config/gh **/.config/hub "
    "**/.config/rclone **/.config/vastai **/.config/doctl service-account*.json "
    "service_account*.json *[-_]service-account*.json *[-_]service_account*.json "
    "client_secret*.json *.tfstate *.tfstate.backup "
    // models, data sets, experiment trackers
    ".huggingface **/huggingface/token **/huggingface/stored_tokens .kaggle kaggle.json "
    ".comet.config .wandb_api_key ";

constexpr const char* kOthers =
    // version control
    ".git .hg .svn "
    // what can be made anew
    "__pycache__ *.pyc .ipynb_checkpoints *.swp .DS_Store "
    // what lapcast brought home of trainings: lapcast-ID and lapcast-ID-node-1
    "lapcast-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
    "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]/ "
    "lapcast-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
    "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]-node-[0-9]*/ ";

std::string_view take_segment(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view segment = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return segment;
}

bool fits_segment(std::string_view pattern, std::string_view name) {
  return fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), 0) == 0;
}

/// Matches segment by segment; "**" takes any number of them. After a mismatch only the last "**"
/// is tried again, with one segment more, so that the time grows with the product of both lengths.
bool fits_path(std::string_view pattern, std::string_view path) {
  struct Retry {
    std::string_view pattern;  // behind the last "**"
    std::string_view path;     // that it was tried on
  };
  std::optional<Retry> retry;
  while (true) {
    std::string_view pattern_rest = pattern;
    std::string_view path_rest = path;
    const std::string_view segment = take_segment(pattern_rest);
    if (segment == "**") {
      if (pattern_rest.empty()) return true;
      pattern = pattern_rest;
      retry = {pattern, path};
    } else if (!pattern.empty() && !path.empty() &&
               fits_segment(segment, take_segment(path_rest))) {
      pattern = pattern_rest;
      path = path_rest;
    } else if (pattern.empty() && path.empty()) {
      return true;
    } else if (!retry || retry->path.empty()) {
      return false;
    } else {
      take_segment(retry->path);
      pattern = retry->pattern;
      path = retry->path;
    }
  }
}

}  // namespace

IgnoreRules IgnoreRules::secrets() {
  IgnoreRules rules;
  rules.add_patterns(kSecrets, Ignored::as_secret);
  return rules;
}

IgnoreRules IgnoreRules::defaults() {
  IgnoreRules rules = secrets();
  rules.add_patterns(kOthers, Ignored::by_default);
  return rules;
}

void IgnoreRules::add_patterns(std::string patterns, Ignored why) {
  std::ranges::replace(patterns, ' ', '\n');
  static_cast<void>(add(patterns, why, false));
}

Result<void> IgnoreRules::add(std::string_view text, Ignored why, bool only_exceptions) {
  constexpr std::size_t kMostRules = 10'000;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find('\0') != std::string_view::npos) return because("it is not UTF-8 text");
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    Rule rule;
    rule.why = why;
    rule.takes_in = line.front() == '!';
    if (rule.takes_in) line.remove_prefix(1);
    rule.folders_only = line.ends_with('/');
    while (line.ends_with('/')) line.remove_suffix(1);
    rule.from_top = line.find('/') != std::string_view::npos;
    while (line.starts_with('/')) line.remove_prefix(1);
    if (line.empty() || (only_exceptions && !rule.takes_in)) continue;
    rule.pattern = line;
    rules_.push_back(std::move(rule));
    if (rules_.size() > kMostRules) return because("it has more than 10,000 rules");
  }
  return {};
}

Ignored IgnoreRules::why_ignored(std::string_view path, bool is_folder) const {
  const auto rule = std::find_if(rules_.rbegin(), rules_.rend(), [&](const Rule& candidate) {
    if (candidate.folders_only && !is_folder) return false;
    return candidate.from_top ? fits_path(candidate.pattern, path)
                              : fits_segment(candidate.pattern, path.substr(path.rfind('/') + 1));
  });
  return rule == rules_.rend() || rule->takes_in ? Ignored::no : rule->why;
}

}  // namespace lapcast
