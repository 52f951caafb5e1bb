/* TrackGen as a C library: batches of race tracks and gate courses, courses that follow agents along them, and races, on
 * the device that holds them. docs/c.md is a guide.
 *
 * Calls return TG_OK or a tg_status. After another status than TG_OK, tg_last_error tells in the same thread what was
 * wrong, and the results of the call are unchanged. NULL for a pointer is TG_INVALID, except where it is said to be allowed.
 *
 * Objects are named by handles. Several threads may call the library at once. If two threads use one producer or driver
 * at once, one of them gets TG_CONCURRENT and does nothing. The memory of strings that are returned as char ** is released
 * by tg_free.
 *
 * A process that was forked after it had loaded the library cannot use it: all functions return TG_FORKED there, except
 * those without a status. Start such processes with exec (in Python: the start method "spawn").
 */
#ifndef TRACKGEN_H
#define TRACKGEN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface. The minor version grows with each function or option that is added, the major version with
 * each change that breaks callers. */
#define TRACKGEN_ABI_MAJOR 1
#define TRACKGEN_ABI_MINOR 0

/* Version of the library to which this header belongs. */
#define TRACKGEN_VERSION "0.1.0"

/* tg_handle names an object of the library; 0 names none. Numbers are never used again: a handle that was closed is
 * TG_CLOSED, and one of another kind, or one that no call returned, is TG_INVALID. */
typedef uint64_t tg_handle;

typedef enum tg_status {
  TG_OK = 0,
  TG_INVALID = 1,         /* an argument is wrong */
  TG_CONFIG = 2,          /* a field of a configuration is wrong */
  TG_CAPTURE = 3,         /* the state of a capture forbids the call */
  TG_CLOSED = 4,          /* the object, its device or its graph was closed */
  TG_UNSUPPORTED = 5,     /* the device or the kind of object cannot do it */
  TG_OUT_OF_MEMORY = 6,   /* the device has too little memory */
  TG_DEVICE_LOST = 7,     /* the device no longer responds; only tg_close works */
  TG_DEVICE_MISMATCH = 8, /* two objects are on different devices */
  TG_CONCURRENT = 9,      /* another thread is using the object */
  TG_CANCELED = 10,       /* tg_cancel ended the call */
  TG_VIOLATION = 11,      /* a guard refused the call */
  TG_FORKED = 12,         /* this process was forked after the library was loaded */
  TG_INTERNAL = 13,       /* a defect of the library; the message says where */
  TG_FAILED = 14,         /* another error, such as of a driver or a file */
  TG_UNAVAILABLE = 15     /* the driver or the device is missing on this machine */
} tg_status;

/* ---- library ---- */

/* tg_check_abi returns TG_OK if the library has the interface of a caller that was compiled with a header of the version
 * major.minor (TRACKGEN_ABI_MAJOR and _MINOR), else TG_UNSUPPORTED. */
int32_t tg_check_abi(uint32_t major, uint32_t minor);

/* tg_version returns the version of the library, such as "0.1.0". The text is static. */
const char *tg_version(void);

/* tg_last_error returns what was wrong in the last call of this thread that failed, or "". The text is valid until the
 * next call of this thread that fails. It is never NULL. */
const char *tg_last_error(void);

/* tg_last_error_details returns the same as a JSON object: "status" and "message", and where they are known "operation",
 * "argument" or "field", "value" and "allowed"; "type" of errors of captures: NotCapturableError, LegacyPluginStreamError or
 * NotPreparedError; and "category" of violations. It is as valid as tg_last_error. */
const char *tg_last_error_details(void);

/* tg_free releases a text that a call has returned. NULL is allowed. */
void tg_free(void *text);

/* tg_take_warning returns the oldest warning that was not taken, as {"type": "RebindAfterCaptureWarning", "text": "..."},
 * and forgets it; "" if there is none. At most 64 are kept; further ones replace the oldest. */
int32_t tg_take_warning(char **json);

/* ---- devices ---- */

/* tg_devices lists the backends of this machine with their devices as JSON: [{"backend": "cpu", "devices": [{"name": "cpu",
 * "description", "driver", "workers", "memory_bytes", "software"}], "unavailable": why there are none, or ""}]. */
int32_t tg_devices(char **json);

/* tg_open opens a device: "cpu", "cuda:0", "vulkan:0", or "auto" for the best one. The caller closes it after everything
 * that was made on it. */
int32_t tg_open(const char *name, tg_handle *device);

/* tg_open_with is tg_open with options, a JSON object: "workers", threads of a CPU device; "memory_limit" in bytes; "debug",
 * for slow checks of each launch; "instrumented", for guards (tg_guard_new). NULL is allowed. */
int32_t tg_open_with(const char *name, const char *options, tg_handle *device);

