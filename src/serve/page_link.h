#pragma once

#include <filesystem>
#include <string>

namespace lapcast {

/// Owns a private HTML file that leads a browser to an address, which other users of the machine
/// could read if it were an argument. The destructor removes the file.
class PageLink {
 public:
  /// Writes the file. Throws Error (system) where that fails.
  explicit PageLink(const std::string& address);
  ~PageLink();
  PageLink(const PageLink&) = delete;
  PageLink& operator=(const PageLink&) = delete;

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

}  // namespace lapcast
