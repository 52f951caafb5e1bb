/* Another library, such as torch, allocates a mask, captures its own work with a regeneration of ours into a graph of its
 * own, and replays it. Arguments: 1 if the graph may have device conditionals, else 0, and a file for a drawing of it. */
#include <dlfcn.h>
#include <unistd.h>

#include "check.h"

enum { ENVS = 6, STEPS = 6 };

static void *driver, *primary;
static volatile int released;

/* DRIVER calls a function of the driver, as the other library does. */
#define DRIVER(name, ...) want(__FILE__, __LINE__, #name, 0, ((int (*)())(intptr_t)dlsym(driver, #name))(__VA_ARGS__))

static void release(void *user) {
  DRIVER(cuCtxSetCurrent, primary); /* of the thread of the library */
  DRIVER(cuMemFree, *(uint64_t *)user);
  DRIVER(cuCtxSetCurrent, NULL);
  released++;
}

/* other is the other library: streams, events and a mask of its own. */
typedef struct other {
  void *main, *side, *fork, *join, *graph, *executable;
  uint64_t mask;
} other;

/* begin begins a capture and forks it to a second stream. */
static void begin(other *o) {
  DRIVER(cuStreamBeginCapture, o->main, 0);
  DRIVER(cuEventRecord, o->fork, o->main);
  DRIVER(cuStreamWaitEvent, o->side, o->fork, 0);
}

/* end joins the streams, ends the capture and makes the graph ready. */
static void end(other *o, const char *drawing) {
  uint64_t parameters[4] = {0};
  DRIVER(cuEventRecord, o->join, o->side);
  DRIVER(cuStreamWaitEvent, o->main, o->join, 0);
  DRIVER(cuStreamEndCapture, o->main, &o->graph);
  DRIVER(cuGraphDebugDotPrint, o->graph, drawing, 0);
  DRIVER(cuGraphInstantiateWithParams, &o->executable, o->graph, parameters);
}

/* same checks that two producers have the same results. */
static void same(tg_handle one, tg_handle two, const char *name) {
  tg_array a = found(one, name), b = found(two, name);
  void *left = malloc((size_t)a.bytes), *right = malloc((size_t)b.bytes);
  OK(tg_array_read(a.handle, left, a.bytes, 0));
  OK(tg_array_read(b.handle, right, b.bytes, 0));
  TRUE(a.bytes == b.bytes && memcmp(left, right, (size_t)a.bytes) == 0);
  free(left);
  free(right);
  OK(tg_close(a.handle));
  OK(tg_close(b.handle));
}

