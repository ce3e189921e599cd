#include "query/python_imports.h"

#include <algorithm>
#include <utility>

namespace lapcast {
namespace {

constexpr int kMostLevels = 100;

bool is_python_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Splits a Python text into names, single characters and line breaks, without blanks, comments and
/// continued line breaks; returns an empty token at the end.
class SourceWords {
 public:
  explicit SourceWords(std::string_view text) : rest_(text) { advance(); }
  std::string_view word() const { return word_; }
  bool is(std::string_view text) const { return word_ == text; }
  bool is_name() const { return !word_.empty() && is_python_name_char(word_[0]); }

  void advance() {
    skip();
    std::size_t size = rest_.empty() ? 0 : 1;
    if (!rest_.empty() && is_python_name_char(rest_[0]))
      size = static_cast<std::size_t>(
          std::find_if_not(rest_.begin(), rest_.end(), is_python_name_char) - rest_.begin());
    word_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  /// Skips the current word if it equals `text`, and returns whether it did.
  bool take(std::string_view text) {
    if (!is(text)) return false;
    advance();
    return true;
  }

 private:
  void skip() {
    while (!rest_.empty()) {
      if (rest_.starts_with("\\\n")) {
        rest_.remove_prefix(2);
      } else if (rest_.starts_with("\\\r\n")) {
        rest_.remove_prefix(3);
      } else if (rest_[0] == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\r' || rest_[0] == '\f') {
        rest_.remove_prefix(1);
      } else {
        return;
      }
    }
  }
  std::string_view rest_;
  std::string_view word_;
};

/// Reads "a.b.c"; returns an empty text if there is no name.
std::string take_dotted(SourceWords& words) {
  std::string dotted;
  while (words.is_name()) {
    dotted += words.word();
    words.advance();
    if (!words.take(".")) break;
    dotted += '.';
  }
  if (dotted.ends_with('.')) dotted.pop_back();
  return dotted;
}

void skip_alias(SourceWords& words) {
  if (words.take("as") && words.is_name()) words.advance();
}

/// Reads what follows "import".
void take_import(SourceWords& words, std::vector<PythonImport>& imports) {
  do {
    const std::string module = take_dotted(words);
    if (module.empty()) return;
    imports.push_back({0, module, {}});
    skip_alias(words);
  } while (words.take(","));
}

/// Reads what follows "from".
void take_from(SourceWords& words, std::vector<PythonImport>& imports) {
  PythonImport import;
  for (; words.take("."); ++import.level) {
  }
  // Without a module name, as in "from . import x", "import" is the keyword.
  if (!words.is("import")) import.module = take_dotted(words);
  if (!words.take("import") || (import.level == 0 && import.module.empty())) return;
  import.level = std::min(import.level, kMostLevels);
  const bool enclosed = words.take("(");
  const auto skip_lines = [&] {
    while (enclosed && words.take("\n")) {
    }
  };
  for (skip_lines(); words.is_name(); skip_lines()) {
    import.names.emplace_back(words.word());
    words.advance();
    skip_alias(words);
    skip_lines();
    if (!words.take(",")) break;
  }
  imports.push_back(std::move(import));
}

/// Reads what follows "import_module" or "__import__": a literal in brackets.
void take_call(SourceWords& words, std::vector<PythonImport>& imports) {
  if (!words.take("(") || !(words.take("\"") || words.take("'"))) return;
  if (std::string module = take_dotted(words); !module.empty())
    imports.push_back({0, std::move(module), {}});
}

}  // namespace

std::vector<PythonImport> python_imports(std::string_view text) {
  std::vector<PythonImport> imports;
  SourceWords words(text);
  for (bool at_start = true; !words.word().empty();) {
    if (at_start && words.take("import")) {
      take_import(words, imports);
    } else if (at_start && words.take("from")) {
      take_from(words, imports);
    } else if (words.take("import_module") || words.take("__import__")) {
      take_call(words, imports);
    } else {
      at_start = words.is("\n") || words.is(";") || words.is(":");
      words.advance();
      continue;
    }
    at_start = false;
  }
  return imports;
}

}  // namespace lapcast
