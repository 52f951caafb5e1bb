/* A library such as PyTorch captures a training step on its own stream, and calls this library inside. It allocates during the
 * capture, forks a side stream, and masks the envs that get new tracks by memory of its own. Replays with other masks have the
 * bits of eager runs on the CPU. Usage: capture VERSION SEED, of the emulated driver. */
#include <pthread.h>
#include <unistd.h>

#include "driver.h"

enum { ENVS = 6, REPLAYS = 9, MAX_RESULTS = 40 };

#define CONFIG "{\"num_envs\": 6, \"candidates\": 2}"

static CUcontext primary;
static CUstream stream, side;
static CUevent forked, joined;
static int released;

/* until_released waits until the library has released n memories. Something is closed meanwhile: the library learns at such
 * a call that a graph of the driver is gone. */
static int until_released(tg_handle device, int n) {
  for (int i = 0; i < 5000 && __sync_fetch_and_add(&released, 0) < n; i++) {
    OK(tg_close(array(device, TG_INT32, 1).handle));
    usleep(1000);
  }
  return __sync_fetch_and_add(&released, 0) == n;
}

/* allocate allocates device memory, also during a capture: with the capture mode of the thread relaxed. */
static CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr address;
  int mode = RELAXED;
  CU(cuThreadExchangeStreamCaptureMode(&mode));
  CU(cuMemAlloc(&address, bytes));
  CU(cuThreadExchangeStreamCaptureMode(&mode));
  return address;
}

static int capturing(void) {
  int status;
  CU(cuStreamIsCapturing(stream, &status));
  return status == CAPTURE_ACTIVE;
}

/* conditionals counts the conditional nodes of a graph. */
static int conditionals(CUgraph graph) {
  CUgraphNode nodes[4096];
  size_t count = 4096;
  int found = 0, type;
  CU(cuGraphGetNodes(graph, nodes, &count));
  for (size_t i = 0; i < count; i++) {
    CU(cuGraphNodeGetType(nodes[i], &type));
    found += type == NODE_CONDITIONAL;
  }
  return found;
}

/* results are all results of a producer, which stay readable after it is closed. */
typedef struct {
  int32_t count;
  tg_array list[MAX_RESULTS];
} results;

static results results_of(tg_handle producer) {
  results all;
  memset(&all, 0, sizeof all);
  OK(tg_result_count(producer, &all.count));
  TRUE(all.count > 5 && all.count <= MAX_RESULTS);
  for (int i = 0; i < all.count; i++) {
    all.list[i].size = sizeof(tg_array);
    OK(tg_result_at(producer, i, &all.list[i]));
  }
  return all;
}

static void close_results(results *all) {
  for (int i = 0; i < all->count; i++) {
    OK(tg_close(all->list[i].handle));
  }
}

/* same compares the bits of all results of two producers. */
static void same(results *got, tg_handle context, results *expected, const char *when) {
  TRUE(got->count == expected->count);
  for (int i = 0; i < expected->count; i++) {
    int64_t bytes = expected->list[i].bytes;
    char *a = malloc(bytes), *b = malloc(bytes);
    TRUE(got->list[i].bytes == bytes);
    OK(tg_array_read(got->list[i].handle, a, bytes, context));
    OK(tg_array_read(expected->list[i].handle, b, bytes, 0));
    if (memcmp(a, b, bytes) != 0) {
      printf("%s: %s has other bits\n", when, expected->list[i].name);
      mistakes++;
    }
    free(a);
    free(b);
  }
}

static void *close_array(void *handle) {
  OK(tg_close(*(tg_handle *)handle));
  return NULL;
}

/* close_elsewhere closes an array on another thread, as a garbage collector does with a view. */
static void close_elsewhere(tg_handle handle) {
  pthread_t thread;
  pthread_create(&thread, NULL, close_array, &handle);
  pthread_join(thread, NULL);
}

/* step is what a test captures, and what belongs to it. */
typedef struct {
  int mode, conditional, retain; /* retain: the graph of the library keeps the mask too */
  tg_handle device, context, tracks, graph, view, last; /* view and last are closed in the capture */
  CUdeviceptr mask, scratch, seen; /* seen: a copy of "center" that the graph makes */
  tg_array center;
  CUgraph captured;
  CUgraphExec exec;
} step;

/* release frees the mask, on a thread of the library. */
static void release(void *user) {
  step *s = user;
  CU(cuCtxSetCurrent(primary));
  CU(cuMemFree(s->mask));
  CU(cuCtxSetCurrent(NULL));
  __sync_fetch_and_add(&released, 1);
}

