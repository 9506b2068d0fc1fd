#ifndef REGRAIN_SCHED_H
#define REGRAIN_SCHED_H
int sched_yield(void);
#endif
