/* A device whose name is the argument makes the same tracks as the CPU. */
#include "check.h"

int main(int count, char **arguments) {
  static const char *const names[] = {"center", "outer", "arclen", "valid", "count", "epoch"};
  tg_handle cpu = opened("cpu"), device = opened(count > 1 ? arguments[1] : "cpu"), one, two;
  int32_t mask[4] = {1, 0, 0, 1};
  tg_array there = array(device, TG_INT32, 4), here = array(cpu, TG_INT32, 4), wrapped = {.size = sizeof wrapped};
  int64_t shape[1] = {4};
  char *info;

  OK(tg_device_info(device, &info));
  TRUE(strstr(info, "\"dl_device_type\":") != NULL);
  one = made(device, "tracks", "{\"num_envs\": 4}"), two = made(cpu, "tracks", "{\"num_envs\": 4}");
  OK(tg_array_write(there.handle, mask, sizeof mask, 0));
  OK(tg_array_write(here.handle, mask, sizeof mask, 0));
  if (there.device_type == 7) { /* Vulkan has no addresses */
    TRUE(there.data == NULL);
    WANT(TG_UNSUPPORTED, tg_wrap(device, mask, TG_INT32, 1, shape, NULL, NULL, &wrapped));
  }
  WANT(TG_DEVICE_MISMATCH, tg_regenerate(one, here.handle, 0, 0));
  for (int round = 0; round < 2; round++) {
    if (round == 0) {
      OK(tg_generate(one, 0));
      OK(tg_generate(two, 0));
    } else {
      OK(tg_regenerate(one, there.handle, 0, 0));
      OK(tg_regenerate(two, here.handle, 0, 0));
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      tg_array a = found(one, names[i]), b = found(two, names[i]);
      char *left = malloc((size_t)a.bytes), *right = malloc((size_t)b.bytes);
      OK(tg_array_read(a.handle, left, a.bytes, 0));
      OK(tg_array_read(b.handle, right, b.bytes, 0));
      TRUE(a.bytes == b.bytes && memcmp(left, right, (size_t)a.bytes) == 0);
      free(left);
      free(right);
      OK(tg_close(a.handle));
      OK(tg_close(b.handle));
    }
  }
  OK(tg_synchronize(device, 0));
  tg_free(info);
  OK(tg_close(there.handle));
  OK(tg_close(here.handle));
  OK(tg_close(one));
  OK(tg_close(two));
  OK(tg_close(device));
  OK(tg_close(cpu));
  return mistakes != 0;
}
