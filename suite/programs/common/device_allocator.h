#pragma once

// Includes LibTorch's allocators of devices, which tell what they hold, and defines
// LAPCAST_DEVICE_ALLOCATOR. Does neither where LibTorch is older than 2.9.

#if __has_include(<torch/headeronly/version.h>)
#include <torch/headeronly/version.h>
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9
#include <c10/core/CachingDeviceAllocator.h>
#define LAPCAST_DEVICE_ALLOCATOR
#endif
#endif
