/*
 * A libcuda.so.1 for machines without one: device memory is the processor's, each stream is a thread that carries out its
 * copies late and in order. It insists on what the plugin promises: a current context, pinned host memory, and nobody waiting
 * while copies are under way, except at the end.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int CUresult;
typedef uint64_t CUdeviceptr;

enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_READY = 600, QUEUE = 4096, PINS = 256, COPY_NS = 3000 };

struct event {
  uint64_t reached, recorded; /* atomic */
};

struct task {
  void *to;
  const void *from;
  size_t bytes;
  struct event *event;
  uint64_t number;
};

struct stream {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct task tasks[QUEUE];
  unsigned first, count;
  bool end;
};

static struct {
  const uint8_t *memory;
  size_t bytes;
} pins[PINS];
static pthread_mutex_t pins_lock = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((tls_model("initial-exec"))) _Thread_local void *current; /* ThreadSanitizer knows no other */
static int the_context;

static void insist(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "fake CUDA: %s\n", what);
  _exit(70);
}

static bool pinned(const void *memory, size_t bytes) {
  bool found = false;
  pthread_mutex_lock(&pins_lock);
  for (int i = 0; i < PINS; i++)
    found = found || (pins[i].memory && (const uint8_t *)memory >= pins[i].memory &&
                      (const uint8_t *)memory + bytes <= pins[i].memory + pins[i].bytes);
  pthread_mutex_unlock(&pins_lock);
  return found;
}

static void copy(uint8_t *to, const uint8_t *from, size_t bytes) {
  const bool words = ((uintptr_t)to | (uintptr_t)from | bytes) % sizeof(uint64_t) == 0;
  for (size_t i = 0; words && i < bytes; i += sizeof(uint64_t))
    __atomic_store_n((uint64_t *)(to + i), __atomic_load_n((const uint64_t *)(from + i), __ATOMIC_RELAXED),
                     __ATOMIC_RELEASE);
  for (size_t i = 0; !words && i < bytes; i++)
    __atomic_store_n(&to[i], __atomic_load_n(&from[i], __ATOMIC_RELAXED), __ATOMIC_RELEASE);
}

static void carry_out(const struct task *task) {
  if (task->event) {
    __atomic_store_n(&task->event->reached, task->number, __ATOMIC_RELEASE);
    return;
  }
  nanosleep(&(struct timespec){.tv_nsec = COPY_NS}, NULL);
  copy(task->to, task->from, task->bytes);
}

static void *run(void *user) {
  struct stream *stream = user;
  pthread_mutex_lock(&stream->lock);
  for (;;) {
    while (!stream->count && !stream->end)
      pthread_cond_wait(&stream->changed, &stream->lock);
    if (!stream->count)
      break;
    const struct task task = stream->tasks[stream->first];
    pthread_mutex_unlock(&stream->lock);
    carry_out(&task);
    pthread_mutex_lock(&stream->lock);
    stream->first = (stream->first + 1) % QUEUE;
    stream->count--;
    pthread_cond_broadcast(&stream->changed);
  }
  pthread_mutex_unlock(&stream->lock);
  return NULL;
}

static CUresult add(struct stream *stream, struct task task) {
  insist(current != NULL, "no context is current");
  pthread_mutex_lock(&stream->lock);
  insist(stream->count < QUEUE, "the stream is full");
  stream->tasks[(stream->first + stream->count++) % QUEUE] = task;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
  return SUCCESS;
}

CUresult cuInit(unsigned flags);
CUresult cuInit(unsigned flags) { return flags ? INVALID_VALUE : SUCCESS; }

/* As in a thread that has not set its device: the primary context is to be taken. */
CUresult cuCtxGetCurrent(void **context);
CUresult cuCtxGetCurrent(void **context) {
  *context = current;
  return SUCCESS;
}

CUresult cuCtxSetCurrent(void *context);
CUresult cuCtxSetCurrent(void *context) {
  current = context;
  return SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(void **context, int device);
CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &the_context;
  return device == 0 ? SUCCESS : INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRelease_v2(int device);
CUresult cuDevicePrimaryCtxRelease_v2(int device) { return device; }

CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr pointer);
CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr pointer) {
  insist(attribute == 9 && pointer, "this attribute is not known");
  *(int *)data = 0;
  return SUCCESS;
}

