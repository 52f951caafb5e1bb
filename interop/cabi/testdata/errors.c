/* Wrong arguments are errors that say what is wrong, and change nothing. */
#include "check.h"

/* null_pointers passes NULL for each pointer in turn. */
static void null_pointers(tg_handle device, tg_handle tracks) {
  tg_handle h;
  tg_array a = {.size = sizeof a};
  tg_context_options options = {.size = sizeof options, .conditional = -1, .host_poll = -1};
  int64_t shape[1] = {4};
  uint32_t memory[4];
  uint8_t picture[3 * 16 * 16];

  WANT(TG_INVALID, tg_devices(NULL));
  WANT(TG_INVALID, tg_take_warning(NULL));
  WANT(TG_INVALID, tg_open(NULL, &h));
  TELLS("name is NULL");
  WANT(TG_INVALID, tg_open("cpu", NULL));
  WANT(TG_INVALID, tg_open_with("cpu", NULL, NULL));
  WANT(TG_INVALID, tg_open_instrumented(NULL, &h));
  WANT(TG_INVALID, tg_device_info(device, NULL));
  WANT(TG_INVALID, tg_context_new(device, &options, NULL));
  WANT(TG_INVALID, tg_is_capturing(device, 0, NULL));
  WANT(TG_INVALID, tg_stream(device, 0, NULL));
  uint64_t stream = 1;
  OK(tg_stream(device, 0, &stream));
  TRUE(stream == 0);
  WANT(TG_UNSUPPORTED, tg_order(device, 0, 1)); /* the CPU has no streams */
  WANT(TG_INVALID, tg_graph_new(NULL));
  WANT(TG_INVALID, tg_register(0, 0, 0, 0, NULL));
  WANT(TG_INVALID, tg_array_new(device, TG_INT32, 1, NULL, &a));
  WANT(TG_INVALID, tg_array_new(device, TG_INT32, 1, shape, NULL));
  WANT(TG_INVALID, tg_wrap(device, NULL, TG_INT32, 1, shape, NULL, NULL, &a));
  WANT(TG_INVALID, tg_wrap(device, memory, TG_INT32, 1, NULL, NULL, NULL, &a));
  WANT(TG_INVALID, tg_wrap(device, memory, TG_INT32, 1, shape, NULL, NULL, NULL));
  WANT(TG_INVALID, tg_kinds(NULL));
  WANT(TG_INVALID, tg_fields(NULL, NULL));
  WANT(TG_INVALID, tg_fields("tracks", NULL));
  WANT(TG_INVALID, tg_resolve("tracks", NULL, NULL));
  WANT(TG_INVALID, tg_new(device, NULL, NULL, NULL, 0, &h));
  WANT(TG_INVALID, tg_new(device, "tracks", NULL, NULL, 0, NULL));
  WANT(TG_INVALID, tg_config(tracks, NULL));
  WANT(TG_INVALID, tg_bind(tracks, NULL, 0));
  WANT(TG_INVALID, tg_set_seeds(tracks, NULL, 4, 0));
  WANT(TG_INVALID, tg_result_count(tracks, NULL));
  WANT(TG_INVALID, tg_result_at(tracks, 0, NULL));
  WANT(TG_INVALID, tg_result(tracks, NULL, &a));
  WANT(TG_INVALID, tg_result(tracks, "center", NULL));
  WANT(TG_INVALID, tg_driver_new(tracks, 1, 0, NULL));
  WANT(TG_INVALID, tg_save(tracks, NULL, NULL, 0));
  WANT(TG_INVALID, tg_render(tracks, 0, 16, 16, NULL, NULL, sizeof picture, 0));
  WANT(TG_INVALID, tg_guard_new(device, 1, 0, NULL));
  WANT(TG_INVALID, tg_guard_report(0, NULL));
  tg_free(NULL);
}

