/* Errors of threads. They are kept in C, so that a forked process can tell what is wrong. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

typedef struct thread_error {
  char *text;
  char *details;
} thread_error;

static pthread_key_t error_key;
static volatile int forked;

static void release_error(void *value) {
  thread_error *error = value;
  free(error->text);
  free(error->details);
  free(error);
}

static void note_fork(void) { forked = 1; }

__attribute__((constructor)) static void prepare(void) {
  pthread_key_create(&error_key, release_error);
  pthread_atfork(NULL, NULL, note_fork);
}

int tgi_forked(void) { return forked; }

void tgi_set_error(char *text, char *details) {
  thread_error *error = pthread_getspecific(error_key);
  if (error == NULL) {
    error = calloc(1, sizeof *error);
    if (error == NULL || pthread_setspecific(error_key, error) != 0) {
      free(error);
      free(text);
      free(details);
      return;
    }
  }
  free(error->text);
  free(error->details);
  error->text = text;
  error->details = details;
}

int32_t tgi_refuse_forked(void) {
  static const char text[] = "this process was forked after the library was loaded, so it has no copy of the threads that "
                             "the library needs: start the process with exec (in Python: the start method \"spawn\")";
  static const char details[] = "{\"status\":12,\"message\":\"this process was forked after the library was loaded\"}";
  tgi_set_error(strdup(text), strdup(details));
  return TG_FORKED;
}

const char *tg_last_error(void) {
  const thread_error *error = pthread_getspecific(error_key);
  return error != NULL && error->text != NULL ? error->text : "";
}

const char *tg_last_error_details(void) {
  const thread_error *error = pthread_getspecific(error_key);
  return error != NULL && error->details != NULL ? error->details : "";
}
