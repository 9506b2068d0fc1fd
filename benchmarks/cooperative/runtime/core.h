/* What the runtimes of fthread.h, sc_coop.h and os_coop.h share: coroutines, choices and inputs.
 *
 * Each runtime is one C file that includes this one, so `cc -I runtime program.c runtime/fthread.c` is all
 * it takes. A coroutine runs until it gives the turn back to the scheduler, which runs on the stack of main.
 *
 * Where a policy leaves a choice, and for every input (`__VERIFIER_nondet_int()` and its like), a generator
 * decides whose seed is the environment variable COOP_SEED: the same seed gives the same run. With
 * COOP_TRACE=1 the runtimes tell on standard error what they do. A failing assertion ends the run with a
 * line that names the seed.
 */
#ifndef COOP_CORE_H
#define COOP_CORE_H

#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef COOP_STACK
#define COOP_STACK (64 * 1024)
#endif

/* Misuse of an interface ends the run: what follows would have no meaning. */
static void coop_misuse(const char *what)
{
    fflush(stdout);
    fprintf(stderr, "misuse: %s\n", what);
    exit(3);
}

/* ---- choices and inputs ---- */

static uint64_t coop_generator;
static unsigned long long coop_seed;
static int coop_ready;

static void coop_report_abort(int number)
{
    char line[64];
    int length = snprintf(line, sizeof line, "violation: COOP_SEED=%llu\n", coop_seed);
    if (write(2, line, length) < 0)
        _exit(2);
    signal(number, SIG_DFL);
    raise(number);
}

static void coop_begin(void)
{
    if (coop_ready)
        return;
    coop_ready = 1;
    const char *text = getenv("COOP_SEED");
    coop_seed = text ? strtoull(text, 0, 10) : 1;
    coop_generator = coop_seed * 0x9e3779b97f4a7c15u + 1;
    signal(SIGABRT, coop_report_abort);
}

/* The generator is splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014). */
static uint64_t coop_random(void)
{
    coop_begin();
    uint64_t z = coop_generator += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* One of 0 ... count-1. COOP_CHOOSE may name a function that decides instead, so that all runs can be
 * tried. */
static inline unsigned coop_choose(unsigned count)
{
#ifdef COOP_CHOOSE
    unsigned COOP_CHOOSE(unsigned count);
    return COOP_CHOOSE(count);
#else
    return count > 1 ? coop_random() % count : 0;
#endif
}

/* Inputs are small half of the time, so that comparisons with constants go either way. */
static uint64_t coop_input(void)
{
#ifdef COOP_CHOOSE
    return coop_choose(COOP_INPUTS);
#else
    uint64_t value = coop_random();
    return value & 1 ? value >> 1 : (uint64_t)((int64_t)(value >> 1) % 8 - 2);
#endif
}

_Bool __VERIFIER_nondet_bool(void) { return coop_input() & 1; }
char __VERIFIER_nondet_char(void) { return coop_input(); }
unsigned char __VERIFIER_nondet_uchar(void) { return coop_input(); }
short __VERIFIER_nondet_short(void) { return coop_input(); }
unsigned short __VERIFIER_nondet_ushort(void) { return coop_input(); }
int __VERIFIER_nondet_int(void) { return coop_input(); }
unsigned __VERIFIER_nondet_uint(void) { return coop_input(); }
long __VERIFIER_nondet_long(void) { return coop_input(); }
unsigned long __VERIFIER_nondet_ulong(void) { return coop_input(); }

/* A run whose inputs are excluded ends here. */
void __VERIFIER_assume(int condition)
{
    if (!condition)
        exit(0);
}

void reach_error(void) { abort(); }

static void coop_trace(const char *format, ...)
{
    static int asked = -1;
    if (asked < 0)
        asked = getenv("COOP_TRACE") != 0;
    if (!asked)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

/* ---- coroutines ---- */

struct coroutine {
    ucontext_t context;
    void (*run)(void *);
    void *argument;
    char *stack;
    int ended;
};

static ucontext_t coop_scheduler;
static struct coroutine *coop_running;

static void coop_enter(void)
{
    struct coroutine *self = coop_running;
    self->run(self->argument);
    self->ended = 1;
    for (;;)
        swapcontext(&self->context, &coop_scheduler);
}

/* One that has ended, or all zeros, begins anew. */
static void coop_create(struct coroutine *new, void (*run)(void *), void *argument)
{
    if (!new->stack)
        new->stack = malloc(COOP_STACK);
    if (!new->stack || getcontext(&new->context) != 0)
        coop_misuse("no memory for another thread");
    new->context.uc_stack.ss_sp = new->stack;
    new->context.uc_stack.ss_size = COOP_STACK;
    new->context.uc_link = 0;
    new->run = run;
    new->argument = argument;
    new->ended = 0;
    makecontext(&new->context, coop_enter, 0);
}

/* The scheduler lets a coroutine run until it gives the turn back. */
static void coop_resume(struct coroutine *next)
{
    struct coroutine *before = coop_running;
    coop_running = next;
    swapcontext(&coop_scheduler, &next->context);
    coop_running = before;
}

/* The running coroutine gives the turn back. */
static void coop_yield(void)
{
    swapcontext(&coop_running->context, &coop_scheduler);
}

/* The running coroutine ends, wherever it is. */
static inline void coop_end(void)
{
    coop_running->ended = 1;
    coop_yield();
    coop_misuse("a thread that has ended was resumed");
}

#endif