/* wrong_handles passes handles of other kinds, closed ones and numbers that no call has returned. */
static void wrong_handles(tg_handle device, tg_handle tracks) {
  tg_array mask = array(device, TG_INT32, 8), closed = array(device, TG_INT32, 8), out = {.size = sizeof out};
  tg_handle wrong[4], h;
  int32_t n;
  char *text;

  OK(tg_close(closed.handle));
  WANT(TG_CLOSED, tg_close(closed.handle));
  TELLS("was closed");
  OK(tg_close(0));
  wrong[0] = 0, wrong[1] = UINT64_MAX, wrong[2] = 1u << 30, wrong[3] = mask.handle;
  for (int i = 0; i < 4; i++) {
    WANT(TG_INVALID, tg_device_info(wrong[i], &text));
    WANT(TG_INVALID, tg_new(wrong[i], "tracks", NULL, NULL, 0, &h));
    WANT(TG_INVALID, tg_generate(wrong[i], 0));
    WANT(TG_INVALID, tg_result_count(wrong[i], &n));
    WANT(TG_INVALID, tg_result(wrong[i], "center", &out));
    WANT(TG_INVALID, tg_cancel(wrong[i]));
    WANT(TG_INVALID, tg_registration_end(wrong[i]));
    WANT(TG_INVALID, tg_guard_report(wrong[i], &text));
    WANT(TG_INVALID, tg_retain(wrong[i], mask.handle));
    WANT(TG_INVALID, tg_driver_update(wrong[i], 0));
  }
  for (int i = 1; i < 4; i++) {
    WANT(TG_INVALID, tg_generate(tracks, wrong[i])); /* as a context */
  }
  WANT(TG_INVALID, tg_close(UINT64_MAX));
  WANT(TG_INVALID, tg_generate(device, 0));
  TELLS("producer is handle 1, a device: must be a producer (tg_new)");
  DETAILS("\"argument\":\"producer\"");
  WANT(TG_INVALID, tg_regenerate(tracks, device, 0, 0));
  WANT(TG_CLOSED, tg_regenerate(tracks, closed.handle, 0, 0));
  WANT(TG_UNSUPPORTED, tg_step(tracks, 0));
  TELLS("kind tracks: step is not supported");
  WANT(TG_UNSUPPORTED, tg_step_actions(tracks, array(device, TG_FLOAT32, 8).handle, 0));
  WANT(TG_UNSUPPORTED, tg_reset(tracks, 0, 0));
  WANT(TG_INVALID, tg_driver_new(tracks, 1, 0, &h));
}

