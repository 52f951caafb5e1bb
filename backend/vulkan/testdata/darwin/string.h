// Declarations of macOS that shim.c uses.
#include <stddef.h>
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *memory, int value, size_t size);
int strcmp(const char *a, const char *b);
char *strdup(const char *text);
