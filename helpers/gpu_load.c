/* Prints once a second what the NVIDIA GPUs of this machine do, until it is killed: gpu_load
 * [INDEX...]. Without indices it looks at all. A line has the lowest clock of the multiprocessors
 * in MHz, the reasons for lower clocks (bits of NVML), the highest temperature in degrees Celsius,
 * each "-" where it is not known, and the numbers of the processes that compute on them. Ends
 * where NVML, the driver's libnvidia-ml.so.1, is missing. It needs no CUDA toolkit. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
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
typedef int (*ProcessesFunction)(void* gpu, unsigned* count, struct Process* processes);

static NumberFunction clock_of, temperature_of;
static ReasonsFunction reasons_of;
static ProcessesFunction processes_of;

static void print_known(int known, unsigned long long value) {
  if (known)
    printf("%llu ", value);
  else
    printf("- ");
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
