/* What a small program tells of its run: the digits that it noted, in their order, after a 1. RESULT is
 * where a run is over; who asks whether a run is possible makes it an assertion on `noted`. */
#include <assert.h>
#include <stdio.h>

long noted = 1;

void note(int digit) { noted = noted * 10 + digit; }

#ifndef RESULT
#define RESULT() printf("%ld\n", noted)
#endif
