#ifndef REGRAIN_SCHED_H
#define REGRAIN_SCHED_H
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
struct sched_param {
    int sched_priority;
};
int sched_yield(void);
int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);
#endif
