/* Prints once a second what the NVIDIA GPUs of this machine do, until it is killed: gpu_load
 * [INDEX...]. Without indices it looks at all. A line has the lowest clock of the multiprocessors
 * in MHz, the reasons for lower clocks (bits of NVML), the highest temperature in degrees Celsius,
 * each "-" where it is not known, the power of all in mW as "mW=690123" where it is known, and the
 * numbers of the processes that compute on them. The power is the mean since the line before by the
 * driver's counters of energy, or else what the driver says of the moment. Ends where NVML, the
 * driver's libnvidia-ml.so.1, is missing. It needs no CUDA toolkit. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kMostGpus = 64, kMostProcesses = 64, kSmClock = 1, kCoreSensor = 0 };

struct Process { /* nvmlProcessInfo_t */
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

typedef int (*InitFunction)(void);
typedef int (*CountFunction)(unsigned* count);
typedef int (*HandleFunction)(unsigned index, void** gpu);
typedef int (*NumberFunction)(void* gpu, int kind, unsigned* number);
typedef int (*ReasonsFunction)(void* gpu, unsigned long long* mask);
typedef int (*EnergyFunction)(void* gpu, unsigned long long* millijoules);
typedef int (*PowerFunction)(void* gpu, unsigned* milliwatts);
typedef int (*ProcessesFunction)(void* gpu, unsigned* count, struct Process* processes);

static NumberFunction clock_of, temperature_of;
static ReasonsFunction reasons_of;
static EnergyFunction energy_of;
static PowerFunction power_of;
static ProcessesFunction processes_of;
static unsigned long long energy_before[kMostGpus];

static void print_known(int known, unsigned long long value) {
  if (known)
    printf("%llu ", value);
  else
    printf("- ");
}

static double seconds_since_last_call(void) {
  static struct timespec before;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double seconds =
      (double)(now.tv_sec - before.tv_sec) + (double)(now.tv_nsec - before.tv_nsec) * 1e-9;
  before = now;
  return seconds;
}

/* Prints the power of all GPUs, or nothing where one of them does not tell it. */
static void print_power(void** gpus, int count) {
  const double seconds = seconds_since_last_call();
  double milliwatts = 0;
  for (int i = 0; i < count; ++i) {
    unsigned long long energy = 0;
    unsigned power = 0;
    const int counts = energy_of != NULL && energy_of(gpus[i], &energy) == 0 && energy > 0;
    const unsigned long long before = energy_before[i];
    energy_before[i] = counts ? energy : 0;
    if (counts && before > 0 && energy >= before && seconds > 0)
      milliwatts += (double)(energy - before) / seconds;
    else if (power_of != NULL && power_of(gpus[i], &power) == 0)
      milliwatts += power;
    else
      return;
  }
  printf("mW=%.0f ", milliwatts);
}

static void print_line(void** gpus, int count) {
  unsigned lowest = 0, highest = 0, number = 0;
  unsigned long long mask = 0, reasons = 0;
  int clocks = 0, masks = 0, sensors = 0;
  for (int i = 0; i < count; ++i) {
    if (clock_of != NULL && clock_of(gpus[i], kSmClock, &number) == 0)
      lowest = clocks++ == 0 || number < lowest ? number : lowest;
    if (temperature_of != NULL && temperature_of(gpus[i], kCoreSensor, &number) == 0)
      highest = sensors++ == 0 || number > highest ? number : highest;
    if (reasons_of != NULL && reasons_of(gpus[i], &mask) == 0) {
      ++masks;
      reasons |= mask;
    }
  }
  print_known(clocks, lowest);
  print_known(masks, reasons);
  print_known(sensors, highest);
  print_power(gpus, count);
  for (int i = 0; i < count && processes_of != NULL; ++i) {
    struct Process processes[kMostProcesses];
    unsigned running = kMostProcesses;
    if (processes_of(gpus[i], &running, processes) != 0) continue;
    for (unsigned p = 0; p < running; ++p) printf("%u ", processes[p].pid);
  }
  printf("\n");
  fflush(stdout);
}

int main(int argument_count, char** arguments) {
  void* nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (nvml == NULL) return 1;
  const InitFunction init = (InitFunction)dlsym(nvml, "nvmlInit_v2");
  const CountFunction count_of = (CountFunction)dlsym(nvml, "nvmlDeviceGetCount_v2");
  const HandleFunction handle_of = (HandleFunction)dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
  if (init == NULL || count_of == NULL || handle_of == NULL || init() != 0) return 1;
  clock_of = (NumberFunction)dlsym(nvml, "nvmlDeviceGetClockInfo");
  temperature_of = (NumberFunction)dlsym(nvml, "nvmlDeviceGetTemperature");
  reasons_of = (ReasonsFunction)dlsym(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons");
  energy_of = (EnergyFunction)dlsym(nvml, "nvmlDeviceGetTotalEnergyConsumption");
  power_of = (PowerFunction)dlsym(nvml, "nvmlDeviceGetPowerUsage");
  processes_of = (ProcessesFunction)dlsym(nvml, "nvmlDeviceGetComputeRunningProcesses_v3");
  void* gpus[kMostGpus];
  int used = 0;
  unsigned all = 0;
  count_of(&all);
  for (unsigned i = 0; argument_count == 1 && i < all && used < kMostGpus; ++i)
    if (handle_of(i, &gpus[used]) == 0) ++used;
  for (int i = 1; i < argument_count && used < kMostGpus; ++i)
    if (handle_of((unsigned)atoi(arguments[i]), &gpus[used]) == 0) ++used;
  if (used == 0) return 1;
  for (;; sleep(1)) print_line(gpus, used);
}
