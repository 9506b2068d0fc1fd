#ifndef REGRAIN_STRINGS_H
#define REGRAIN_STRINGS_H
#include <stddef.h>
int strcasecmp(const char *a, const char *b);
int ffs(int x);
int ffsl(long x);
int ffsll(long long x);
void bzero(void *to, size_t size);
#endif
