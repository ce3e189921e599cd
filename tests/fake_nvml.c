/* Imitates the driver's libnvidia-ml.so.1 for tests: two GPUs. This process and the one with number
 * 1 compute on the second one. FAKE_NVML_BUSY has their utilisation in percent, such as "90,45" (as
 * it is when it is not set); where it has only one number the second does not know its own. With
 * FAKE_NVML_WATTS both draw so much all the time, and the first counts it. With FAKE_NVML_EXCLUSIVE
 * the first takes one process at a time. FAKE_NVML_PIDS names a file with the numbers of processes
 * that compute on the first, each with 1 GiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct Process {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

struct Utilization {
  unsigned gpu, memory;
};

struct Memory {
  unsigned long long total, available, used;
};

struct Memory2 {
  unsigned version;
  unsigned long long total, reserved, available, used;
};

int nvmlInit_v2(void) {
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** gpu) {
  static char gpus[2];
  if (index > 1) return 2;
  *gpu = &gpus[index];
  *(char*)*gpu = (char)index;
  return 0;
}
int nvmlDeviceGetClockInfo(void* gpu, int kind, unsigned* mhz) {
  *mhz = *(char*)gpu == 0 ? 1980 : 1410;
  return kind == 1 ? 0 : 2;
}
int nvmlDeviceGetTemperature(void* gpu, int sensor, unsigned* celsius) {
  *celsius = *(char*)gpu == 0 ? 61 : 55;
  return sensor;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* gpu, unsigned long long* mask) {
  *mask = *(char*)gpu == 0 ? 0 : 0x40;
  return 0;
}
/* Returns FAKE_NVML_WATTS; 0 where it is not set. */
static unsigned watts(void) {
  const char* text = getenv("FAKE_NVML_WATTS");
  return text == NULL ? 0 : (unsigned)atoi(text);
}
/* The first GPU counts 100 J for every question; the second knows only its power. */
int nvmlDeviceGetTotalEnergyConsumption(void* gpu, unsigned long long* millijoules) {
  static unsigned long long counted = 5000000;
  struct timespec now;
  if (*(char*)gpu != 0) return 3;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *millijoules =
      watts() == 0
          ? (counted += 100000)
          : ((unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000) *
                watts();
  return 0;
}
int nvmlDeviceGetPowerUsage(void* gpu, unsigned* milliwatts) {
  *milliwatts = watts() > 0 ? 1000 * watts() : *(char*)gpu == 0 ? 70000 : 250000;
  return 0;
}
/* Reads at most so many processes of FAKE_NVML_PIDS, and returns how many they are. */
static unsigned listed(struct Process* processes, unsigned most) {
  const char* name = getenv("FAKE_NVML_PIDS");
  FILE* file = name == NULL ? NULL : fopen(name, "r");
  unsigned count = 0;
  if (file == NULL) return 0;
  while (count < most && fscanf(file, "%u", &processes[count].pid) == 1)
    processes[count++].bytes = 1ULL << 30;
  fclose(file);
  return count;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* gpu, unsigned* count, struct Process* processes) {
  if (*(char*)gpu == 0) {
    *count = listed(processes, *count);
    return 0;
  }
  processes[0].pid = (unsigned)getpid();
  processes[1].pid = 1;
  processes[0].bytes = 1ULL << 28;
  processes[1].bytes = ~0ULL; /* not known */
  *count = 2;
  return 0;
}
int nvmlDeviceGetUtilizationRates(void* gpu, struct Utilization* utilization) {
  const char* busy = getenv("FAKE_NVML_BUSY");
  if (busy == NULL) busy = "90,45";
  if (*(char*)gpu != 0) {
    busy = strchr(busy, ',');
    if (busy == NULL) return 3;
    ++busy;
  }
  utilization->gpu = (unsigned)atoi(busy);
  utilization->memory = 7;
  return 0;
}
/* FAKE_NVML_RESERVED has how many bytes the driver keeps for itself on each GPU. */
static unsigned long long reserved_bytes(void) {
  const char* reserved = getenv("FAKE_NVML_RESERVED");
  return reserved == NULL ? 0 : (unsigned long long)atoll(reserved);
}
/* The first GPU has 8 GiB and uses 3 GiB of them, the second has 16 GiB and uses 512 MiB; this
 * function counts the driver's reserve as used. */
int nvmlDeviceGetMemoryInfo(void* gpu, struct Memory* memory) {
  const unsigned long long gib = 1ULL << 30;
  memory->total = *(char*)gpu == 0 ? 8 * gib : 16 * gib;
  memory->used = (*(char*)gpu == 0 ? 3 * gib : gib / 2) + reserved_bytes();
  memory->available = memory->total - memory->used;
  return 0;
}
/* Both are A100s; the driver tells the CUDA cores of the first one only. */
int nvmlDeviceGetName(void* gpu, char* name, unsigned bytes) {
  snprintf(name, bytes, "NVIDIA A100-SXM4-40GB");
  return gpu == NULL;
}
int nvmlDeviceGetCudaComputeCapability(void* gpu, int* major, int* minor) {
  *major = 8;
  *minor = 0;
  return gpu == NULL;
}
int nvmlDeviceGetNumGpuCores(void* gpu, unsigned* cores) {
  *cores = 6912;
  return *(char*)gpu == 0 ? 0 : 3;
}
int nvmlSystemGetDriverVersion(char* version, unsigned bytes) {
  snprintf(version, bytes, "550.54.15");
  return 0;
}
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 12040;
  return 0;
}
int nvmlDeviceGetUUID(void* gpu, char* uuid, unsigned bytes) {
  snprintf(uuid, bytes, "GPU-%s", *(char*)gpu == 0 ? "4ba8c1d2-0000" : "77e1a0b3-0001");
  return 0;
}
/* The first GPU has a power limit, ECC and PCIe 4 with 16 lanes, and one process at a time. */
int nvmlDeviceGetEnforcedPowerLimit(void* gpu, unsigned* milliwatts) {
  *milliwatts = 400000;
  return *(char*)gpu == 0 ? 0 : 3;
}
int nvmlDeviceGetMaxClockInfo(void* gpu, int kind, unsigned* mhz) {
  *mhz = *(char*)gpu == 0 ? 2100 : 1410;
  return kind == 1 ? 0 : 2;
}
int nvmlDeviceGetEccMode(void* gpu, unsigned* now, unsigned* pending) {
  *now = *pending = 1;
  return *(char*)gpu == 0 ? 0 : 3;
}
int nvmlDeviceGetMigMode(void* gpu, unsigned* now, unsigned* pending) {
  *now = *pending = *(char*)gpu != 0;
  return 0;
}
int nvmlDeviceGetMaxPcieLinkGeneration(void* gpu, unsigned* generation) {
  *generation = 4;
  return *(char*)gpu == 0 ? 0 : 3;
}
int nvmlDeviceGetMaxPcieLinkWidth(void* gpu, unsigned* lanes) {
  *lanes = 16;
  return *(char*)gpu == 0 ? 0 : 3;
}
int nvmlDeviceGetComputeMode(void* gpu, unsigned* mode) {
  *mode = *(char*)gpu == 0 && getenv("FAKE_NVML_EXCLUSIVE") != NULL ? 3 : 0;
  return 0;
}
int nvmlDeviceGetMemoryInfo_v2(void* gpu, struct Memory2* memory) {
  struct Memory plain;
  if (memory->version != (sizeof *memory | 2u << 24)) return 25;
  nvmlDeviceGetMemoryInfo(gpu, &plain);
  memory->total = plain.total;
  memory->reserved = reserved_bytes();
  memory->used = plain.used - memory->reserved;
  memory->available = plain.available;
  return 0;
}
