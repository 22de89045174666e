#include "bench/plugin/device.h"

#include <dlfcn.h>
#include <pthread.h>

#include "bench/plugin/log.h"

enum { LINE = 128, HALF = LINE / 2 };
enum { STREAM_NON_BLOCKING = 1, EVENT_DISABLE_TIMING = 2, HOST_REGISTER_PORTABLE = 1, CAPTURE_RELAXED = 2 };
enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2, POINTER_DEVICE_ORDINAL = 9 };
enum { CUDA_NOT_READY = 600 };

typedef uint64_t device_pointer;

/* CUDA_MEMCPY2D_v2 */
struct copy_2d {
  size_t from_x, from_y;
  int from_type;
  const void *from_host;
  device_pointer from_device;
  void *from_array;
  size_t from_pitch;
  size_t to_x, to_y;
  int to_type;
  void *to_host;
  device_pointer to_device;
  void *to_array;
  size_t to_pitch;
  size_t width, height;
};

static struct {
  int (*init)(unsigned);
  int (*context_get)(void **);
  int (*context_set)(void *);
  int (*primary_retain)(void **, int);
  int (*primary_release)(int);
  int (*pointer_attribute)(void *, int, device_pointer);
  int (*host_register)(void *, size_t, unsigned);
  int (*host_unregister)(void *);
  int (*stream_create)(void **, unsigned);
  int (*stream_synchronize)(void *);
  int (*stream_destroy)(void *);
  int (*event_create)(void **, unsigned);
  int (*event_record)(void *, void *);
  int (*event_query)(void *);
  int (*event_destroy)(void *);
  int (*read)(void *, device_pointer, size_t, void *);
  int (*write)(device_pointer, const void *, size_t, void *);
  int (*copy_2d)(const struct copy_2d *, void *);
  int (*capture_mode)(int *);
} cuda;

static const struct {
  const char *name;
  void *function;
} functions[] = {
    {"cuInit", &cuda.init},
    {"cuCtxGetCurrent", &cuda.context_get},
    {"cuCtxSetCurrent", &cuda.context_set},
    {"cuDevicePrimaryCtxRetain", &cuda.primary_retain},
    {"cuDevicePrimaryCtxRelease_v2", &cuda.primary_release},
    {"cuPointerGetAttribute", &cuda.pointer_attribute},
    {"cuMemHostRegister_v2", &cuda.host_register},
    {"cuMemHostUnregister", &cuda.host_unregister},
    {"cuStreamCreate", &cuda.stream_create},
    {"cuStreamSynchronize", &cuda.stream_synchronize},
    {"cuStreamDestroy_v2", &cuda.stream_destroy},
    {"cuEventCreate", &cuda.event_create},
    {"cuEventRecord", &cuda.event_record},
    {"cuEventQuery", &cuda.event_query},
    {"cuEventDestroy_v2", &cuda.event_destroy},
    {"cuMemcpyDtoHAsync_v2", &cuda.read},
    {"cuMemcpyHtoDAsync_v2", &cuda.write},
    {"cuMemcpy2DAsync_v2", &cuda.copy_2d},
    {"cuThreadExchangeStreamCaptureMode", &cuda.capture_mode},
};

static const char *load_error;

static void load(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  load_error = library ? NULL : "libcuda.so.1 cannot be loaded";
  for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(library, functions[i].name);
    *(void **)functions[i].function = function;
    if (!function)
      load_error = functions[i].name; /* the driver lacks it */
  }
  if (!load_error && cuda.init(0) != 0)
    load_error = "cuInit fails";
}

/* Once per process. */
static const char *loaded(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return load_error;
}

static bool fine(struct device *device, int result, const char *what) {
  if (result != 0 && !device->failed) {
    device->failed = true;
    say("CUDA error %d in %s", result, what);
  }
  return result == 0;
}

