/* What works without Go, in a forked process too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

const char *tg_version(void) { return TRACKGEN_VERSION; }

void tg_free(void *text) { free(text); }

typedef struct kept_text {
  char *text;
  struct kept_text *next;
} kept_text;

static kept_text *kept;

const char *tgi_keep(char *text) {
  kept_text *entry = malloc(sizeof *entry);
  if (entry != NULL) {
    entry->text = text;
    entry->next = kept;
    kept = entry;
  }
  return text;
}

int32_t tg_check_abi(uint32_t major, uint32_t minor) {
  char text[160], details[256];
  if (major == TRACKGEN_ABI_MAJOR && minor <= TRACKGEN_ABI_MINOR) {
    return TG_OK;
  }
  snprintf(text, sizeof text, "the caller needs version %u.%u of the interface: must be %d.0 to %d.%d, that of the library",
           (unsigned)major, (unsigned)minor, TRACKGEN_ABI_MAJOR, TRACKGEN_ABI_MAJOR, TRACKGEN_ABI_MINOR);
  snprintf(details, sizeof details, "{\"status\":%d,\"message\":\"%s\"}", TG_UNSUPPORTED, text);
  tgi_set_error(strdup(text), strdup(details));
  return TG_UNSUPPORTED;
}
