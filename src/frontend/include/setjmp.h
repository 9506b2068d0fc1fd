#ifndef REGRAIN_SETJMP_H
#define REGRAIN_SETJMP_H
typedef long jmp_buf[25];
typedef long sigjmp_buf[25];
int setjmp(jmp_buf place);
int sigsetjmp(sigjmp_buf place, int mask);
_Noreturn void longjmp(jmp_buf place, int value);
_Noreturn void siglongjmp(sigjmp_buf place, int value);
#endif
