/* Imitates the driver's libnvidia-ml.so.1 for tests: two GPUs, on which this process and the one
 * with number 1 compute. */
#include <unistd.h>

struct Process {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
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
/* The first GPU counts 100 J for every question; the second knows only its power. */
int nvmlDeviceGetTotalEnergyConsumption(void* gpu, unsigned long long* millijoules) {
  static unsigned long long counted = 5000000;
  if (*(char*)gpu != 0) return 3;
  *millijoules = counted += 100000;
  return 0;
}
int nvmlDeviceGetPowerUsage(void* gpu, unsigned* milliwatts) {
  *milliwatts = *(char*)gpu == 0 ? 70000 : 250000;
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* gpu, unsigned* count, struct Process* processes) {
  if (*(char*)gpu == 0) {
    *count = 0;
    return 0;
  }
  processes[0].pid = (unsigned)getpid();
  processes[1].pid = 1;
  *count = 2;
  return 0;
}
