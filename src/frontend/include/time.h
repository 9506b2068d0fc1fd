#ifndef REGRAIN_TIME_H
#define REGRAIN_TIME_H
#include <stddef.h>
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define TIMER_ABSTIME 1
#define TIME_UTC 1
time_t time(time_t *result);
clock_t clock(void);
int clock_gettime(clockid_t id, struct timespec *result);
int timespec_get(struct timespec *result, int base);
int clock_getres(clockid_t id, struct timespec *result);
int clock_nanosleep(clockid_t id, int flags, const struct timespec *duration, struct timespec *remaining);
int nanosleep(const struct timespec *duration, struct timespec *remaining);
#endif