/* record records the step of the library into the capture. */
static void record(step *s) {
  const tg_context_options options = {.size = sizeof options, .has_stream = 1, .stream = (uint64_t)(uintptr_t)stream,
                                      .capturing = 1, .conditional = -1, .host_poll = -1};
  tg_handle inside, registered, unused = 0;
  int64_t shape = ENVS;
  int32_t is, word;
  tg_array mask = {.size = sizeof mask};

  OK(tg_context_new(s->device, &options, &inside));
  OK(tg_is_capturing(s->device, inside, &is));
  TRUE(is == 1);
  uint64_t where = 0;
  OK(tg_stream(s->device, inside, &where));
  TRUE(where == options.stream);
  OK(tg_register(inside, s->graph, s->mode, s->conditional, &registered));
  OK(tg_wrap(s->device, (void *)(uintptr_t)s->mask, TG_INT32, 1, &shape, release, s, &mask));
  TRUE(mask.data == (void *)(uintptr_t)s->mask && mask.device_type == 2);
  WANT(TG_CAPTURE, tg_array_read(mask.handle, &word, sizeof word * ENVS, registered));
  if (s->mode == GLOBAL) { /* allocating would break the capture */
    WANT(TG_CAPTURE, tg_new(s->device, "tracks", CONFIG, NULL, registered, &unused));
  }
  OK(tg_regenerate(s->tracks, mask.handle, 0, registered));
  close_elsewhere(s->view);
  close_elsewhere(s->last);
  if (s->retain) {
    OK(tg_retain(s->graph, mask.handle));
  }
  OK(tg_registration_end(registered));
  OK(tg_close(registered));
  OK(tg_close(inside));
  OK(tg_close(mask.handle));
}

/* capture captures the step: work of the caller, a fork, work of the library, and a copy of what it makes. */
static void capture(step *s) {
  instantiate_params parameters = {0};
  CU(cuStreamBeginCapture(stream, s->mode));
  s->scratch = allocate(256);
  s->seen = allocate(s->center.bytes);
  CU(cuMemsetD32Async(s->scratch, 1, 32, stream));
  CU(cuEventRecord(forked, stream));
  CU(cuStreamWaitEvent(side, forked, 0));
  CU(cuMemsetD32Async(s->scratch + 128, 2, 32, side));
  record(s);
  TRUE(capturing());
  CU(cuEventRecord(joined, side));
  CU(cuStreamWaitEvent(stream, joined, 0));
  CU(cuMemcpyDtoDAsync(s->seen, (CUdeviceptr)(uintptr_t)s->center.data, s->center.bytes, stream));
  CU(cuStreamEndCapture(stream, &s->captured));
  CU(cuGraphInstantiateWithParams(&s->exec, s->captured, &parameters));
}

/* replay replays the graph with changing masks, and compares all results with those of a CPU. */
static void replay(step *s, results *got, tg_handle cpu, tg_handle eager) {
  int32_t *mask, zero[ENVS] = {0};
  int64_t shape = ENVS;
  char when[80], *seen, *center = malloc(s->center.bytes);
  tg_array masked = {.size = sizeof masked};
  results expected = results_of(eager);
  tg_array centre = found(eager, "center");

  CU(cuMemHostAlloc((void **)&mask, sizeof(int32_t) * ENVS, 0));
  CU(cuMemHostAlloc((void **)&seen, s->center.bytes, 0));
  OK(tg_wrap(cpu, mask, TG_INT32, 1, &shape, NULL, NULL, &masked));
  for (int round = 0; round < REPLAYS; round++) {
    for (int e = 0; e < ENVS; e++) {
      mask[e] = round % 3 == 0 ? 0 : round % 3 == 1 ? (e * 7 + round) % 2 : 1;
    }
    CU(cuMemcpyHtoDAsync(s->mask, mask, sizeof zero, stream));
    CU(cuGraphLaunch(s->exec, stream));
    CU(cuMemcpyDtoHAsync(seen, s->seen, s->center.bytes, stream));
    CU(cuStreamSynchronize(stream));
    OK(tg_regenerate(eager, masked.handle, 0, 0));
    sprintf(when, "mode %d, conditional %d, replay %d", s->mode, s->conditional, round);
    same(got, s->context, &expected, when);
    OK(tg_array_read(centre.handle, center, s->center.bytes, 0));
    TRUE(memcmp(seen, center, s->center.bytes) == 0);
    TRUE(released == 0);
  }
  OK(tg_close(masked.handle));
  OK(tg_close(centre.handle));
  close_results(&expected);
  free(center);
  CU(cuMemFreeHost(mask));
  CU(cuMemFreeHost(seen));
}

/* refusals checks that memory of the wrong kind is refused. */
static void refusals(step *s) {
  void *pinned;
  int64_t shape = ENVS, many = 1 << 20;
  tg_array a = {.size = sizeof a};
  CU(cuMemHostAlloc(&pinned, 256, 0));
  WANT(TG_INVALID, tg_wrap(s->device, pinned, TG_INT32, 1, &shape, release, s, &a));
  TELLS("pinned host memory");
  CU(cuMemFreeHost(pinned));
  WANT(TG_INVALID, tg_wrap(s->device, (void *)(uintptr_t)(s->mask + 2), TG_INT32, 1, &shape, release, s, &a));
  TELLS("a multiple of 4");
  WANT(TG_INVALID, tg_wrap(s->device, (void *)(uintptr_t)s->mask, TG_INT32, 1, &many, release, s, &a));
  TELLS("up to the end of its allocation");
  WANT(TG_INVALID, tg_wrap(s->device, &shape, TG_INT32, 1, &shape, release, s, &a));
  TELLS("no memory that the driver knows");
  TRUE(released == 0);
}

