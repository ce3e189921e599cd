#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/error.h"

namespace CLI {
class App;
}

namespace lapcast {

/// What lapcast does on the machine where a run takes place, asked by the one that coordinates:
/// hidden options of `lapcast probe`. Its language: src/remote/host_run.cc.
struct FarSide {
  std::string record;    // --record DIR: run what DIR/request.json asks for, to its end
  std::string begin;     // --begin DIR: the same detached, the request the first line of stdin;
                         // then as --follow
  std::string follow;    // --follow DIR: print what is recorded from --from on; orders from stdin
  std::string prepare;   // --prepare DIR: make the folder only, and say where it and lapcast are
  std::string make_ready;  // --make-ready DIR: make it ready for a list of files, from stdin
  std::string received;  // --received DIR: note that they have come; their content from stdin
  std::int64_t from = 0;
  std::string checked;   // --answer-checks DIR: say what this machine is; DIR = lapcast's own folder

  void add_to(CLI::App& app);
  bool is_asked() const;
  ExitCode run() const;
};

}  // namespace lapcast
