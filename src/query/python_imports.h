#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

/// Describes one import of a Python program: "import a.b" is {0, "a.b", {}}, "from ..a import b, c"
/// is {2, "a", {"b", "c"}}.
struct PythonImport {
  int level = 0;                   // leading dots; 0 = looked up in the folders of sys.path
  std::string module;              // with dots; empty = the package itself ("from . import x")
  std::vector<std::string> names;  // may be modules of a package
  friend bool operator==(const PythonImport&, const PythonImport&) = default;
};

/// Returns the imports in the text of a Python file, including import_module("a.b") with a literal
/// name. It only looks at words: it also returns what looks like an import inside a string, and
/// misses computed names.
std::vector<PythonImport> python_imports(std::string_view text);

}  // namespace lapcast