int main(int count, char **arguments) {
  const char *config = "{\"num_envs\": 6, \"candidates\": 2}";
  int conditional = count > 2 && arguments[1][0] == '1';
  int32_t capturing = -1, *values, word;
  int64_t shape[1] = {ENVS};
  tg_handle gpu, cpu, recorded, eager, context, inside, registered, graph;
  tg_array mask = {.size = sizeof mask}, mask_on_cpu, epoch;
  tg_context_options options = {.size = sizeof options, .has_stream = 1, .conditional = -1, .host_poll = -1};
  other o;

  driver = dlopen(getenv("TRACKGEN_LIBCUDA"), RTLD_NOW);
  DRIVER(cuInit, 0);
  DRIVER(cuDevicePrimaryCtxRetain, &primary, 0);
  DRIVER(cuCtxSetCurrent, primary);
  DRIVER(cuStreamCreate, &o.main, 1);
  DRIVER(cuStreamCreate, &o.side, 1);
  DRIVER(cuEventCreate, &o.fork, 2);
  DRIVER(cuEventCreate, &o.join, 2);
  DRIVER(cuMemHostAlloc, &values, ENVS * sizeof *values, 0);
  DRIVER(cuMemAlloc, &o.mask, ENVS * sizeof *values);

  gpu = opened("cuda:0"), cpu = opened("cpu");
  recorded = made(gpu, "tracks", config), eager = made(cpu, "tracks", config);
  OK(tg_generate(recorded, 0));
  OK(tg_generate(eager, 0));
  same(recorded, eager, "center");
  OK(tg_wrap(gpu, (void *)o.mask, TG_INT32, 1, shape, release, &o.mask, &mask));
  TRUE((uint64_t)mask.data == o.mask && mask.device_type == 2 && mask.device_id == 0);
  mask_on_cpu = array(cpu, TG_INT32, ENVS);

  options.stream = (uint64_t)o.main;
  OK(tg_context_new(gpu, &options, &context));
  OK(tg_is_capturing(gpu, context, &capturing));
  TRUE(capturing == 0);
  OK(tg_graph_new(&graph));
  WANT(TG_CAPTURE, tg_register(context, graph, 0, conditional, &registered));
  WANT(TG_INVALID, tg_register(context, graph, 3, conditional, &registered));

  begin(&o);
  options.capturing = 1, options.parent = context;
  OK(tg_context_new(gpu, &options, &inside));
  OK(tg_is_capturing(gpu, inside, &capturing));
  TRUE(capturing == 1);
  OK(tg_register(inside, graph, 0, conditional, &registered));
  OK(tg_regenerate(recorded, mask.handle, 0, registered));
  WANT(TG_CAPTURE, tg_array_read(mask.handle, values, ENVS * sizeof *values, registered));
  DRIVER(cuMemsetD32Async, o.mask, 0, ENVS, o.main); /* the other library goes on */
  OK(tg_registration_end(registered));
  end(&o, arguments[2]);
  WANT(TG_INVALID, tg_registration_end(inside));
  OK(tg_retain(graph, recorded));
  OK(tg_retain(graph, mask.handle));
  epoch = found(recorded, "epoch");
  OK(tg_close(mask.handle));

  for (int step = 0; step < STEPS; step++) {
    for (int e = 0; e < ENVS; e++) {
      values[e] = step % 3 != 0 && (e == step || e == step * step % ENVS); /* in some steps no env has ended */
    }
    DRIVER(cuMemcpyHtoDAsync, o.mask, values, ENVS * sizeof *values, o.main);
    DRIVER(cuGraphLaunch, o.executable, o.main);
    DRIVER(cuStreamSynchronize, o.main);
    OK(tg_array_write(mask_on_cpu.handle, values, ENVS * sizeof *values, 0));
    OK(tg_regenerate(eager, mask_on_cpu.handle, 0, 0));
    same(recorded, eager, "center");
    same(recorded, eager, "epoch");
  }
  OK(tg_close(recorded)); /* the graph keeps it */
  values[0] = 1;
  DRIVER(cuMemcpyHtoDAsync, o.mask, values, ENVS * sizeof *values, o.main);
  DRIVER(cuGraphLaunch, o.executable, o.main);
  DRIVER(cuStreamSynchronize, o.main);
  word = 0;
  OK(tg_array_read(epoch.handle, values, ENVS * sizeof *values, 0));
  word = values[0];
  TRUE(word > 0 && released == 0);

  DRIVER(cuGraphExecDestroy, o.executable);
  DRIVER(cuGraphDestroy, o.graph);
  OK(tg_close(graph));
  for (int i = 0; i < 5000 && released == 0; i++) {
    usleep(1000);
  }
  TRUE(released == 1);
  OK(tg_close(epoch.handle));
  OK(tg_close(registered));
  OK(tg_close(inside));
  OK(tg_close(context));
  OK(tg_release_streams(gpu));
  DRIVER(cuMemFreeHost, values);
  DRIVER(cuStreamDestroy, o.main);
  DRIVER(cuStreamDestroy, o.side);
  OK(tg_close(mask_on_cpu.handle));
  OK(tg_close(eager));
  OK(tg_close(cpu));
  OK(tg_close(gpu));
  return mistakes != 0;
}