/* tg_device_info describes a device as JSON: "name", "backend", "description", "driver", "workers", "memory_bytes",
 * "software", "capabilities", and its DLPack device: "dl_device_type" and "dl_device_id". */
int32_t tg_device_info(tg_handle device, char **json);

/* tg_close closes an object of any kind; 0 does nothing. An array keeps its memory until it is closed itself. Closing a device
 * before the producers that were made on it returns TG_FAILED with a list of them; they can only be closed then. */
int32_t tg_close(tg_handle object);

/* ---- contexts ---- */

/* tg_context_options say how calls with a context run. Zero bytes, with size set, stand for the default stream of the
 * device; set conditional and host_poll to -1 for what the parent, or the library, does by default. */
typedef struct tg_context_options {
  uint32_t size;       /* sizeof(tg_context_options) */
  int32_t has_stream;  /* 1: stream is the native handle of a stream of another library */
  uint64_t stream;     /* cudaStream_t; 0 is the legacy default stream */
  int32_t capturing;   /* 1: that library is capturing the stream in this thread */
  int32_t conditional; /* captures record device conditionals: 0 never, 1 also on streams of other libraries, -1 default */
  int32_t host_poll;   /* eager loops may read their flag on the host: 0 no, 1 yes, -1 default */
  int32_t reserved;    /* 0 */
  tg_handle guard;     /* of tg_guard_new: calls with the context run under it; 0: none */
  tg_handle parent;    /* context whose settings hold where this one names none; 0: none */
} tg_context_options;

/* tg_context_new makes a context. It is meant to be used for many calls. Calls take 0 for a default context, which cannot be
 * cancelled. NULL for options is allowed. */
int32_t tg_context_new(tg_handle device, const tg_context_options *options, tg_handle *context);

/* tg_cancel ends the calls that run with the context, and all later ones, with TG_CANCELED, at the next place where they
 * can stop. Any thread may call it. Contexts whose parent it is end too. */
int32_t tg_cancel(tg_handle context);

/* tg_is_capturing tells whether the stream of the context is being captured, by this library or another one. */
int32_t tg_is_capturing(tg_handle device, tg_handle context, int32_t *capturing);

/* tg_synchronize waits until the stream of the context has run everything. */
int32_t tg_synchronize(tg_handle device, tg_handle context);

/* tg_stream returns the native handle of the stream on which calls with the context work and write results: a CUstream, which
 * is a cudaStream_t. It is 0 on devices without native streams (the CPU, Vulkan). */
int32_t tg_stream(tg_handle device, tg_handle context, uint64_t *stream);

/* tg_order makes what another library emits on its stream from now on run after everything that was emitted on the stream of
 * the context, without waiting on the host. TG_CAPTURE if one of them is being captured and the other one is not part of that
 * capture, TG_UNSUPPORTED on devices without streams of other libraries. */
int32_t tg_order(tg_handle device, tg_handle context, uint64_t stream);

/* ---- captures of other libraries ---- */

/* tg_graph_new makes an object that stands for a graph that another library owns. What is retained on it stays until
 * tg_close of the object, which the caller does after it has destroyed the graph. */
int32_t tg_graph_new(tg_handle *graph);

/* tg_retain keeps an array, a producer or a driver as it is until graph is closed, also after tg_close of the owner. */
int32_t tg_retain(tg_handle graph, tg_handle owner);

/* tg_register makes a context for a capture that another library has begun on the stream of context (has_stream). Work with
 * the registered context is recorded into it, and producers that are recorded are kept by graph, unless it is 0. mode is that
 * of the capture: 0 global, 1 thread-local, 2 relaxed. conditional is 1 to permit device conditionals in the graph. Work on
 * the stream is recorded without a registration too; then it has no conditionals. */
int32_t tg_register(tg_handle context, tg_handle graph, int32_t mode, int32_t conditional, tg_handle *registered);

/* tg_registration_end ends a registration, before the other library ends its capture. The context is closed apart. */
int32_t tg_registration_end(tg_handle registered);

/* tg_release_streams forgets the streams of other libraries on a device, of contexts that are no longer used. */
int32_t tg_release_streams(tg_handle device);

/* ---- arrays ---- */

typedef enum tg_type { TG_INT32 = 0, TG_FLOAT32 = 1, TG_UINT32 = 2 } tg_type;

#define TG_MAX_RANK 4

