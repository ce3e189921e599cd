/* Keeps the first CUDA device busy for a share of the time: cuda_load SHARE. Prints once a second
 * how often its kernel has run, until it is killed. Ends with one line on stderr when it cannot
 * run. It needs the driver's libcuda.so.1 and no CUDA toolkit, neither to build nor to run. The
 * kernel's loop is bounded, so that the device is free again between two launches. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int (*InitFunction)(unsigned flags);
typedef int (*DeviceFunction)(int* device, int ordinal);
typedef int (*ContextFunction)(void** context, unsigned flags, int device);
typedef int (*ModuleFunction)(void** module, const void* image);
typedef int (*KernelFunction)(void** kernel, void* module, const char* name);
typedef int (*LaunchFunction)(void* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z,
                              unsigned shared_bytes, void* stream, void** parameters, void** extra);
typedef int (*SynchronizeFunction)(void);

/* Defines loop(n), which counts to n. */
static const char kKernel[] =
    ".version 6.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .entry loop(.param .u32 n)\n"
    "{\n"
    "  .reg .pred %p;\n"
    "  .reg .u32 %i, %n;\n"
    "  ld.param.u32 %n, [n];\n"
    "  mov.u32 %i, 0;\n"
    "AGAIN:\n"
    "  add.u32 %i, %i, 1;\n"
    "  setp.lt.u32 %p, %i, %n;\n"
    "  @%p bra AGAIN;\n"
    "  ret;\n"
    "}\n";

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void fail(const char* what, int code) {
  fprintf(stderr, "%s (CUDA error %d)\n", what, code);
  exit(1);
}

static void* driver;

static void* function(const char* name) {
  void* found = dlsym(driver, name);
  if (found == NULL) fail("the CUDA driver is too old", 0);
  return found;
}

static void* load_kernel(void) {
  int device = 0;
  void *context = NULL, *module = NULL, *kernel = NULL;
  int code = ((InitFunction)function("cuInit"))(0);
  if (code != 0) fail("no CUDA device", code);
  code = ((DeviceFunction)function("cuDeviceGet"))(&device, 0);
  if (code != 0) fail("no CUDA device", code);
  code = ((ContextFunction)function("cuCtxCreate_v2"))(&context, 0, device);
  if (code != 0) fail("the CUDA device cannot be used", code);
  code = ((ModuleFunction)function("cuModuleLoadData"))(&module, kKernel);
  if (code == 0) code = ((KernelFunction)function("cuModuleGetFunction"))(&kernel, module, "loop");
  if (code != 0) fail("the kernel cannot be loaded", code);
  return kernel;
}

/* Runs the kernel once with enough threads for a large device. Returns its time in seconds. */
static double launch(void* kernel, unsigned count) {
  static LaunchFunction start;
  static SynchronizeFunction wait;
  if (start == NULL) start = (LaunchFunction)function("cuLaunchKernel");
  if (wait == NULL) wait = (SynchronizeFunction)function("cuCtxSynchronize");
  void* parameters[] = {&count};
  const double begin = seconds();
  int code = start(kernel, 256, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL);
  if (code == 0) code = wait();
  if (code != 0) fail("the CUDA device was lost", code);
  return seconds() - begin;
}

static void rest(double time) {
  struct timespec left = {(time_t)time, (long)((time - (double)(time_t)time) * 1e9)};
  if (time > 0) nanosleep(&left, NULL);
}

int main(int argc, char** argv) {
  const double share = argc > 1 ? strtod(argv[1], NULL) : 0.05;
  long long launches = 0;
  unsigned count = 1000;
  double told = 0;
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == NULL) fail("there is no CUDA driver (libcuda.so.1)", 0);
  void* kernel = load_kernel();
  for (;;) {
    const double busy = launch(kernel, count);
    ++launches;
    /* Keeps a launch between 5 and 20 ms. */
    if (busy < 0.005 && count < 1u << 30) count *= 2;
    if (busy > 0.02 && count > 1) count /= 2;
    if (seconds() - told >= 1) {
      told = seconds();
      if (printf("%lld\n", launches) < 0 || fflush(stdout) != 0) return 0;
    }
    rest(share > 0 && share < 1 ? busy * (1 - share) / share : 0);
  }
}
