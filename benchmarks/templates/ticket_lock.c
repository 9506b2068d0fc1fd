/* Ticket lock (Mellor-Crummey and Scott 1991) that gives out no tickets once there is no next one, for any
 *   number of threads.
 *
 * Property: a thread inside is alone.
 * Invariant: tickets below the next one differ, and who is inside has the one that is served.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

unsigned next = 0, serving = 0;
int inside = 0;

void *worker(void *arg)
{
    unsigned ticket;
    __VERIFIER_atomic_begin();
    ticket = next;
    __VERIFIER_assume(ticket < 4000000000u);
    next = ticket + 1;
    __VERIFIER_atomic_end();
    while (serving != ticket)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    serving = serving + 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
