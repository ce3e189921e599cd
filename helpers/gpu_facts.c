/* Prints a line for each NVIDIA GPU of this machine, as nvidia-smi does with --query-gpu and
 * --format=csv,noheader: name, driver, memory ("143771 MiB"), and then what some versions of
 * nvidia-smi do not tell: compute capability, CUDA cores, and the newest CUDA that the driver runs;
 * power limit in mW, highest clock of the multiprocessors in MHz, ECC and MIG ("on", "off"), PCIe
 * generation and lanes, compute mode by NVML's number, and UUID.
 * "[N/A]" stands for what the driver does not tell. Prints nothing where NVML, the driver's
 * libnvidia-ml.so.1, is missing. It needs no CUDA toolkit. */
#include <dlfcn.h>
#include <stdio.h>

enum { kMostGpus = 64, kMostBytes = 96, kSmClock = 1 };

struct Memory { /* nvmlMemory_t */
  unsigned long long total, available, used;
};

typedef int (*InitFunction)(void);
typedef int (*CountFunction)(unsigned* count);
typedef int (*HandleFunction)(unsigned index, void** gpu);
typedef int (*DriverFunction)(char* version, unsigned bytes);
typedef int (*CudaFunction)(int* version);
typedef int (*NameFunction)(void* gpu, char* name, unsigned bytes);
typedef int (*MemoryFunction)(void* gpu, struct Memory* memory);
typedef int (*CapabilityFunction)(void* gpu, int* major, int* minor);
typedef int (*CoresFunction)(void* gpu, unsigned* cores);
typedef int (*ClockFunction)(void* gpu, int kind, unsigned* mhz);
typedef int (*ModeFunction)(void* gpu, unsigned* now, unsigned* pending);

static void* nvml;
static char driver[kMostBytes];
static int cuda; /* 12040 for CUDA 12.4; 0 = not known */

static const char* or_unknown(const char* text) {
  return text[0] == '\0' ? "[N/A]" : text;
}

static void read_versions(void) {
  const DriverFunction driver_of = (DriverFunction)dlsym(nvml, "nvmlSystemGetDriverVersion");
  const CudaFunction cuda_of = (CudaFunction)dlsym(nvml, "nvmlSystemGetCudaDriverVersion_v2");
  if (driver_of == NULL || driver_of(driver, sizeof driver) != 0) driver[0] = '\0';
  if (cuda_of == NULL || cuda_of(&cuda) != 0) cuda = 0;
}

static void print_number(int known, unsigned number) {
  if (known)
    printf(", %u", number);
  else
    printf(", [N/A]");
}

/* Prints what a function of NVML says of a GPU, such as its power limit. */
static void print_told(void* gpu, const char* function) {
  const CoresFunction ask = (CoresFunction)dlsym(nvml, function);
  unsigned number = 0;
  const int known = ask != NULL && ask(gpu, &number) == 0;
  print_number(known, number);
}

static void print_mode(void* gpu, const char* function) {
  const ModeFunction ask = (ModeFunction)dlsym(nvml, function);
  unsigned now = 0, pending = 0;
  const int known = ask != NULL && ask(gpu, &now, &pending) == 0;
  printf(", %s", !known ? "[N/A]" : now == 1 ? "on" : "off");
}

static void print_limits(void* gpu) {
  const ClockFunction clock_of = (ClockFunction)dlsym(nvml, "nvmlDeviceGetMaxClockInfo");
  const NameFunction uuid_of = (NameFunction)dlsym(nvml, "nvmlDeviceGetUUID");
  char uuid[kMostBytes] = "";
  unsigned mhz = 0;
  print_told(gpu, "nvmlDeviceGetEnforcedPowerLimit");
  const int known = clock_of != NULL && clock_of(gpu, kSmClock, &mhz) == 0;
  print_number(known, mhz);
  print_mode(gpu, "nvmlDeviceGetEccMode");
  print_mode(gpu, "nvmlDeviceGetMigMode");
  print_told(gpu, "nvmlDeviceGetMaxPcieLinkGeneration");
  print_told(gpu, "nvmlDeviceGetMaxPcieLinkWidth");
  print_told(gpu, "nvmlDeviceGetComputeMode");
  if (uuid_of == NULL || uuid_of(gpu, uuid, sizeof uuid) != 0) uuid[0] = '\0';
  printf(", %s\n", or_unknown(uuid));
}

static void print_gpu(void* gpu) {
  const NameFunction name_of = (NameFunction)dlsym(nvml, "nvmlDeviceGetName");
  const MemoryFunction memory_of = (MemoryFunction)dlsym(nvml, "nvmlDeviceGetMemoryInfo");
  const CapabilityFunction capability_of =
      (CapabilityFunction)dlsym(nvml, "nvmlDeviceGetCudaComputeCapability");
  const CoresFunction cores_of = (CoresFunction)dlsym(nvml, "nvmlDeviceGetNumGpuCores");
  char name[kMostBytes] = "", memory_text[32] = "", capability[32] = "", cores_text[32] = "",
       cuda_text[32] = "";
  struct Memory memory;
  int major = 0, minor = 0;
  unsigned cores = 0;
  if (name_of == NULL || name_of(gpu, name, sizeof name) != 0) return;
  if (memory_of != NULL && memory_of(gpu, &memory) == 0)
    snprintf(memory_text, sizeof memory_text, "%llu MiB", memory.total >> 20);
  if (capability_of != NULL && capability_of(gpu, &major, &minor) == 0)
    snprintf(capability, sizeof capability, "%d.%d", major, minor);
  if (cores_of != NULL && cores_of(gpu, &cores) == 0)
    snprintf(cores_text, sizeof cores_text, "%u", cores);
  if (cuda > 0) snprintf(cuda_text, sizeof cuda_text, "%d.%d", cuda / 1000, cuda % 1000 / 10);
  printf("%s, %s, %s, %s, %s, %s", name, or_unknown(driver), or_unknown(memory_text),
         or_unknown(capability), or_unknown(cores_text), or_unknown(cuda_text));
  print_limits(gpu);
}

int main(void) {
  nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (nvml == NULL) return 1;
  const InitFunction init = (InitFunction)dlsym(nvml, "nvmlInit_v2");
  const CountFunction count_of = (CountFunction)dlsym(nvml, "nvmlDeviceGetCount_v2");
  const HandleFunction handle_of = (HandleFunction)dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
  if (init == NULL || count_of == NULL || handle_of == NULL || init() != 0) return 1;
  unsigned count = 0;
  count_of(&count);
  read_versions();
  for (unsigned i = 0; i < count && i < kMostGpus; ++i) {
    void* gpu = NULL;
    if (handle_of(i, &gpu) == 0) print_gpu(gpu);
  }
  return 0;
}