static int probes;

static void release_probe(void *user) {
  (void)user;
  __sync_fetch_and_add(&probes, 1);
}

/* kept tells that the mask is not released. Owners are told one after the other, so that of other memory is told first. */
static int kept(step *s) {
  int64_t shape = 1;
  tg_array probe = {.size = sizeof probe};
  int before = __sync_fetch_and_add(&probes, 0);
  OK(tg_wrap(s->device, (void *)(uintptr_t)s->scratch, TG_INT32, 1, &shape, release_probe, NULL, &probe));
  OK(tg_close(array(s->device, TG_INT32, 1).handle)); /* at which the library learns that the graph is gone */
  OK(tg_close(probe.handle));
  for (int i = 0; i < 5000 && __sync_fetch_and_add(&probes, 0) == before; i++) {
    usleep(1000);
  }
  TRUE(probes == before + 1);
  return __sync_fetch_and_add(&released, 0) == 0;
}

/* in_mode runs the life of a capture in a mode, with or without conditionals. */
static void in_mode(int version, int mode, int conditional) {
  tg_handle cpu = opened("cpu"), eager = made(cpu, "tracks", CONFIG);
  step s = {.mode = mode, .conditional = conditional, .retain = (mode + conditional) % 2};
  tg_context_options options = {.size = sizeof options, .has_stream = 1, .conditional = -1, .host_poll = -1};
  results got;
  tg_handle outside;

  released = 0;
  s.device = opened("cuda:0");
  options.stream = (uint64_t)(uintptr_t)stream;
  OK(tg_context_new(s.device, &options, &s.context));
  s.tracks = made(s.device, "tracks", CONFIG);
  s.center = found(s.tracks, "center");
  s.mask = allocate(sizeof(int32_t) * ENVS);
  got = results_of(s.tracks);
  refusals(&s);
  s.view = found(s.tracks, "length").handle;
  s.last = array(s.device, TG_INT32, 1000).handle;
  OK(tg_graph_new(&s.graph));
  WANT(TG_CAPTURE, tg_register(s.context, s.graph, mode, conditional, &outside));
  WANT(TG_INVALID, tg_register(s.context, s.graph, 3, conditional, &outside));
  OK(tg_generate(s.tracks, s.context));
  OK(tg_generate(eager, 0));
  capture(&s);
  TRUE((conditionals(s.captured) > 0) == (conditional && version >= 12040));
  OK(tg_close(s.tracks)); /* the graph keeps what was recorded */
  replay(&s, &got, cpu, eager);
  TRUE(released == 0);
  CU(cuGraphExecDestroy(s.exec));
  CU(cuGraphDestroy(s.captured));
  TRUE(s.retain || until_released(s.device, 1));
  TRUE(!s.retain || kept(&s));
  OK(tg_close(s.graph));
  TRUE(until_released(s.device, 1));
  CU(cuMemFree(s.scratch));
  CU(cuMemFree(s.seen));
  OK(tg_close(s.center.handle));
  close_results(&got);
  OK(tg_close(s.context));
  OK(tg_release_streams(s.device));
  OK(tg_close(s.device));
  OK(tg_close(eager));
  OK(tg_close(cpu));
}

int main(int count, char **arguments) {
  void *driver = load();
  int version = count > 1 ? atoi(arguments[1]) : 0;
  emulate(driver, version, count > 2 ? strtoull(arguments[2], NULL, 10) : 1);
  CU(cuInit(0));
  CU(cuDriverGetVersion(&version));
  CU(cuDevicePrimaryCtxRetain(&primary, 0));
  CU(cuCtxSetCurrent(primary));
  CU(cuStreamCreate(&stream, NON_BLOCKING));
  CU(cuStreamCreate(&side, NON_BLOCKING));
  CU(cuEventCreate(&forked, NO_TIMING));
  CU(cuEventCreate(&joined, NO_TIMING));
  for (int mode = GLOBAL; mode <= RELAXED; mode++) {
    for (int conditional = 0; conditional <= 1; conditional++) {
      in_mode(version, mode, conditional);
    }
  }
  CU(cuEventDestroy(forked));
  CU(cuEventDestroy(joined));
  CU(cuStreamDestroy(stream));
  CU(cuStreamDestroy(side));
  CU(cuCtxSetCurrent(NULL));
  CU(cuDevicePrimaryCtxRelease(0));
  clean(driver);
  return mistakes != 0;
}