static bool find_context(struct device *device, const void *memory) {
  int ordinal = -1;
  device->primary_of = -1;
  if (cuda.context_get(&device->context) == 0 && device->context)
    return true;
  if (cuda.pointer_attribute(&ordinal, POINTER_DEVICE_ORDINAL, (device_pointer)(uintptr_t)memory) != 0 ||
      cuda.primary_retain(&device->context, ordinal) != 0)
    return false;
  device->primary_of = ordinal;
  return cuda.context_set(device->context) == 0;
}

static bool make_queues(struct device *device) {
  for (int stream = 0; stream < DEVICE_STREAMS; stream++) {
    if (!fine(device, cuda.stream_create(&device->streams[stream], STREAM_NON_BLOCKING), "cuStreamCreate"))
      return false;
    for (int mark = 0; mark < MARKS; mark++)
      if (!fine(device, cuda.event_create(&device->marks[stream][mark], EVENT_DISABLE_TIMING), "cuEventCreate"))
        return false;
  }
  return true;
}

bool device_open(struct device *device, const void *memory, const char **why) {
  *why = loaded();
  if (*why)
    return false;
  if (find_context(device, memory) && make_queues(device))
    return true;
  *why = "no CUDA context, stream or event for it";
  return false;
}

/* A program that captures a graph meanwhile is not our concern, and we are not its. */
void device_enter(const struct device *device) {
  int mode = CAPTURE_RELAXED;
  cuda.capture_mode(&mode);
  cuda.context_set(device->context);
}

bool device_pin(void *memory, size_t bytes) { return cuda.host_register(memory, bytes, HOST_REGISTER_PORTABLE) == 0; }

void device_unpin(void *memory) { cuda.host_unregister(memory); }

bool device_read(struct device *device, enum device_stream stream, void *to, const void *from, size_t bytes) {
  const device_pointer at = (device_pointer)(uintptr_t)from;
  return fine(device, cuda.read(to, at, bytes, device->streams[stream]), "cuMemcpyDtoHAsync");
}

bool device_write(struct device *device, void *to, const void *from, size_t bytes) {
  const device_pointer at = (device_pointer)(uintptr_t)to;
  return fine(device, cuda.write(at, from, bytes, device->streams[DEVICE_WRITES]), "cuMemcpyHtoDAsync");
}

bool device_write_halves(struct device *device, void *to, const void *from, size_t lines) {
  const struct copy_2d copy = {
      .from_type = MEMORY_HOST,
      .from_host = from,
      .from_pitch = LINE,
      .to_type = MEMORY_DEVICE,
      .to_device = (device_pointer)(uintptr_t)to,
      .to_pitch = LINE,
      .width = HALF,
      .height = lines,
  };
  return fine(device, cuda.copy_2d(&copy, device->streams[DEVICE_WRITES]), "cuMemcpy2DAsync");
}

bool device_mark(struct device *device, enum device_stream stream, unsigned mark) {
  return fine(device, cuda.event_record(device->marks[stream][mark], device->streams[stream]), "cuEventRecord");
}

/* After an error nothing is waited for. */
bool device_reached(struct device *device, enum device_stream stream, unsigned mark) {
  const int result = cuda.event_query(device->marks[stream][mark]);
  return result == CUDA_NOT_READY ? false : (fine(device, result, "cuEventQuery"), true);
}

void device_settle(struct device *device) {
  for (int stream = 0; stream < DEVICE_STREAMS; stream++)
    cuda.stream_synchronize(device->streams[stream]);
}

void device_close(struct device *device) {
  for (int stream = 0; stream < DEVICE_STREAMS; stream++) {
    if (device->streams[stream])
      cuda.stream_destroy(device->streams[stream]);
    for (int mark = 0; mark < MARKS; mark++)
      if (device->marks[stream][mark])
        cuda.event_destroy(device->marks[stream][mark]);
  }
  if (device->primary_of >= 0 && device->context)
    cuda.primary_release(device->primary_of);
}
