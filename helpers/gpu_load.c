/* Prints what the NVIDIA GPUs of this machine do, until it is killed: gpu_load [GPU...]. It prints
 * five times a second at first, once a second after half an hour, and seldom enough to take at most
 * a two-thousandth of a CPU. A GPU is the driver's number or the begin of a UUID ("GPU-4ba8");
 * without any it looks at all. A line has the lowest clock of the multiprocessors in MHz, the
 * reasons for lower clocks (bits of NVML), the highest temperature in degrees Celsius, each "-"
 * where it is not known, the power of all in mW as "mW=690123" where it is known, and then for each
 * GPU gpu=NUMBER busy=PERCENT used=BYTES of=BYTES exclusive=1 PROCESS:BYTES... how much of the last
 * second or less it computed, its memory, that it takes one process at a time, and the numbers of
 * the processes that compute on it with their memory; what is not known is left out. The power is
 * the mean since the line before by the driver's counters of energy, or else what the driver says
 * of the moment. Ends where NVML, the driver's libnvidia-ml.so.1, is missing. It needs no CUDA
 * toolkit. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kMostGpus = 64, kMostProcesses = 64, kSmClock = 1, kCoreSensor = 0 };
enum { kExclusiveThread = 1, kExclusiveProcess = 3 }; /* nvmlComputeMode_t */

static const double kShortest = 0.2; /* seconds between two lines */
static const double kShare = 2000;   /* of the time, and of a CPU */

