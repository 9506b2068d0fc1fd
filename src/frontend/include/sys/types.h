#ifndef REGRAIN_SYS_TYPES_H
#define REGRAIN_SYS_TYPES_H
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "regrain_types.h"
typedef long ssize_t;
typedef long off_t;
typedef int pid_t;
typedef unsigned uid_t;
typedef unsigned gid_t;
#endif
