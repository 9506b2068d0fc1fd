/* Pages with the time of their last use, and the page that was used last.
 *
 * Property: the page that was used last has the latest time.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

#define PAGES 40

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int now;
int used[PAGES];                        /* when */
unsigned last;                          /* which was used last */

void *process(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        if (k >= PAGES)
            continue;
        pthread_mutex_lock(&m);
        now = now + 1;
        used[k] = now;
        last = k;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *cleaner(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        if (k >= PAGES)
            continue;
        pthread_mutex_lock(&m);
        assert(used[last] == now);
        if (k != last)
            used[k] = 0;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, process, 0);
    pthread_create(&b, 0, process, 0);
    pthread_create(&c, 0, cleaner, 0);
    return 0;
}
