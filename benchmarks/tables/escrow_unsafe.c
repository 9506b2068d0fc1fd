/* Money in escrow: it leaves an account at once, and comes back or goes on later.
 *
 * Property: what comes out of escrow is what went in, and comes from the account that it left.
 * Mutant: a buyer may pay again while his money is held; what is held first counts.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define ACCOUNTS 20

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned paid[ACCOUNTS];                /* the last payment from each account */
unsigned payer, held;                   /* whose money is held, and how much: 0 for none */

void *buyer(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        unsigned amount = __VERIFIER_nondet_uint();
        if (k >= ACCOUNTS || amount == 0)
            continue;
        pthread_mutex_lock(&m);
        if (held == 0 || payer == k) {  /* mutant */
            paid[k] = amount;
            payer = k;
            if (held == 0)
                held = amount;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *agent(void *arg)
{
    while (1) {
        pthread_mutex_lock(&m);
        if (held != 0) {
            unsigned amount = held;
            assert(paid[payer] == amount);
            paid[payer] = 0;
            held = 0;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, buyer, 0);
    pthread_create(&b, 0, buyer, 0);
    pthread_create(&c, 0, agent, 0);
    return 0;
}
