#pragma once

#include <poll.h>

#include <array>
#include <string>
#include <vector>

#include "probe/child_process.h"
#include "probe/interrupt.h"
#include "probe/output_capture.h"
#include "probe/program_view.h"

namespace lapcast {

/// Captures what a running program prints, and passes it on to a view where there is one. Never
/// waits for the reader of the view: the program waits instead, as it would for its own terminal.
class ProgramOutput {
 public:
  explicit ProgramOutput(ProgramView* view) : view_(view) {}
  /// Reads from the pipes of a child, which has to outlive this.
  void open(const ChildProcess& child);
  /// Adds the descriptors that a poll loop has to wait for.
  void add_to(std::vector<pollfd>& fds) const;
  /// Reads and passes on what has come, at most 4 MiB of a stream, so that a flood starves nothing
  /// else.
  void pump();
  /// Passes on the rest after the program's end, and waits for the view's reader until an
  /// interrupt.
  void finish(const Interrupt& interrupt);
  std::string text(Stream stream) const { return of(stream).capture.text(); }

 private:
  struct Source {
    Stream stream;
    int fd = -1;  // -1 = at its end
    OutputCapture capture;
    std::string pending;  // read, but not passed on yet
  };
  const Source& of(Stream stream) const { return sources_[stream == Stream::output ? 0 : 1]; }
  bool pass_on(Source& source);
  bool pump(Source& source);

  ProgramView* view_;
  std::array<Source, 2> sources_{{{.stream = Stream::output}, {.stream = Stream::error}}};
};

}  // namespace lapcast
