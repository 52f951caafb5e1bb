/* What the C and the Go part of the library share. */
#ifndef TRACKGEN_LIBRARY_H
#define TRACKGEN_LIBRARY_H

#include "trackgen.h"

/* Types of parameters that Go cannot name, because they are const. */
typedef const char *tgi_text;
typedef const void *tgi_bytes;
typedef const int32_t *tgi_int32s;
typedef const int64_t *tgi_int64s;
typedef const tg_context_options *tgi_context_options;
typedef const tg_new_options *tgi_new_options;

/* tgi_release is the function of a caller that releases wrapped memory. */
typedef void (*tgi_release)(void *user);
static inline void tgi_call_release(tgi_release release, void *user) { release(user); }

/* tgi_keep keeps a text that malloc made as long as the process lives, where checkers of memory can see it. */
const char *tgi_keep(char *text);

/* tgi_set_error stores the error of this thread. It takes both texts, which malloc made. */
void tgi_set_error(char *text, char *details);

/* tgi_forked is 1 in a process that was forked after the library was loaded. */
int tgi_forked(void);

/* tgi_refuse_forked stores the error of a forked process and returns TG_FORKED. */
int32_t tgi_refuse_forked(void);

#endif
