/* Races with reference drivers, guards, contexts, files and pictures. */
#include "check.h"

static uint8_t picture[3 * 256 * 256];

/* shows reports whether the picture has a pixel of a colour. */
static int shows(int red, int green, int blue) {
  for (size_t i = 0; i < sizeof picture; i += 3) {
    if (picture[i] == red && picture[i + 1] == green && picture[i + 2] == blue) {
      return 1;
    }
  }
  return 0;
}

/* laps drives until each vehicle has laps, and draws and saves what is there. */
static void laps(tg_handle device) {
  tg_handle race = made(device, "race", SMALL_RACE), driver = 0;
  tg_array actions, laps, road;
  uint8_t magic[2];
  FILE *file;

  OK(tg_driver_new(race, 1, 0, &driver));
  actions = found(driver, "actions");
  TRUE(actions.rank == 3 && actions.shape[0] == 4 && actions.shape[1] == 1 && actions.shape[2] == 2);
  OK(tg_bind(race, "actions", actions.handle));
  WANT(TG_INVALID, tg_step_actions(race, actions.handle, 0));
  for (int step = 0; step < 800; step++) {
    OK(tg_driver_update(driver, 0));
    OK(tg_step(race, 0));
  }
  laps = found(race, "totals.laps"), road = found(race, "totals.off_road");
  for (int e = 0; e < 4; e++) {
    TRUE(((int32_t *)laps.data)[e] >= 1 && ((int32_t *)road.data)[e] == 0);
  }
  OK(tg_render(race, 1, 256, 256, NULL, picture, sizeof picture, 0));
  TRUE(picture[0] == 0x3e && picture[1] == 0x6b && picture[2] == 0x4a); /* the ground in the corner */
  TRUE(shows(0x55, 0x59, 0x60) && shows(0xf2, 0x8c, 0x28));
  OK(tg_render(race, 1, 256, 256, "{\"zoom\": \"agent\", \"agent\": 0}", picture, sizeof picture, 0));
  TRUE(shows(0x55, 0x59, 0x60) && shows(0xf2, 0x8c, 0x28) && shows(0x1b, 0x1b, 0x1f));
  OK(tg_save(race, "saved.npz", NULL, 0));
  OK(tg_save(race, "saved.json", "{\"envs\": [2, 0]}", 0));
  OK(tg_save(race, "saved.svg", NULL, 0));
  file = fopen("saved.npz", "rb");
  TRUE(file != NULL && fread(magic, 1, 2, file) == 2 && magic[0] == 'P' && magic[1] == 'K');
  fclose(file);
  OK(tg_close(race)); /* the driver keeps it */
  OK(tg_driver_update(driver, 0));
  OK(tg_close(driver));
  OK(tg_close(actions.handle));
  OK(tg_close(laps.handle));
  OK(tg_close(road.handle));
}

/* follow feeds a course with poses. */
static void follow(tg_handle device) {
  tg_handle course = made(device, "course", "{\"tracks\": {\"num_envs\": 2}, \"checkpoints\": {\"spacing\": 0.5},"
                                            " \"collision\": {\"method\": \"segments\"}}");
  tg_array position = array(device, TG_FLOAT32, 6), turn = array(device, TG_FLOAT32, 8),
           half = array(device, TG_FLOAT32, 4), center = found(course, "tracks.center"), passed = found(course, "events.passed"),
           outside = found(course, "contacts.oob");
  float *at = position.data;
  const float *points = center.data;
  tg_array points_of = found(course, "tracks.count");
  int count = 0, n = ((int32_t *)points_of.data)[0];

  WANT(TG_INVALID, tg_step(course, 0));
  WANT(TG_INVALID, tg_bind(course, "positions", position.handle));
  WANT(TG_INVALID, tg_bind(course, "orientation", position.handle)); /* 6 numbers are no quaternions */
  OK(tg_bind(course, "position", position.handle));
  OK(tg_bind(course, "orientation", turn.handle));
  OK(tg_bind(course, "half_extents", half.handle));
  for (int e = 0; e < 2; e++) {
    ((float *)turn.data)[4 * e + 3] = 1;
    ((float *)half.data)[2 * e] = ((float *)half.data)[2 * e + 1] = 0.01f;
  }
  for (int i = 0; i < 60; i++) {
    memcpy(at, points + 3 * ((n - 2 + i) % n), 3 * sizeof *at); /* from before the first checkpoint on */
    memcpy(at + 3, points + 3 * center.shape[1], 3 * sizeof *at);
    OK(tg_step(course, 0));
    count += ((int32_t *)passed.data)[0];
    TRUE(((int32_t *)outside.data)[0] == 0);
  }
  TRUE(count >= 2);
  at[0] = 100;
  OK(tg_step(course, 0));
  TRUE(((int32_t *)outside.data)[0] == 1 && ((int32_t *)outside.data)[1] == 0);
  OK(tg_close(course));
}

