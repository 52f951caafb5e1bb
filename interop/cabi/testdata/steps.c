/* Measures the steps of a race: arguments are the envs and the number of steps. Prints nanoseconds for each. */
#include <time.h>

#include "check.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int count, char **arguments) {
  char config[256];
  long envs = count > 2 ? atol(arguments[1]) : 1, steps = count > 2 ? atol(arguments[2]) : 1;
  tg_handle device = opened("cpu"), race;
  double begin;

  snprintf(config, sizeof config, "{\"tracks\": {\"num_envs\": %ld, \"scale\": 10, \"road\": {\"half_width\": 1}},"
           " \"ends\": {\"stuck_time\": 0}, \"autoreset\": \"restart\"}", envs);
  race = made(device, "race", config);
  tg_array actions = array(device, TG_FLOAT32, 2 * envs);
  OK(tg_step_actions(race, actions.handle, 0));
  OK(tg_step_actions(race, actions.handle, 0));
  begin = now();
  for (long i = 0; i < steps; i++) {
    OK(tg_step_actions(race, actions.handle, 0));
  }
  printf("%.0f\n", (now() - begin) / (double)steps);
  return mistakes != 0;
}
