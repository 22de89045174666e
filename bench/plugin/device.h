/*
 * CUDA, by its driver's library, which is loaded when device memory is first registered: without it host memory works.
 * Nothing in the data path allocates, loads a module, or waits for anything but our own copies: the program's kernel spins.
 */
#ifndef WINORD_PLUGIN_DEVICE_H
#define WINORD_PLUGIN_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MARKS = 512 };

enum device_stream { DEVICE_READS, DEVICE_WRITES, DEVICE_STREAMS }; /* copies out of device memory, and into it */

/* All zero: not open. */
struct device {
  void *context; /* CUcontext */
  int primary_of; /* the device whose primary context we hold; -1: none */
  void *streams[DEVICE_STREAMS];
  void *marks[DEVICE_STREAMS][MARKS]; /* events, recorded in turn */
  bool failed; /* a call did, and the first was reported */
};

/* Opens the device of this memory: in the caller's current context, else its primary one. False: `why` tells. */
bool device_open(struct device *device, const void *memory, const char **why);

/* Makes the device's context current in this thread, for good. */
void device_enter(const struct device *device);

/* Makes host memory one that copies do not wait for. Device open; any thread. */
bool device_pin(void *memory, size_t bytes);
void device_unpin(void *memory);

/* Asynchronous copies, in their stream's order; the host's side must be pinned. In the thread that entered. */
bool device_read(struct device *device, enum device_stream stream, void *to, const void *from, size_t bytes);
bool device_write(struct device *device, void *to, const void *from, size_t bytes);

/* Of `lines` lines of 128 bytes, aligned alike, the first 64 bytes of each. */
bool device_write_halves(struct device *device, void *to, const void *from, size_t lines);

/* Marks the stream's end so far, and asks whether it got there. Marks are 0 to MARKS - 1, reused when reached. */
bool device_mark(struct device *device, enum device_stream stream, unsigned mark);
bool device_reached(struct device *device, enum device_stream stream, unsigned mark);

/* Waits for the end of all copies. In the thread that entered. */
void device_settle(struct device *device);

/* Gives everything back, once settled. In the thread that entered. */
void device_close(struct device *device);

#endif