/* tg_array describes an array in device memory. It is contiguous, and its last index runs fastest. */
typedef struct tg_array {
  uint32_t size;       /* sizeof(tg_array), set by the caller before the call */
  int32_t type;        /* tg_type */
  tg_handle handle;    /* names the array. The caller closes it. It keeps the memory after its producer was closed */
  void *data;          /* address of the first element on the device: host memory, or a CUdeviceptr. NULL on Vulkan */
  int32_t device_type; /* of DLPack: 1 CPU, 2 CUDA, 7 Vulkan */
  int32_t device_id;
  int32_t rank;
  int32_t read_only;             /* 1: results, which the library alone writes */
  int64_t shape[TG_MAX_RANK];    /* 1 from rank on */
  int64_t strides[TG_MAX_RANK];  /* in elements of type */
  int64_t bytes;
  const char *name; /* such as "center"; static, as are unit and doc */
  const char *unit; /* "length" (track units) or "none" */
  const char *doc;  /* one line */
} tg_array;

/* tg_array_new makes an array of zeros, which the caller may write: inputs such as masks and actions. rank is 1 to 4. */
int32_t tg_array_new(tg_handle device, int32_t type, int32_t rank, const int64_t *shape, tg_array *array);

/* tg_wrap makes an array in memory of the caller, without a copy. data is an address of the device: host memory, or a
 * CUdeviceptr, aligned to 4 bytes. release(user) is called once, on any thread, when nothing uses the memory any more: the
 * array is closed, and so are producers that it is bound to, and graphs with work on it. It must not block. NULL for release is
 * allowed, for memory that is never released. After an error release is not called. The caller orders its own work on the
 * memory with that of the library: on the same stream, or by waiting. TG_UNSUPPORTED on devices without addresses (Vulkan). */
int32_t tg_wrap(tg_handle device, void *data, int32_t type, int32_t rank, const int64_t *shape,
                void (*release)(void *user), void *user, tg_array *array);

/* tg_array_read copies all elements to host memory, on the stream of context, and waits. bytes is the size of the array. */
int32_t tg_array_read(tg_handle array, void *to, int64_t bytes, tg_handle context);

/* tg_array_write replaces all elements by those in host memory, on the stream of context, and waits. bytes is the size of
 * the array. Results are read-only: TG_INVALID. */
int32_t tg_array_write(tg_handle array, const void *from, int64_t bytes, tg_handle context);

/* ---- producers ---- */

/* Producers fill arrays, their results. The kinds are
 *   "tracks"  batches of race tracks;
 *   "gates"   batches of gate courses;
 *   "course"  tracks or gates, and what agents on them do: checkpoints passed, laps, contacts;
 *   "race"    a course, with vehicles, observations, rewards and episodes.
 * Names of results are those of the columns of files (docs/results.md). Those of parts have the name of the part before:
 * "center" of tracks is "tracks.center" of a course and a race, beside "events.passed", "places.s", "contacts.distance",
 * and of a race "state.position", "outcomes.reward", "observations.preview", "totals.laps" and others; tg_result_at lists
 * them. The first dimension of a result is the number of envs E. Results of agents and boxes have the shapes [E, A, ...] and
 * [E, B, ...], also for one agent or box in each env. */

/* tg_kinds lists the kinds as JSON: [{"name", "doc", "calls": names of the functions that it has, "inputs": of tg_bind}]. */
int32_t tg_kinds(char **json);

/* tg_fields lists the settings of a kind as JSON: [{"name", "type": "int", "float", "bool", "string", "range", "int_list" or
 * "string_list" and so on, "default", "derived", "min", "max", "min_open", "max_open", "choices", "unit", "doc", "allowed",
 * "reference"}]. Those of the tracks or gates of a course or race are those of these kinds. */
int32_t tg_fields(const char *kind, char **json);

/* tg_resolve checks a configuration, and returns it with all settings as JSON. */
int32_t tg_resolve(const char *kind, const char *config, char **json);

/* tg_new_options say which batch a producer makes first. */
typedef struct tg_new_options {
  uint32_t size;        /* sizeof(tg_new_options) */
  int32_t seed;         /* env e has the seed seed + e, if seeds is NULL */
  const int32_t *seeds; /* one seed for each env, or NULL */
  int64_t seed_count;   /* number of seeds */
  int32_t epoch;        /* epoch of all envs */
  int32_t reserved;     /* 0 */
} tg_new_options;

/* tg_new makes a producer. config is a JSON object with the settings of configuration files, at most 64 KiB; NULL or ""
 * stands for the defaults. That of a course or race also has "tracks": {...} or "gates": {...}, the settings of the
 * generator. NULL for options is allowed. A course or race makes its first batch; others make one with tg_generate. */
int32_t tg_new(tg_handle device, const char *kind, const char *config, const tg_new_options *options, tg_handle context,
               tg_handle *producer);

/* tg_config returns the configuration of a producer as JSON, with all settings. */
int32_t tg_config(tg_handle producer, char **json);

/* tg_generate makes the batch of the current seeds and epochs. */
int32_t tg_generate(tg_handle producer, tg_handle context);

