/* A forked process is refused by every function that works in Go, without waiting. */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void child(tg_handle device, tg_handle race) {
  tg_handle h;
  tg_array a = {.size = sizeof a};
  int64_t shape[1] = {1};
  int32_t n;
  uint8_t rgb[3 * 16 * 16];
  char *text;

  alarm(20); /* a call into Go would wait for ever */
  WANT(TG_FORKED, tg_open("cpu", &h));
  TELLS("was forked after the library was loaded");
  DETAILS("\"status\":12");
  TRUE(strcmp(tg_version(), TRACKGEN_VERSION) == 0);
  OK(tg_check_abi(TRACKGEN_ABI_MAJOR, TRACKGEN_ABI_MINOR));
  WANT(TG_FORKED, tg_take_warning(&text));
  WANT(TG_FORKED, tg_devices(&text));
  WANT(TG_FORKED, tg_open_with("cpu", NULL, &h));
  WANT(TG_FORKED, tg_open_instrumented("cpu", &h));
  WANT(TG_FORKED, tg_device_info(device, &text));
  WANT(TG_FORKED, tg_close(device));
  WANT(TG_FORKED, tg_close(0));
  WANT(TG_FORKED, tg_context_new(device, NULL, &h));
  WANT(TG_FORKED, tg_cancel(1));
  WANT(TG_FORKED, tg_is_capturing(device, 0, &n));
  WANT(TG_FORKED, tg_synchronize(device, 0));
  uint64_t stream = 0;
  WANT(TG_FORKED, tg_stream(device, 0, &stream));
  WANT(TG_FORKED, tg_order(device, 0, 0));
  WANT(TG_FORKED, tg_graph_new(&h));
  WANT(TG_FORKED, tg_retain(1, 1));
  WANT(TG_FORKED, tg_register(1, 0, 0, 0, &h));
  WANT(TG_FORKED, tg_registration_end(1));
  WANT(TG_FORKED, tg_release_streams(device));
  WANT(TG_FORKED, tg_array_new(device, TG_INT32, 1, shape, &a));
  WANT(TG_FORKED, tg_wrap(device, rgb, TG_INT32, 1, shape, NULL, NULL, &a));
  WANT(TG_FORKED, tg_array_read(1, rgb, 4, 0));
  WANT(TG_FORKED, tg_array_write(1, rgb, 4, 0));
  WANT(TG_FORKED, tg_kinds(&text));
  WANT(TG_FORKED, tg_fields("race", &text));
  WANT(TG_FORKED, tg_resolve("race", NULL, &text));
  WANT(TG_FORKED, tg_new(device, "race", NULL, NULL, 0, &h));
  WANT(TG_FORKED, tg_config(race, &text));
  WANT(TG_FORKED, tg_generate(race, 0));
  WANT(TG_FORKED, tg_regenerate(race, 0, 0, 0));
  WANT(TG_FORKED, tg_reset(race, 0, 0));
  WANT(TG_FORKED, tg_bind(race, "actions", 1));
  WANT(TG_FORKED, tg_step(race, 0));
  WANT(TG_FORKED, tg_step_actions(race, 1, 0));
  WANT(TG_FORKED, tg_set_seeds(race, NULL, 0, 0));
  WANT(TG_FORKED, tg_set_epoch(race, 0, 0));
  WANT(TG_FORKED, tg_result_count(race, &n));
  WANT(TG_FORKED, tg_result_at(race, 0, &a));
  WANT(TG_FORKED, tg_result(race, "seed", &a));
  WANT(TG_FORKED, tg_driver_new(race, 1, 0, &h));
  WANT(TG_FORKED, tg_driver_update(race, 0));
  WANT(TG_FORKED, tg_guard_new(device, 1, 0, &h));
  WANT(TG_FORKED, tg_guard_report(1, &text));
  WANT(TG_FORKED, tg_save(race, "/tmp/x.npz", NULL, 0));
  WANT(TG_FORKED, tg_render(race, 0, 16, 16, NULL, rgb, sizeof rgb, 0));
  fflush(stdout);
  _exit(mistakes != 0);
}

int main(void) {
  tg_handle device = opened("cpu"), race = made(device, "race", SMALL_RACE);
  int status;
  pid_t pid;

  fflush(stdout);
  pid = fork();
  if (pid == 0) {
    child(device, race);
  }
  waitpid(pid, &status, 0);
  TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  OK(tg_reset(race, 0, 0)); /* the parent still works */
  OK(tg_close(race));
  OK(tg_close(device));
  return mistakes != 0;
}
