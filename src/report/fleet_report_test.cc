#include "report/fleet_report.h"

#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "table/table.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// Returns a machine with the server's CPU of table 1 of Carneiro 2018.
CheckedMachine server_with(std::vector<Accelerator> accelerators) {
  CheckedMachine server{.name = "server"};
  MachineDescription& machine = server.check.facts.machine;
  machine.cpu_model = "Intel Xeon E5-2650v3";
  machine.max_clock_ghz = 2.3;
  machine.cores = 20;
  machine.threads = 40;
  machine.memory_bytes = 32LL << 30;
  machine.accelerators = std::move(accelerators);
  return server;
}

const Accelerator kK40{"nvidia", "Tesla K40m", "470.1", 12LL << 30, "15 SMs", "3.5", 2880, "11.4"};

std::string csv_of(const Table& table) {
  std::ostringstream out;
  write({table}, Format::csv, {}, out);
  return out.str();
}

TEST(HardwareTable, HasTheTestbedThatThePaperPrints) {
  EXPECT_EQ(csv_of(hardware_table({server_with({kK40})})),
            "machine,cpu,clock_ghz,cores,threads,memory_bytes,gpus,gpu,cuda_cores,"
            "compute_capability,gpu_memory_bytes,driver,cuda,system,python,torch,tensorflow\n"
            "server,\"Intel Xeon E5-2650v3\",2.3,20,40,34359738368,1,\"Tesla K40m\",2880,3.5,"
            "12884901888,470.1,11.4,,,,\n");
}

TEST(HardwareTable, HasARowForEachKindOfGpu) {
  Accelerator other = kK40;
  other.model = "AMD GPU";
  other.cuda_cores = 0;
  const Table table = hardware_table({server_with({kK40, other, kK40}), server_with({})});
  ASSERT_THAT(table.rows, SizeIs(3));
  EXPECT_THAT(csv_of(table), HasSubstr(",2,\"Tesla K40m\",2880,3.5,"));
  EXPECT_THAT(csv_of(table), HasSubstr(",1,\"AMD GPU\",,3.5,"));
  EXPECT_THAT(csv_of(table), HasSubstr(",34359738368,,,,,,"));
  EXPECT_THAT(table.after, ElementsAre(HasSubstr("of one GPU")));
}

TEST(HardwareTable, SaysWhatWasNotReachedAndShowsWhatIsNotKnown) {
  CheckedMachine off{.name = "off"};
  off.check.unreachable = Reason{"no ssh server answers"};
  CheckedMachine colab = server_with({});
  colab.check.facts.machine.cores = 0;
  const Table table = hardware_table({off, colab});
  EXPECT_THAT(table.notes, ElementsAre("off: no ssh server answers"));
  std::ostringstream out;
  write({table}, Format::markdown, {}, out);
  EXPECT_THAT(out.str(), HasSubstr("| off | - | - | - |"));
  EXPECT_THAT(out.str(), HasSubstr("| -/40 |"));
}

}  // namespace
}  // namespace lapcast
