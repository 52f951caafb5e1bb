/* Threads work side by side on different producers. On one, all but one are told so. */
#include <pthread.h>

#include "check.h"

static tg_handle device, shared;

/* Vehicles that stand still may do so for ever. */
#define ENDLESS_RACE                                                                                                     \
  "{\"tracks\": {\"num_envs\": 4, \"scale\": 10, \"road\": {\"half_width\": 1}}, \"ends\": {\"stuck_time\": 0}}"

/* own works with producers of its own. */
static void *own(void *number) {
  char config[64];
  int32_t seed = (int32_t)(intptr_t)number;
  tg_new_options options = {.size = sizeof options, .seed = seed};
  snprintf(config, sizeof config, "{\"num_envs\": %d}", 4 + seed % 3);
  for (int round = 0; round < 3; round++) {
    tg_handle tracks = 0;
    OK(tg_new(device, "tracks", config, &options, 0, &tracks));
    OK(tg_generate(tracks, 0));
    tg_array seeds = found(tracks, "seed"), valid = found(tracks, "valid");
    TRUE(((int32_t *)seeds.data)[1] == seed + 1);
    TRUE(((int32_t *)valid.data)[0] == 0 || ((int32_t *)valid.data)[0] == 1);
    WANT(TG_INVALID, tg_result_at(tracks, -1 - seed, &seeds));
    snprintf(config, sizeof config, "index is %d", -1 - seed); /* the error is that of this thread */
    TELLS(config);
    snprintf(config, sizeof config, "{\"num_envs\": %d}", 4 + seed % 3);
    OK(tg_close(seeds.handle));
    OK(tg_close(valid.handle));
    OK(tg_close(tracks));
  }
  return NULL;
}

/* same works with the producer of all threads. It counts the calls that worked. */
static void *same(void *unused) {
  intptr_t worked = 0;
  (void)unused;
  for (int i = 0; i < 200; i++) {
    int status = tg_step(shared, 0);
    TRUE(status == TG_OK || status == TG_CONCURRENT);
    worked += status == TG_OK;
  }
  return (void *)worked;
}

int main(void) {
  enum { THREADS = 16 };
  pthread_t threads[THREADS];
  void *worked;
  intptr_t all = 0;

  device = opened("cpu");
  for (intptr_t i = 0; i < THREADS; i++) {
    pthread_create(&threads[i], NULL, own, (void *)(i * 100));
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
  }
  shared = made(device, "race", ENDLESS_RACE);
  tg_array actions = array(device, TG_FLOAT32, 8);
  OK(tg_bind(shared, "actions", actions.handle));
  for (int i = 0; i < 4; i++) {
    pthread_create(&threads[i], NULL, same, NULL);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], &worked);
    all += (intptr_t)worked;
  }
  tg_array length = found(shared, "outcomes.length");
  TRUE(((int32_t *)length.data)[0] == all); /* each call made a whole step, or none */
  OK(tg_close(length.handle));
  OK(tg_close(actions.handle));
  OK(tg_close(shared));
  OK(tg_close(device));
  return mistakes != 0;
}
