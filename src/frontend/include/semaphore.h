#ifndef REGRAIN_SEMAPHORE_H
#define REGRAIN_SEMAPHORE_H
#include "regrain_types.h"
#include <time.h>
int sem_init(sem_t *sem, int shared, unsigned value);
int sem_destroy(sem_t *sem);
int sem_wait(sem_t *sem);
int sem_trywait(sem_t *sem);
int sem_timedwait(sem_t *sem, const struct timespec *deadline);
int sem_post(sem_t *sem);
int sem_getvalue(sem_t *sem, int *value);
#endif
