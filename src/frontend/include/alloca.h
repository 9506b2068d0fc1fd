#ifndef REGRAIN_ALLOCA_H
#define REGRAIN_ALLOCA_H
#include <stddef.h>
void *alloca(size_t size);
#endif
