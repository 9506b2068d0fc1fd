#ifndef REGRAIN_UNISTD_H
#define REGRAIN_UNISTD_H
#include <stddef.h>
#include <sys/types.h>
int pause(void);
unsigned sleep(unsigned seconds);
int usleep(unsigned microseconds);
_Noreturn void _exit(int status);
pid_t getpid(void);
#endif