/* contexts cancels some, and not others. */
static void contexts(tg_handle device) {
  tg_handle race = made(device, "race", SMALL_RACE), parent, child, free_one;
  tg_array actions = array(device, TG_FLOAT32, 8);
  tg_context_options options = {.size = sizeof options, .conditional = -1, .host_poll = 2};

  OK(tg_context_new(device, NULL, &parent));
  options.parent = parent;
  WANT(TG_INVALID, tg_context_new(device, &options, &child));
  options.host_poll = 1;
  OK(tg_context_new(device, &options, &child));
  OK(tg_context_new(device, NULL, &free_one));
  OK(tg_step_actions(race, actions.handle, child));
  OK(tg_cancel(parent));
  WANT(TG_CANCELED, tg_step_actions(race, actions.handle, child));
  WANT(TG_CANCELED, tg_synchronize(device, parent));
  OK(tg_step_actions(race, actions.handle, free_one));
  OK(tg_step_actions(race, actions.handle, 0));
  options.has_stream = 1;
  options.parent = 0;
  WANT(TG_UNSUPPORTED, tg_context_new(device, &options, &child)); /* the CPU has no streams of others */
  OK(tg_close(parent));
  OK(tg_close(race));
}

/* guards watches steps, which must not wait or allocate, and a read, which waits. */
static void guards(void) {
  tg_handle device, race, guard, context;
  tg_context_options options = {.size = sizeof options, .conditional = -1, .host_poll = -1};
  tg_array actions;
  float memory[8];
  char *report;

  OK(tg_open_instrumented("cpu", &device));
  race = made(device, "race", SMALL_RACE);
  actions = array(device, TG_FLOAT32, 8);
  OK(tg_step_actions(race, actions.handle, 0));
  for (int strict = 0; strict < 2; strict++) {
    OK(tg_guard_new(device, 15, strict, &guard));
    options.guard = guard;
    OK(tg_context_new(device, &options, &context));
    OK(tg_step_actions(race, actions.handle, context));
    OK(tg_guard_report(guard, &report));
    TRUE(strstr(report, "{\"ok\":true,\"violations\":[],") == report);
    tg_free(report);
    WANT(strict ? TG_VIOLATION : TG_OK, tg_array_read(actions.handle, memory, sizeof memory, context));
    OK(tg_guard_report(guard, &report));
    TRUE(strstr(report, "\"ok\":false") != NULL && strstr(report, "\"api\":\"Device.AllocHost\"") != NULL);
    TRUE(strict || strstr(report, "\"category\":\"host_sync\",\"api\":\"Stream.Sync\"") != NULL);
    tg_free(report);
    OK(tg_close(guard)); /* the context keeps it */
    OK(tg_step_actions(race, actions.handle, context));
    OK(tg_close(context));
  }
  WANT(TG_INVALID, tg_guard_new(device, 0, 1, &guard));
  WANT(TG_INVALID, tg_guard_new(device, 16, 1, &guard));
  OK(tg_close(race));
  OK(tg_close(device));
}

int main(void) {
  tg_handle device = opened("cpu");
  laps(device);
  follow(device);
  contexts(device);
  guards();
  OK(tg_close(device));
  return mistakes != 0;
}
