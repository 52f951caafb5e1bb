/* Objects are closed in any order, and memory stays as long as something uses it. */
#include <time.h>
#include <unistd.h>

#include "check.h"

static volatile int released;

static void release(void *user) {
  free(user);
  __sync_fetch_and_add(&released, 1);
}

/* released_soon waits until the library has released n memories. */
static int released_soon(int n) {
  for (int i = 0; i < 5000 && released < n; i++) {
    usleep(1000);
  }
  return released == n;
}

/* views checks that results stay readable after the end of their producer and their device. */
static void views(void) {
  tg_handle device = opened("cpu"), tracks = made(device, "tracks", "{\"num_envs\": 8}"), other;
  tg_array center = found(tracks, "center"), again = found(tracks, "center"), valid = found(tracks, "valid");
  const float *points = center.data;
  float first;
  uint32_t word;

  TRUE(center.data == again.data && center.handle != again.handle);
  TRUE(center.rank == 3 && center.shape[0] == 8 && center.shape[2] == 3 && center.shape[3] == 1);
  TRUE(center.strides[2] == 1 && center.strides[1] == 3 && center.strides[0] == 3 * center.shape[1]);
  TRUE(center.type == TG_FLOAT32 && center.device_type == 1 && center.read_only == 1);
  TRUE(center.bytes == 4 * 8 * center.shape[1] * 3 && strcmp(center.name, "center") == 0);
  TRUE(strcmp(center.unit, "length") == 0 && strcmp(center.doc, "centreline") == 0);
  TRUE(valid.type == TG_INT32 && valid.rank == 1);
  OK(tg_close(again.handle));
  OK(tg_generate(tracks, 0));
  first = points[0];
  TRUE(first == first && first != 0);
  WANT(TG_INVALID, tg_array_write(valid.handle, &word, 32, 0));
  TELLS("the library alone writes results");
  OK(tg_close(tracks));
  WANT(TG_CLOSED, tg_generate(tracks, 0));
  other = made(device, "tracks", "{\"num_envs\": 8}"); /* takes memory that is free */
  OK(tg_generate(other, 0));
  TRUE(points[0] == first);
  WANT(TG_FAILED, tg_close(device));
  TELLS("objects of it are still open, and can only be closed now: tracks (handle");
  WANT(TG_CLOSED, tg_generate(other, 0));
  WANT(TG_CLOSED, tg_array_read(center.handle, &word, 4, 0));
  TRUE(points[0] == first && points[center.bytes / 4 - 1] == points[center.bytes / 4 - 1]);
  OK(tg_close(other));
  OK(tg_close(center.handle));
  OK(tg_close(valid.handle));
}

/* owners checks that wrapped memory is released once, when nothing uses it any more. */
static void owners(void) {
  tg_handle device = opened("cpu"), race = made(device, "race", SMALL_RACE), graph;
  int64_t shape[3] = {4, 1, 2}, envs[1] = {4};
  float *actions = calloc(8, sizeof *actions);
  int32_t *mask = calloc(4, sizeof *mask);
  tg_array a = {.size = sizeof a}, m = {.size = sizeof m};

  OK(tg_wrap(device, actions, TG_FLOAT32, 3, shape, release, actions, &a));
  OK(tg_wrap(device, mask, TG_INT32, 1, envs, release, mask, &m));
  TRUE(a.data == actions && a.read_only == 0 && m.data == mask);
  OK(tg_bind(race, "actions", a.handle));
  OK(tg_close(a.handle));
  for (int i = 0; i < 50; i++) { /* the vehicles drive with what is in the memory of the caller */
    actions[1] = 1;
    OK(tg_step(race, 0));
  }
  tg_array speed = found(race, "state.speed");
  TRUE(((float *)speed.data)[0] > 1 && ((float *)speed.data)[1] < 0.5f);
  mask[0] = 1;
  OK(tg_reset(race, m.handle, 0));
  TRUE(((float *)speed.data)[0] < 1);
  TRUE(released == 0);
  OK(tg_graph_new(&graph));
  OK(tg_retain(graph, m.handle));
  OK(tg_retain(graph, m.handle));
  OK(tg_close(m.handle));
  OK(tg_close(race));
  TRUE(released_soon(1)); /* the actions */
  OK(tg_close(graph));
  TRUE(released_soon(2));
  WANT(TG_CLOSED, tg_retain(graph, speed.handle));
  OK(tg_close(speed.handle));
  OK(tg_close(device));
}

/* any_order closes the same objects in many orders. */
static void any_order(void) {
  unsigned state = 1;
  for (int round = 0; round < 20; round++) {
    tg_handle list[6], device = opened("cpu"), race = made(device, "race", SMALL_RACE), driver = 0, context = 0;
    OK(tg_driver_new(race, 0.5, 0, &driver));
    OK(tg_context_new(device, NULL, &context));
    list[0] = device, list[1] = race, list[2] = driver, list[3] = context;
    list[4] = found(driver, "actions").handle;
    list[5] = found(race, "outcomes.reward").handle;
    OK(tg_bind(race, "actions", list[4]));
    OK(tg_driver_update(driver, context));
    OK(tg_step(race, context));
    for (int left = 6; left > 0; left--) {
      state = state * 1103515245u + 12345u;
      int i = (int)(state >> 16) % left;
      int status = tg_close(list[i]);
      TRUE(status == TG_OK || (status == TG_FAILED && list[i] == device));
      list[i] = list[left - 1];
    }
  }
}

int main(void) {
  views();
  owners();
  any_order();
  return mistakes != 0;
}
