/* What the programs of the tests share. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trackgen.h"

static int mistakes;

/* WANT says that a call returns a status. */
#define WANT(status, call) want(__FILE__, __LINE__, #call, status, call)

/* OK says that a call succeeds. */
#define OK(call) WANT(TG_OK, call)

/* TRUE says that a condition holds. */
#define TRUE(condition) truth(__FILE__, __LINE__, #condition, condition)

/* TELLS says that the last error contains a text. */
#define TELLS(text) tells(__FILE__, __LINE__, text, tg_last_error())

/* DETAILS says that the details of the last error contain a text. */
#define DETAILS(text) tells(__FILE__, __LINE__, text, tg_last_error_details())

static inline void want(const char *file, int line, const char *call, int status, int got) {
  if (got != status) {
    printf("%s:%d: %s is %d, not %d: %s\n", file, line, call, got, status, got == TG_OK ? "" : tg_last_error());
    mistakes++;
  }
}

static inline void truth(const char *file, int line, const char *condition, int holds) {
  if (!holds) {
    printf("%s:%d: not %s\n", file, line, condition);
    mistakes++;
  }
}

static inline void tells(const char *file, int line, const char *text, const char *error) {
  if (strstr(error, text) == NULL) {
    printf("%s:%d: no \"%s\" in: %s\n", file, line, text, error);
    mistakes++;
  }
}

/* opened opens a device. */
static inline tg_handle opened(const char *name) {
  tg_handle device = 0;
  OK(tg_open(name, &device));
  return device;
}

/* made makes a producer with the default options. */
static inline tg_handle made(tg_handle device, const char *kind, const char *config) {
  tg_handle producer = 0;
  OK(tg_new(device, kind, config, NULL, 0, &producer));
  return producer;
}

/* found returns a result. */
static inline tg_array found(tg_handle producer, const char *name) {
  tg_array a;
  memset(&a, 0, sizeof a);
  a.size = sizeof a;
  OK(tg_result(producer, name, &a));
  return a;
}

/* array makes an array of n elements. */
static inline tg_array array(tg_handle device, int32_t type, int64_t n) {
  tg_array a;
  memset(&a, 0, sizeof a);
  a.size = sizeof a;
  OK(tg_array_new(device, type, 1, &n, &a));
  return a;
}

#define SMALL_RACE "{\"tracks\": {\"num_envs\": 4, \"scale\": 10, \"road\": {\"half_width\": 1}}, \"autoreset\": \"restart\"}"

#endif