struct Process { /* nvmlProcessInfo_t */
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

struct Utilization { /* nvmlUtilization_t, in percent of the last sample's time */
  unsigned gpu, memory;
};

struct Memory { /* nvmlMemory_t */
  unsigned long long total, available, used;
};

struct Memory2 { /* nvmlMemory_v2_t, where what the driver keeps for itself is apart from `used` */
  unsigned version;
  unsigned long long total, reserved, available, used;
};

typedef int (*InitFunction)(void);
typedef int (*CountFunction)(unsigned* count);
typedef int (*HandleFunction)(unsigned index, void** gpu);
typedef int (*NumberFunction)(void* gpu, int kind, unsigned* number);
typedef int (*ReasonsFunction)(void* gpu, unsigned long long* mask);
typedef int (*EnergyFunction)(void* gpu, unsigned long long* millijoules);
typedef int (*ModeFunction)(void* gpu, int* mode);
typedef int (*PowerFunction)(void* gpu, unsigned* milliwatts);
typedef int (*ProcessesFunction)(void* gpu, unsigned* count, struct Process* processes);
typedef int (*UtilizationFunction)(void* gpu, struct Utilization* utilization);
typedef int (*MemoryFunction)(void* gpu, struct Memory* memory);
typedef int (*Memory2Function)(void* gpu, struct Memory2* memory);
typedef int (*NameFunction)(void* gpu, char* name, unsigned bytes);

struct Gpu {
  unsigned number; /* of the driver */
  void* handle;
  unsigned long long energy_before;
};

static NumberFunction clock_of, temperature_of;
static ReasonsFunction reasons_of;
static EnergyFunction energy_of;
static ModeFunction mode_of;
static PowerFunction power_of;
static ProcessesFunction processes_of;
static UtilizationFunction utilization_of;
static MemoryFunction memory_of;
static Memory2Function memory2_of;
static HandleFunction handle_of;
static NameFunction uuid_of;
static struct Gpu gpus[kMostGpus];
static int count;

static void print_known(int known, unsigned long long value) {
  if (known)
    printf("%llu ", value);
  else
    printf("- ");
}

static double seconds_by(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds_since_last_call(void) {
  static double before;
  const double now = seconds_by(CLOCK_MONOTONIC);
  const double seconds = now - before;
  before = now;
  return seconds;
}

/* Prints the power of all GPUs, or nothing where one of them does not tell it. */
static void print_power(void) {
  const double seconds = seconds_since_last_call();
  double milliwatts = 0;
  for (int i = 0; i < count; ++i) {
    unsigned long long energy = 0;
    unsigned power = 0;
    void* const gpu = gpus[i].handle;
    const int counts = energy_of != NULL && energy_of(gpu, &energy) == 0 && energy > 0;
    const unsigned long long before = gpus[i].energy_before;
    gpus[i].energy_before = counts ? energy : 0;
    if (counts && before > 0 && energy >= before && seconds > 0)
      milliwatts += (double)(energy - before) / seconds;
    else if (power_of != NULL && power_of(gpu, &power) == 0)
      milliwatts += power;
    else
      return;
  }
  printf("mW=%.0f ", milliwatts);
}

/* Drivers before 510 do not tell their reserve apart. */
static void print_memory(void* gpu) {
  struct Memory memory;
  struct Memory2 memory2 = {.version = sizeof memory2 | 2u << 24};
  if (memory2_of != NULL && memory2_of(gpu, &memory2) == 0)
    printf("used=%llu of=%llu ", memory2.used, memory2.total);
  else if (memory_of != NULL && memory_of(gpu, &memory) == 0)
    printf("used=%llu of=%llu ", memory.used, memory.total);
}

static void print_gpu(const struct Gpu* gpu) {
  struct Utilization utilization;
  struct Process processes[kMostProcesses];
  unsigned running = kMostProcesses;
  int mode = 0;
  printf("gpu=%u ", gpu->number);
  if (utilization_of != NULL && utilization_of(gpu->handle, &utilization) == 0)
    printf("busy=%u ", utilization.gpu);
  print_memory(gpu->handle);
  if (mode_of != NULL && mode_of(gpu->handle, &mode) == 0 &&
      (mode == kExclusiveThread || mode == kExclusiveProcess))
    printf("exclusive=1 ");
  if (processes_of == NULL || processes_of(gpu->handle, &running, processes) != 0) return;
  for (unsigned p = 0; p < running && p < kMostProcesses; ++p) {
    const unsigned long long bytes = processes[p].bytes;
    printf("%u", processes[p].pid);
    if (bytes > 0 && bytes != ~0ULL) printf(":%llu", bytes);
    printf(" ");
  }
}

static void print_line(void) {
  unsigned lowest = 0, highest = 0, number = 0;
  unsigned long long mask = 0, reasons = 0;
  int clocks = 0, masks = 0, sensors = 0;
  for (int i = 0; i < count; ++i) {
    void* const gpu = gpus[i].handle;
    if (clock_of != NULL && clock_of(gpu, kSmClock, &number) == 0)
      lowest = clocks++ == 0 || number < lowest ? number : lowest;
    if (temperature_of != NULL && temperature_of(gpu, kCoreSensor, &number) == 0)
      highest = sensors++ == 0 || number > highest ? number : highest;
    if (reasons_of != NULL && reasons_of(gpu, &mask) == 0) {
      ++masks;
      reasons |= mask;
    }
  }
  print_known(clocks, lowest);
  print_known(masks, reasons);
  print_known(sensors, highest);
  print_power();
  for (int i = 0; i < count; ++i) print_gpu(&gpus[i]);
  printf("\n");
  fflush(stdout);
}

static void add(unsigned number) {
  void* handle = NULL;
  if (count >= kMostGpus || handle_of(number, &handle) != 0) return;
  gpus[count].number = number;
  gpus[count++].handle = handle;
}

/* Adds the GPU, of that many, whose UUID begins with a text. */
static void add_by_uuid(const char* begin, unsigned all) {
  char uuid[96];
  void* handle = NULL;
  for (unsigned i = 0; i < all && uuid_of != NULL; ++i)
    if (handle_of(i, &handle) == 0 && uuid_of(handle, uuid, sizeof uuid) == 0 &&
        strncmp(uuid, begin, strlen(begin)) == 0)
      return add(i);
}

/* Waits until the next line, with the time since the start and the CPU time of a line. */
static void rest(double elapsed, double cost) {
  double seconds = elapsed / kShare;
  if (seconds < kShortest) seconds = kShortest;
  if (seconds > 1) seconds = 1;
  if (seconds < cost * kShare) seconds = cost * kShare;
  const struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

int main(int argument_count, char** arguments) {
  void* nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (nvml == NULL) return 1;
  const InitFunction init = (InitFunction)dlsym(nvml, "nvmlInit_v2");
  const CountFunction count_of = (CountFunction)dlsym(nvml, "nvmlDeviceGetCount_v2");
  handle_of = (HandleFunction)dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
  if (init == NULL || count_of == NULL || handle_of == NULL || init() != 0) return 1;
  clock_of = (NumberFunction)dlsym(nvml, "nvmlDeviceGetClockInfo");
  temperature_of = (NumberFunction)dlsym(nvml, "nvmlDeviceGetTemperature");
  reasons_of = (ReasonsFunction)dlsym(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons");
  energy_of = (EnergyFunction)dlsym(nvml, "nvmlDeviceGetTotalEnergyConsumption");
  mode_of = (ModeFunction)dlsym(nvml, "nvmlDeviceGetComputeMode");
  power_of = (PowerFunction)dlsym(nvml, "nvmlDeviceGetPowerUsage");
  processes_of = (ProcessesFunction)dlsym(nvml, "nvmlDeviceGetComputeRunningProcesses_v3");
  utilization_of = (UtilizationFunction)dlsym(nvml, "nvmlDeviceGetUtilizationRates");
  memory_of = (MemoryFunction)dlsym(nvml, "nvmlDeviceGetMemoryInfo");
  memory2_of = (Memory2Function)dlsym(nvml, "nvmlDeviceGetMemoryInfo_v2");
  uuid_of = (NameFunction)dlsym(nvml, "nvmlDeviceGetUUID");
  unsigned all = 0;
  count_of(&all);
  for (unsigned i = 0; argument_count == 1 && i < all; ++i) add(i);
  for (int i = 1; i < argument_count; ++i)
    if (strncmp(arguments[i], "GPU-", 4) == 0)
      add_by_uuid(arguments[i], all);
    else
      add((unsigned)atoi(arguments[i]));
  if (count == 0) return 1;
  const double begun = seconds_by(CLOCK_MONOTONIC);
  for (;;) {
    const double before = seconds_by(CLOCK_PROCESS_CPUTIME_ID);
    print_line();
    const double cost = seconds_by(CLOCK_PROCESS_CPUTIME_ID) - before;
    rest(seconds_by(CLOCK_MONOTONIC) - begun, cost);
  }
}
