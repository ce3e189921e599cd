#include "remote/machine_facts.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <charconv>

#include "core/units.h"
#include "machine/discover.h"
#include "machine/system_command.h"
#include "posix/private_files.h"
#include "posix/program_file.h"
#include "remote/probe_lines.h"
#include "run/repair.h"
#include "run/run_json.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr const char* kPrograms[] = {"rsync", "sbatch", "sinfo", "nvidia-smi"};

// Versions from their metadata: importing the packages takes seconds. Without the folder that
// lapcast was started in, whose files may be called like Python's own modules.
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

std::int64_t whole_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size()
             ? std::max<std::int64_t>(number, 0)
             : 0;
}

void take_fact(MachineFacts& facts, const std::string& name, const std::string& value) {
  if (name == "folder") facts.folder = printable(value);
  if (name == "disk_free") facts.disk_free_bytes = whole_number(value);
  if (name == "disk") facts.disk_bytes = whole_number(value);
  if (name == "python") facts.python = printable(value, 60);
  if (name == "torch") facts.torch = printable(value, 60);
  if (name == "tensorflow") facts.tensorflow = printable(value, 60);
  if (name == "program" && facts.programs.size() < std::size(kPrograms))
    facts.programs.push_back(printable(value, 60));
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

std::string to_lines(const MachineFacts& facts) {
  Run run;  // its JSON is how a description travels
  run.context.id = "facts";
  run.context.machine = facts.machine;
  std::string text =
      fmt::format("machine {}\nfolder {}\ndisk_free {}\ndisk {}\n", to_json_line(run),
                  printable(facts.folder, 4096), facts.disk_free_bytes, facts.disk_bytes);
  text += fmt::format("python {}\ntorch {}\ntensorflow {}\n", facts.python, facts.torch,
                      facts.tensorflow);
  for (const std::string& program : facts.programs) text += fmt::format("program {}\n", program);
  return text + "end\n";
}

Result<MachineFacts> facts_from_lines(std::string_view text) {
  MachineFacts facts;
  bool described = false;
  LineBuffer lines;
  lines.append(text);
  while (const auto line = lines.next()) {
    if (*line == "end" && described) return facts;
    const std::size_t blank = std::min(line->find(' '), line->size());
    const std::string name = line->substr(0, blank);
    const std::string value = blank < line->size() ? line->substr(blank + 1) : std::string();
    if (name != "machine") {
      take_fact(facts, name, value);
      continue;
    }
    Result<Run> run = run_from_json_line(value);
    if (!run) return because("what it says of itself cannot be read: " + run.error().text);
    facts.machine = std::move(run->context.machine);
    repair(facts.machine);  // what cannot be true counts as not known
    described = true;
  }
  return because("what it says of itself was cut off");
}

}  // namespace lapcast
