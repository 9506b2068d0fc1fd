/* Leases that run out: a holder may use an entry as long as its lease lasts.
 *
 * Time goes on in a thread of its own. Who takes a lease writes when it ends; who uses the entry looks at
 * the clock under the same mutex.
 *
 * Property: when a lease has just been taken, it lasts.
 * Mutant: the last entry is leased for no time.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

#define ENTRIES 50
#define TERM 10

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int now;
int until[ENTRIES];
int holder[ENTRIES];

void *clock_thread(void *arg)
{
    while (1) {
        pthread_mutex_lock(&m);
        now = now + 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *client(void *arg)
{
    int me = (int)(long)arg;
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        int mine = 0;
        if (k >= ENTRIES)
            continue;
        pthread_mutex_lock(&m);
        if (holder[k] == 0 || until[k] < now) {
            holder[k] = me;
            until[k] = now + TERM * (k < 49); /* mutant */
            mine = 1;
        }
        if (mine) {
            assert(holder[k] == me);
            assert(now < until[k]);
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, clock_thread, 0);
    pthread_create(&b, 0, client, (void *)1);
    pthread_create(&c, 0, client, (void *)2);
    return 0;
}
