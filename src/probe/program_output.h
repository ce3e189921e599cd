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

/// What a running program prints: captured, and passed on to a view where there is one. Never waits
/// for whoever reads the view: then the program waits, as it would for its own terminal.
class ProgramOutput {
 public:
  explicit ProgramOutput(ProgramView* view) : view_(view) {}
  /// Reads from the pipes of a child, which has to outlive this.
  void open(const ChildProcess& child);
  /// What to wait for.
  void add_to(std::vector<pollfd>& fds) const;
  /// Reads and passes on what is there. At most 4 MiB of a stream, so that a flood starves nothing
  /// else.
  void pump();
  /// After the program's end: the rest, waiting for the view's reader until an interrupt.
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
