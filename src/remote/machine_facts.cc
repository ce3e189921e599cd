#include "remote/machine_facts.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cstdint>

#include "core/units.h"
#include "machine/discover.h"
#include "machine/system_command.h"
#include "posix/private_files.h"
#include "posix/program_file.h"
#include "remote/agent_protocol.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr const char* kPrograms[] = {"rsync", "sbatch", "sinfo", "nvidia-smi"};

// Reads versions from the packages' metadata, since importing the packages takes seconds. Leaves
// out the folder that lapcast was started in, whose files may be called like Python's own modules.
constexpr const char* kAskPython =
    "import sys\n"
    "sys.path[:] = [path for path in sys.path if path]\n"
    "from importlib import metadata\n"
    "print('.'.join(map(str, sys.version_info[:3])))\n"
    "for name in ('torch', 'tensorflow'):\n"
    "    try:\n"
    "        print(metadata.version(name))\n"
    "    except metadata.PackageNotFoundError:\n"
    "        print()\n";

void ask_python(MachineFacts& facts) {
  const auto said = output_of({"python3", "-c", kAskPython}, 20s);
  if (!said) return;
  LineBuffer lines;
  lines.append(*said);
  for (std::string* fact : {&facts.python, &facts.torch, &facts.tensorflow})
    *fact = printable(lines.next().value_or(""), 60);
}

void ask_disk(MachineFacts& facts) {
  struct statvfs disk {};
  if (!make_private_folders(facts.folder) || statvfs(facts.folder.c_str(), &disk) != 0) return;
  facts.disk_free_bytes = static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize);
  facts.disk_bytes = static_cast<std::int64_t>(disk.f_blocks * disk.f_frsize);
}

}  // namespace

MachineFacts facts_of_this_machine(const std::string& folder) {
  MachineFacts facts;
  facts.machine = describe_this_machine();
  facts.folder = folder;
  ask_disk(facts);
  ask_python(facts);
  for (const char* program : kPrograms)
    if (find_program(program)) facts.programs.push_back(program);
  return facts;
}

}  // namespace lapcast
