/* Slots of a table, taken and given back under one mutex.
 *
 * Each client has a number, and picks any slot. If nobody owns it, the client writes its number there; later
 * it comes back, finds its number still there, and gives the slot back.
 *
 * Property: what a client owns stays its own.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define SLOTS 64

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned owner[SLOTS];

void *client(void *arg)
{
    unsigned me = __VERIFIER_nondet_uint();
    if (me == 0)
        return 0;
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        int taken = 0;
        if (k >= SLOTS)
            continue;
        pthread_mutex_lock(&m);
        if (owner[k] == 0) {
            owner[k] = me;
            taken = 1;
        }
        pthread_mutex_unlock(&m);
        if (taken) {
            pthread_mutex_lock(&m);
            assert(owner[k] == me);
            owner[k] = 0;
            pthread_mutex_unlock(&m);
        }
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, client, 0);
    pthread_create(&b, 0, client, 0);
    return 0;
}
