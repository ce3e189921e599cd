#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lapcast {

/// Holds MIDR implementer and part numbers, as in the tables of util-linux and of the vendors.
struct ArmPart {
  std::int64_t implementer, part;
  std::string_view name;
};
inline constexpr std::array<ArmPart, 23> kArmParts{{
    {0x41, 0xd03, "Arm Cortex-A53"},
    {0x41, 0xd07, "Arm Cortex-A57"},
    {0x41, 0xd08, "Arm Cortex-A72"},
    {0x41, 0xd0b, "Arm Cortex-A76"},
    {0x41, 0xd0c, "Arm Neoverse-N1"},
    {0x41, 0xd40, "Arm Neoverse-V1"},
    {0x41, 0xd42, "Arm Cortex-A78AE"},
    {0x41, 0xd49, "Arm Neoverse-N2"},
    {0x41, 0xd4f, "Arm Neoverse-V2"},
    {0x41, 0xd84, "Arm Neoverse-V3"},
    {0x41, 0xd85, "Arm Cortex-X925"},
    {0x41, 0xd87, "Arm Cortex-A725"},
    {0x41, 0xd8e, "Arm Neoverse-N3"},
    {0x43, 0x0af, "Cavium ThunderX2"},
    {0x46, 0x001, "Fujitsu A64FX"},
    {0x48, 0xd01, "HiSilicon Kunpeng-920"},
    {0x4e, 0x004, "NVIDIA Carmel"},
    {0x61, 0x022, "Apple M1"},  // its efficient cores, which come first
    {0x61, 0x023, "Apple M1"},
    {0x6d, 0xd49, "Microsoft Azure Cobalt 100"},
    {0x70, 0x662, "Phytium FTC662"},
    {0xc0, 0xac3, "Ampere Ampere-1"},
    {0xc0, 0xac4, "Ampere Ampere-1A"},
}};

}  // namespace lapcast
