/* Ticket lock (Mellor-Crummey and Scott 1991) that gives out no tickets once there is no next one, for any
 *   number of threads.
 *
 * Property: a thread inside is alone.
 * Mutant: reading and raising the next ticket are separate steps: two threads get the same ticket.
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
    __VERIFIER_atomic_end();            /* mutant: was further down */
    __VERIFIER_atomic_begin();
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
