/* Makes 64 race tracks and prints the first points of the centreline of the first one.
 *
 *   make library
 *   cc -Idist examples/c/tracks.c -Ldist -ltrackgen -Wl,-rpath,dist -o tracks && ./tracks
 */
#include <stdio.h>

#include "trackgen.h"

static int failed(void) { return fprintf(stderr, "%s\n", tg_last_error()), 1; }

int main(void) {
  tg_handle device, tracks;
  tg_array center = {.size = sizeof center}; /* the caller sets the size, the library the rest */
  if (tg_check_abi(TRACKGEN_ABI_MAJOR, TRACKGEN_ABI_MINOR) != TG_OK || tg_open("cpu", &device) != TG_OK ||
      tg_new(device, "tracks", "{\"num_envs\": 64, \"generator\": \"polar\"}", NULL, 0, &tracks) != TG_OK ||
      tg_generate(tracks, 0) != TG_OK || tg_result(tracks, "center", &center) != TG_OK) {
    return failed();
  }
  const float *points = center.data; /* [E, N_max, 3]; on another device than the CPU, tg_array_read copies it */
  printf("%s [%d, %d, %d]\n", center.name, (int)center.shape[0], (int)center.shape[1], (int)center.shape[2]);
  for (int i = 0; i < 3; i++) {
    printf("%8.4f %8.4f %8.4f\n", points[3 * i], points[3 * i + 1], points[3 * i + 2]);
  }
  return tg_close(center.handle) || tg_close(tracks) || tg_close(device) ? failed() : 0;
}
