#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/error.h"
#include "serve/change.h"

namespace lapcast {

/// Holds a text that several connections send.
using SharedText = std::shared_ptr<const std::string>;

/// Gives the server what the page shows. Its functions are called one at a time, by one thread.
/// They may throw Error, whose text the page shows.
class PageSource {
 public:
  virtual ~PageSource() = default;
  /// Returns a number that changes when the functions below would return something else.
  virtual std::int64_t version() = 0;
  /// Returns the document of the page as JSON. `name` is the id of a sweep or a run, or its first
  /// digits; empty = the newest sweep.
  virtual SharedText document(const std::string& name) = 0;
  /// Returns the tables `runs` and `sweeps` as JSON.
  virtual SharedText runs() = 0;
  /// Makes a change. Throws Error when there is nothing with this id.
  virtual void apply(const Change& change) = 0;
};

}  // namespace lapcast