CUresult cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags);
CUresult cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags) {
  CUresult result = INVALID_VALUE;
  pthread_mutex_lock(&pins_lock);
  for (int i = 0; i < PINS && result != SUCCESS && flags == 1; i++)
    if (!pins[i].memory) {
      pins[i].memory = memory;
      pins[i].bytes = bytes;
      result = SUCCESS;
    }
  pthread_mutex_unlock(&pins_lock);
  return result;
}

CUresult cuMemHostUnregister(void *memory);
CUresult cuMemHostUnregister(void *memory) {
  CUresult result = INVALID_VALUE;
  pthread_mutex_lock(&pins_lock);
  for (int i = 0; i < PINS; i++)
    if (pins[i].memory == memory) {
      pins[i].memory = NULL;
      result = SUCCESS;
    }
  pthread_mutex_unlock(&pins_lock);
  insist(result == SUCCESS, "what is unpinned was not pinned");
  return result;
}

CUresult cuStreamCreate(void **stream, unsigned flags);
CUresult cuStreamCreate(void **stream, unsigned flags) {
  insist(flags == 1, "a stream that waits for the legacy one");
  struct stream *made = calloc(1, sizeof *made);
  pthread_mutex_init(&made->lock, NULL);
  pthread_cond_init(&made->changed, NULL);
  pthread_create(&made->thread, NULL, run, made);
  *stream = made;
  return SUCCESS;
}

CUresult cuStreamSynchronize(void *stream);
CUresult cuStreamSynchronize(void *stream) {
  struct stream *waited = stream;
  pthread_mutex_lock(&waited->lock);
  while (waited->count)
    pthread_cond_wait(&waited->changed, &waited->lock);
  pthread_mutex_unlock(&waited->lock);
  return SUCCESS;
}

CUresult cuStreamDestroy_v2(void *stream);
CUresult cuStreamDestroy_v2(void *stream) {
  struct stream *ended = stream;
  pthread_mutex_lock(&ended->lock);
  ended->end = true;
  pthread_cond_broadcast(&ended->changed);
  pthread_mutex_unlock(&ended->lock);
  pthread_join(ended->thread, NULL);
  free(ended);
  return SUCCESS;
}

CUresult cuEventCreate(void **event, unsigned flags);
CUresult cuEventCreate(void **event, unsigned flags) {
  insist(flags == 2, "an event with timing");
  *event = calloc(1, sizeof(struct event));
  return SUCCESS;
}

CUresult cuEventRecord(void *event, void *stream);
CUresult cuEventRecord(void *event, void *stream) {
  struct event *recorded = event;
  recorded->recorded++;
  return add(stream, (struct task){.event = recorded, .number = recorded->recorded});
}

CUresult cuEventQuery(void *event);
CUresult cuEventQuery(void *event) {
  struct event *asked = event;
  return __atomic_load_n(&asked->reached, __ATOMIC_ACQUIRE) == asked->recorded ? SUCCESS : NOT_READY;
}

CUresult cuEventDestroy_v2(void *event);
CUresult cuEventDestroy_v2(void *event) {
  free(event);
  return SUCCESS;
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, void *stream);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, void *stream) {
  insist(pinned(to, bytes), "a copy to memory that is not pinned");
  return add(stream, (struct task){.to = to, .from = (const void *)(uintptr_t)from, .bytes = bytes});
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, void *stream);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, void *stream) {
  insist(pinned(from, bytes), "a copy from memory that is not pinned");
  return add(stream, (struct task){.to = (void *)(uintptr_t)to, .from = from, .bytes = bytes});
}

/* The fields of CUDA_MEMCPY2D_v2, in their order. */
struct copy_2d {
  size_t from_x, from_y, from_type;
  const uint8_t *from_host;
  CUdeviceptr from_device;
  void *from_array;
  size_t from_pitch, to_x, to_y, to_type;
  void *to_host;
  CUdeviceptr to_device;
  void *to_array;
  size_t to_pitch, width, height;
};

CUresult cuMemcpy2DAsync_v2(const struct copy_2d *copies, void *stream);
CUresult cuMemcpy2DAsync_v2(const struct copy_2d *copies, void *stream) {
  for (size_t i = 0; i < copies->height; i++)
    cuMemcpyHtoDAsync_v2(copies->to_device + i * copies->to_pitch, copies->from_host + i * copies->from_pitch,
                         copies->width, stream);
  return SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(int *mode);
CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
  *mode = 0;
  return SUCCESS;
}
