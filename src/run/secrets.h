#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Stands in the place of a secret.
inline constexpr std::string_view kMask = "***";

/// Returns true when a value of that name is likely to be a secret: "--api-key", "HF_TOKEN",
/// "dbPassword"; not "--tokenizer", "--max-tokens", "--pad-token", "--author". docs/secrets.md
/// lists the patterns.
bool is_secret_name(std::string_view name);

/// Adds patterns to those of is_secret_name(), separated by commas: a name that holds the words of
/// one of them, one after the other, is a secret's. Call it before any thread is started.
void add_secret_patterns(std::string_view patterns);

/// Returns the text with the values of secrets masked: `name=value` and `--name value` where
/// is_secret_name(), the password of `scheme://user:password@`, and what follows `Bearer `.
std::string masked_text(std::string_view text);

/// Returns the arguments with the values of secrets masked: "--api-key=***"; "--api-key", "***".
std::vector<std::string> masked_program(std::vector<std::string> program);

/// Returns the program of a run as one line for people: placeholders filled, secrets masked.
std::string shown_program(const RunContext& context);

/// Returns "***" for the value of a secret, else the value, itself masked.
std::string masked_value(std::string_view name, const std::string& value);

/// Returns the context with the secrets in its program, settings and environment masked.
RunContext masked(RunContext context);

/// Returns the run with its context masked, and with the values of at least 8 bytes that were
/// masked there masked in its outcome, its warnings, its output and its lap logs too.
Run masked(Run run);

/// Returns the outcome of a run for people and, of one that failed, the last line of its stderr,
/// with secrets masked: "failed with exit status 2: no CUDA driver". It is printable().
std::string shown_outcome(const Run& run);

/// Says why such a run is not started.
inline constexpr const char* kLacksSecrets =
    "its secrets were masked (by runs scrub or in an export): give its program again, with lapcast "
    "probe or sweep";

/// Returns true when secrets that starting the program needs were masked: it cannot be started.
bool lacks_secrets(const RunContext& context);

}  // namespace lapcast
