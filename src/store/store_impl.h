#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "store/store.h"

namespace lapcast {

/// Says for people what SQLite reported about the file; `db` is the connection, where there is one.
Error translated(const std::filesystem::path& file, const SQLite::Exception& error,
                 SQLite::Database* db);

struct Store::Impl {
  std::filesystem::path file;
  SQLite::Database db;
  std::optional<SQLite::Statement> insert;  // prepared once; gone before db is

  /// Opens `open_as`, an absolute name or a URI.
  Impl(std::filesystem::path name, const std::string& open_as, int flags,
       std::chrono::milliseconds patience)
      : file(std::move(name)), db(open_as, flags, static_cast<int>(patience.count())) {}

  template <class Work>
  auto guarded(Work work) {
    try {
      return work();
    } catch (const SQLite::Exception& error) {
      throw translated(file, error, &db);
    }
  }
};

}  // namespace lapcast