/* wrong_sizes passes structs, shapes and memory of wrong sizes. */
static void wrong_sizes(tg_handle device, tg_handle tracks) {
  tg_array a = {.size = sizeof a - 4}, mask = array(device, TG_INT32, 7), floats = array(device, TG_FLOAT32, 8);
  tg_context_options context = {.size = 4};
  tg_new_options options = {.size = 4};
  tg_handle h;
  int32_t seeds[8] = {0};
  int64_t huge[4] = {1 << 30, 1 << 30, 1 << 30, 1 << 30}, negative[1] = {-1}, most[1] = {INT64_MAX}, few[1] = {8};
  uint32_t memory[9];
  uint8_t picture[3 * 16 * 16];

  WANT(TG_INVALID, tg_result(tracks, "center", &a));
  TELLS("result.size");
  WANT(TG_INVALID, tg_array_new(device, TG_INT32, 1, few, &a));
  WANT(TG_INVALID, tg_context_new(device, &context, &h));
  WANT(TG_INVALID, tg_new(device, "tracks", NULL, &options, 0, &h));
  a.size = sizeof a;
  WANT(TG_INVALID, tg_array_new(device, 3, 1, few, &a));
  WANT(TG_INVALID, tg_array_new(device, -1, 1, few, &a));
  WANT(TG_INVALID, tg_array_new(device, TG_INT32, 0, few, &a));
  WANT(TG_INVALID, tg_array_new(device, TG_INT32, 5, huge, &a));
  WANT(TG_INVALID, tg_array_new(device, TG_INT32, 4, huge, &a));
  TELLS("shape[1]");
  WANT(TG_INVALID, tg_array_new(device, TG_INT32, 1, negative, &a));
  WANT(TG_INVALID, tg_array_new(device, TG_INT32, 1, most, &a));
  WANT(TG_INVALID, tg_wrap(device, (char *)memory + 1, TG_INT32, 1, few, NULL, NULL, &a));
  WANT(TG_INVALID, tg_wrap(device, (void *)4096, TG_INT32, 1, few, NULL, NULL, &a));
  WANT(TG_INVALID, tg_array_read(mask.handle, memory, 32, 0));
  TELLS("bytes is 32: must be 28");
  WANT(TG_INVALID, tg_array_read(mask.handle, memory, -1, 0));
  WANT(TG_INVALID, tg_array_write(mask.handle, memory, 24, 0));
  WANT(TG_INVALID, tg_array_write(mask.handle, NULL, 28, 0));
  WANT(TG_INVALID, tg_regenerate(tracks, mask.handle, 0, 0));
  WANT(TG_INVALID, tg_regenerate(tracks, floats.handle, 0, 0));
  WANT(TG_INVALID, tg_set_seeds(tracks, seeds, 7, 0));
  WANT(TG_INVALID, tg_set_seeds(tracks, seeds, -1, 0));
  WANT(TG_INVALID, tg_set_seeds(tracks, seeds, INT64_MAX, 0));
  options.size = sizeof options, options.seeds = seeds, options.seed_count = 7;
  WANT(TG_INVALID, tg_new(device, "tracks", "{\"num_envs\": 8}", &options, 0, &h));
  WANT(TG_INVALID, tg_result_at(tracks, -1, &a));
  WANT(TG_INVALID, tg_result_at(tracks, 1 << 30, &a));
  WANT(TG_INVALID, tg_result(tracks, "centre", &a));
  TELLS("did you mean \"center\"?");
  WANT(TG_INVALID, tg_render(tracks, 8, 16, 16, NULL, picture, sizeof picture, 0));
  WANT(TG_INVALID, tg_render(tracks, -1, 16, 16, NULL, picture, sizeof picture, 0));
  WANT(TG_INVALID, tg_render(tracks, 0, 15, 16, NULL, picture, sizeof picture, 0));
  WANT(TG_INVALID, tg_render(tracks, 0, 4096, 4097, NULL, picture, sizeof picture, 0));
  WANT(TG_INVALID, tg_render(tracks, 0, 16, 16, NULL, picture, sizeof picture - 1, 0));
  WANT(TG_INVALID, tg_render(tracks, 0, 16, 16, "{\"zoom\": \"agent\"}", picture, sizeof picture, 0));
  WANT(TG_INVALID, tg_save(tracks, "/tmp/x.npz", "{\"envs\": [8]}", 0));
  WANT(TG_INVALID, tg_save(tracks, "/tmp/x.txt", NULL, 0));
  WANT(TG_FAILED, tg_save(tracks, "/no/such/folder/x.npz", NULL, 0));
  WANT(TG_INVALID, tg_guard_new(device, 1, 0, &h));
  WANT(TG_INVALID, tg_open("gpu:7:7", &h));
  WANT(TG_INVALID, tg_open_with("cpu", "{\"workers\": -1}", &h));
  WANT(TG_INVALID, tg_open_with("cpu", "{\"worker\": 1}", &h));
  WANT(TG_INVALID, tg_open_with("cpu", "{} {}", &h));
}

