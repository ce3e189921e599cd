#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Replaces a secret.
inline constexpr std::string_view kMask = "***";

/// Returns true when a value of that name is likely to be a secret: "--api-key", "HF_TOKEN",
/// "dbPassword"; not "--tokenizer", "--max-tokens", "--pad-token", "--author". docs/security.md
/// lists the patterns.
bool is_secret_name(std::string_view name);

/// Adds patterns, separated by commas, for the rest of the process. is_secret_name() then also
/// returns true for a name that contains the words of a pattern one after the other. Call it before
/// any thread is started.
void add_secret_patterns(std::string_view patterns);

/// Returns the text with secrets masked: the value of `name=value` and `--name value` when
/// is_secret_name(name), the password of `scheme://user:password@`, and the word after `Bearer` or
/// `Basic`.
std::string masked_text(std::string_view text);

/// Returns the arguments with the values of secrets masked: "--api-key=***"; "--api-key", "***".
std::vector<std::string> masked_program(std::vector<std::string> program);

/// Returns the same as one line for people.
std::string masked_line(const std::vector<std::string>& program);

/// Returns the program of a run as one line for people: placeholders filled, secrets masked.
std::string shown_program(const RunContext& context);

/// Returns "***" when the name is a secret's, else masked_text(value); an empty value stays empty.
std::string masked_value(std::string_view name, const std::string& value);

/// Returns the context with the secrets in its program, settings and environment masked.
RunContext masked(RunContext context);

/// Returns the run with its context masked. Each value of at least 8 bytes that was masked there is
/// also masked wherever it occurs in the outcome, the warnings, the output and the lap logs.
Run masked(Run run);

/// Returns the outcome of a run for people, and for a crashed one also the last line of its stderr:
/// "failed with exit status 2: no CUDA driver". Secrets are masked, and the text is printable().
std::string shown_outcome(const Run& run);

/// Says why a run for which lacks_secrets() is not started.
inline constexpr const char* kLacksSecrets =
    "its secrets were masked (by runs scrub or in an export): give its program again, with lapcast "
    "probe or sweep";

/// Returns true when a secret of the program, its settings or its environment is masked, so that
/// the program cannot be started.
bool lacks_secrets(const RunContext& context);

}  // namespace lapcast