/* tg_regenerate makes a new batch for the envs whose mask is not 0. mask is an int32 array [E], or 0 for all envs. The epochs
 * of these envs go on by 1 before, unless same_epoch is 1. A race begins new episodes in these envs, as tg_reset. */
int32_t tg_regenerate(tg_handle producer, tg_handle mask, int32_t same_epoch, tg_handle context);

/* tg_reset puts the agents of the envs whose mask is not 0 to the start. A race begins new episodes, on new tracks if
 * autoreset says so. mask is as that of tg_regenerate. */
int32_t tg_reset(tg_handle producer, tg_handle mask, tg_handle context);

/* tg_bind makes an array the input of all later steps: of a course "position" [E, A, 3], "orientation" [E, B, 4],
 * "half_extents" [E, B, 2] and "box_position" [E, B, 3]; of a race "actions" [E, A, C]. The type is float32, and the number
 * of elements counts, not the shape. The producer keeps the memory until another array is bound or it is closed. */
int32_t tg_bind(tg_handle producer, const char *name, tg_handle array);

/* tg_step makes a step of a course or race with the arrays that are bound. */
int32_t tg_step(tg_handle producer, tg_handle context);

/* tg_step_actions makes a step of a race with the actions of the call, float32 [E, A, C]; no others may be bound. */
int32_t tg_step_actions(tg_handle producer, tg_handle actions, tg_handle context);

/* tg_set_seeds replaces the seeds of all envs, one for each, sets their epochs to 0, and waits. A race begins anew. */
int32_t tg_set_seeds(tg_handle producer, const int32_t *seeds, int64_t count, tg_handle context);

/* tg_set_epoch sets the epoch of all envs, and waits. */
int32_t tg_set_epoch(tg_handle producer, int32_t epoch, tg_handle context);

/* tg_result_count returns the number of results of a producer. It never changes. */
int32_t tg_result_count(tg_handle producer, int32_t *count);

/* tg_result_at returns a result by its index. The caller closes result->handle. The memory is the same at each call, and
 * later calls of the producer write it. */
int32_t tg_result_at(tg_handle producer, int32_t index, tg_array *result);

/* tg_result returns a result by its name. */
int32_t tg_result(tg_handle producer, const char *name, tg_array *result);

/* ---- reference drivers of races ---- */

/* tg_driver_new makes the reference driver that fits the vehicles of a race: pure pursuit for cars, flight for drones. part,
 * above 0, is the part of the speed of the profile that it wants. It has the result "actions" [E, A, C] (tg_result), which
 * tg_bind and tg_step_actions take. */
int32_t tg_driver_new(tg_handle race, double part, tg_handle context, tg_handle *driver);

/* tg_driver_update writes the actions for where the vehicles are. */
int32_t tg_driver_update(tg_handle driver, tg_handle context);

/* ---- files and pictures: work of the host, for which the calls wait ---- */

/* tg_save writes the tracks or gate courses of a producer to a file, as trackgen generate --out does. options is a JSON
 * object: "format": "npz", "json", "csv", "png" or "svg", by default the ending of the path; "envs": list of the envs to write,
 * by default all. NULL is allowed. */
int32_t tg_save(tg_handle producer, const char *path, const char *options, tg_handle context);

/* tg_render draws an env from above: the road, or the gates in their order with the first one orange, and the vehicles of a
 * race, with dark fronts. rgb is host memory of bytes = height * width * 3 bytes, [height, width, 3]; both sides have 16 to
 * 4096 pixels. options is a JSON object: "zoom": "track" for all of it, the default, or "agent" for the surroundings of one
 * vehicle; "agent": which one, 0 by default. NULL is allowed. */
int32_t tg_render(tg_handle producer, int32_t env, int32_t width, int32_t height, const char *options, uint8_t *rgb,
                  int64_t bytes, tg_handle context);

/* ---- guards: tests that a training loop does not wait or allocate ---- */

/* tg_open_instrumented is tg_open of a device whose calls guards can see. It is slower. */
int32_t tg_open_instrumented(const char *name, tg_handle *device);

/* tg_guard_new makes a guard, for tg_context_options. Calls with the context run under it, one at a time. watched has a bit
 * for each category: 1 waits and reads of the host (host_sync), 2 allocations, 4 work on another stream, 8 captures inside the
 * call. A strict guard makes the call TG_VIOLATION; else the violations are listed. */
int32_t tg_guard_new(tg_handle device, uint32_t watched, int32_t strict, tg_handle *guard);

/* tg_guard_report returns what a guard has seen in all calls as JSON: {"ok", "violations": [{"category", "api", "site",
 * "detail"}], "sanctioned": the same, for what is allowed, "checks": calls seen by category, "text"}. Each list has at most
 * 1000 entries. */
int32_t tg_guard_report(tg_handle guard, char **json);

#ifdef __cplusplus
}
#endif

#endif