/* wrong_configurations passes texts that are no configurations. */
static void wrong_configurations(tg_handle device) {
  static const char *const wrong[] = {
      "{", "[]", "1", "{} 1", "{\"num_envs\": 8, \"num_envs\": 9}", "{\"num_envs\": 0}", "{\"num_envs\": -8}",
      "{\"num_envs\": 1e30}", "{\"num_envs\": \"many\"}", "{\"num_envs\": null}", "{\"road\": {\"half_width\": [1]}}",
      "{\"road\": {\"half_width\": NaN}}", "{\"road\": 5}", "{\"unknown\": 1}", "{\"a\": [[[[[[[[[[[[1]]]]]]]]]]]]}",
      "num_envs: 8", "{\"num_envs\": 8}\xff", "\xff"};
  tg_handle h = 77;
  size_t length = 1 << 20;
  char *text = malloc(length + 2);

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    WANT(TG_CONFIG, tg_new(device, "tracks", wrong[i], NULL, 0, &h));
    WANT(TG_CONFIG, tg_new(device, "race", wrong[i], NULL, 0, &h));
  }
  TRUE(h == 77);
  WANT(TG_CONFIG, tg_new(device, "tracks", "{\"num_envs\": -8}", NULL, 0, &h));
  DETAILS("\"field\":\"num_envs\",\"value\":\"-8\",\"allowed\":\"a whole number \\u003e= 1");
  WANT(TG_CONFIG, tg_new(device, "course", "{\"tracks\": {\"num_env\": 8}}", NULL, 0, &h));
  TELLS("tracks: ");
  TELLS("did you mean \"num_envs\"?");
  WANT(TG_CONFIG, tg_new(device, "course", "{\"tracks\": {}, \"gates\": {}}", NULL, 0, &h));
  WANT(TG_CONFIG, tg_new(device, "race", "{\"tracks\": {}, \"tracks\": {}}", NULL, 0, &h));
  TELLS("tracks is set twice");
  memset(text, '[', length);
  text[length] = 0;
  WANT(TG_CONFIG, tg_new(device, "tracks", text, NULL, 0, &h));
  memset(text, ' ', length + 1);
  text[length + 1] = 0;
  WANT(TG_INVALID, tg_new(device, "tracks", text, NULL, 0, &h));
  WANT(TG_INVALID, tg_new(device, "track", NULL, NULL, 0, &h));
  TELLS("did you mean \"tracks\"?");
  WANT(TG_CONFIG, tg_new(device, "tracks", "{\"num_envs\": 16777216}", NULL, 0, &h));
  free(text);
  OK(tg_open_with("cpu", "{\"memory_limit\": 1000000, \"workers\": 1}", &h));
  device = h;
  WANT(TG_OUT_OF_MEMORY, tg_new(device, "tracks", "{\"num_envs\": 4096}", NULL, 0, &h));
  OK(tg_close(device));
}

int main(void) {
  tg_handle device = opened("cpu"), tracks;
  char *warning;

  TRUE(device == 1);
  TRUE(strcmp(tg_version(), TRACKGEN_VERSION) == 0);
  TRUE(strcmp(tg_last_error(), "") == 0 && strcmp(tg_last_error_details(), "") == 0);
  OK(tg_check_abi(TRACKGEN_ABI_MAJOR, TRACKGEN_ABI_MINOR));
  WANT(TG_UNSUPPORTED, tg_check_abi(TRACKGEN_ABI_MAJOR, TRACKGEN_ABI_MINOR + 1));
  TELLS("must be 1.0 to 1.");
  WANT(TG_UNSUPPORTED, tg_check_abi(TRACKGEN_ABI_MAJOR + 1, 0));
  WANT(TG_UNSUPPORTED, tg_check_abi(TRACKGEN_ABI_MAJOR - 1, 0));
  tracks = made(device, "tracks", "{\"num_envs\": 8}");
  null_pointers(device, tracks);
  wrong_handles(device, tracks);
  wrong_sizes(device, tracks);
  wrong_configurations(device);
  OK(tg_generate(tracks, 0)); /* it still works */
  OK(tg_take_warning(&warning));
  TRUE(strcmp(warning, "") == 0);
  tg_free(warning);
  OK(tg_close(tracks));
  OK(tg_close(device));
  return mistakes != 0;
}
