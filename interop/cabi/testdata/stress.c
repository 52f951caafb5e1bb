/* Threads call functions with handles of each other in any order. Nothing crashes, and no call is a defect. */
#include <pthread.h>

#include "check.h"

enum { THREADS = 4, SLOTS = 24, CALLS = 2000 };

static _Atomic tg_handle slots[SLOTS];

typedef struct chance {
  uint32_t state;
} chance;

static uint32_t draw(chance *c, uint32_t n) {
  c->state = c->state * 1664525u + 1013904223u;
  return (c->state >> 8) % n;
}

/* any returns the handle of an object of some thread, or a number. */
static tg_handle any(chance *c) { return draw(c, 20) == 0 ? draw(c, 1000) : slots[draw(c, SLOTS)]; }

static tg_handle devices[2];

/* on returns a device, nearly always one that stays open. */
static tg_handle on(chance *c) { return draw(c, 10) == 0 ? any(c) : devices[draw(c, 2)]; }

/* put keeps a handle for all threads and closes the one in its place. */
static void put(chance *c, int status, tg_handle h) {
  if (status == TG_OK) {
    tg_close(__atomic_exchange_n(&slots[draw(c, SLOTS)], h, __ATOMIC_SEQ_CST));
  }
}

/* one makes one call. */
static int one(chance *c) {
  static const char *const kinds[] = {"tracks", "gates", "course", "race", "race"};
  static const char *const configs[] = {"{\"num_envs\": 2}", "{\"num_envs\": 2}",
                                        "{\"tracks\": {\"num_envs\": 2}, \"checkpoints\": {\"spacing\": 0.5}}", SMALL_RACE, SMALL_RACE};
  tg_handle h = 0;
  tg_array a = {.size = sizeof a};
  int64_t shape[1] = {(int64_t[]){2, 4, 8, 8}[draw(c, 4)]};
  uint32_t k, memory[8] = {1, 0, 1};
  int status;
  char *text;

  k = draw(c, 22);
  if ((k == 0 || k == 7) && draw(c, 40) > 0) {
    k = 13; /* steps instead of most devices and graphs, which would take the place of all else */
  }
  switch (k) {
  case 0: status = tg_open_with("cpu", "{\"workers\": 2}", &h); put(c, status, h); return status;
  case 1: case 2:
    k = draw(c, 5);
    status = tg_new(on(c), kinds[k], configs[k], NULL, 0, &h);
    put(c, status, h);
    return status;
  case 3: case 4: status = tg_array_new(on(c), (int32_t)draw(c, 2), 1, shape, &a); put(c, status, a.handle); return status;
  case 5: status = tg_context_new(on(c), NULL, &h); put(c, status, h); return status;
  case 6: status = tg_driver_new(any(c), 0.5, 0, &h); put(c, status, h); return status;
  case 7: status = tg_graph_new(&h); put(c, status, h); return status;
  case 8: status = tg_result_at(any(c), (int32_t)draw(c, 30), &a); put(c, status, a.handle); return status;
  case 9: return tg_generate(any(c), draw(c, 2) ? 0 : any(c));
  case 10: return tg_regenerate(any(c), draw(c, 2) ? 0 : any(c), (int32_t)draw(c, 2), 0);
  case 11: return tg_reset(any(c), draw(c, 2) ? any(c) : 0, 0);
  case 12: return tg_bind(any(c), draw(c, 2) ? "actions" : "position", any(c));
  case 13: return tg_step(any(c), draw(c, 8) ? 0 : any(c));
  case 14: return tg_step_actions(any(c), any(c), 0);
  case 15: return tg_array_read(any(c), memory, 4 * shape[0], 0);
  case 16: return tg_array_write(any(c), memory, 4 * shape[0], draw(c, 2) ? any(c) : 0);
  case 17: return tg_retain(any(c), any(c));
  case 18: return tg_driver_update(any(c), 0);
  case 19: return draw(c, 8) == 0 ? tg_cancel(any(c)) : tg_synchronize(on(c), any(c));
  case 20:
    status = tg_config(any(c), &text);
    if (status == TG_OK) tg_free(text);
    return status;
  default: return draw(c, 4) ? TG_OK : tg_close(any(c));
  }
}

static void *work(void *number) {
  chance c = {(uint32_t)(intptr_t)number * 7919 + 1};
  int32_t counts[TG_UNAVAILABLE + 1] = {0};
  for (int i = 0; i < CALLS; i++) {
    int status = one(&c);
    TRUE(status >= TG_OK && status <= TG_UNAVAILABLE);
    if (status == TG_INTERNAL) {
      WANT(TG_OK, status);
    }
    counts[status]++;
  }
  TRUE(counts[TG_OK] > CALLS / 20);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < SLOTS; i++) {
    slots[i] = i % 12 == 0 ? opened("cpu") : 0;
  }
  devices[0] = opened("cpu"), devices[1] = opened("cpu");
  for (intptr_t i = 0; i < THREADS; i++) {
    pthread_create(&threads[i], NULL, work, (void *)i);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
  }
  return mistakes != 0;
}
