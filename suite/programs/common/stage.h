#pragma once

#include <lapcast/lap.h>

namespace lapcast::workloads {

/// Reports a stage of the run while the object exists.
class Stage {
 public:
  explicit Stage(const char* name) : name_(name) { lapcast_stage_begin(name_); }
  ~Stage() { lapcast_stage_end(name_); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  const char* name_;
};

}  // namespace lapcast::workloads
