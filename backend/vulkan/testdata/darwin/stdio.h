// Declarations of macOS that shim.c uses.
#include <stddef.h>
int snprintf(char *restrict text, size_t size, const char *restrict format, ...);
