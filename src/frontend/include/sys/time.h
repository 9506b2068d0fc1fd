#ifndef REGRAIN_SYS_TIME_H
#define REGRAIN_SYS_TIME_H
#include <time.h>
struct timeval {
    time_t tv_sec;
    long tv_usec;
};
int gettimeofday(struct timeval *result, void *zone);
#endif
