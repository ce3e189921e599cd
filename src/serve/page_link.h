#pragma once

#include <filesystem>
#include <string>

#include "core/error.h"

namespace lapcast {

/// Opens an address in the user's browser without naming it in an argument, which other users of
/// the machine could read: a private file, which this object removes, leads to it.
class PageLink {
 public:
  /// Writes the file. Throws Error (system) where that fails.
  explicit PageLink(const std::string& address);
  ~PageLink();
  PageLink(const PageLink&) = delete;
  PageLink& operator=(const PageLink&) = delete;

  /// Starts the browser with xdg-open. The reason says what to do instead.
  Result<void> open() const;

 private:
  std::filesystem::path file_;
};

}  // namespace lapcast
