/* Tanks of a plant: a pump moves liquid from one to another, or back into the same.
 *
 * Property: two tanks together have as much after the pump has worked as before.
 * Mutant: a full tank takes nothing.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define TANKS 12

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int level[TANKS];

void *pump(void *arg)
{
    while (1) {
        unsigned from = __VERIFIER_nondet_uint();
        unsigned to = __VERIFIER_nondet_uint();
        unsigned amount = __VERIFIER_nondet_uint();
        if (from >= TANKS || to >= TANKS || amount > 100)
            continue;
        pthread_mutex_lock(&m);
        int before = level[from] + level[to];
        if (level[from] >= (int)amount) {
            level[from] = level[from] - (int)amount;
            if (level[to] < 50)         /* mutant */
                level[to] = level[to] + (int)amount;
        }
        assert(level[from] + level[to] == before);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *source(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        if (k >= TANKS)
            continue;
        pthread_mutex_lock(&m);
        if (level[k] < 1000)
            level[k] = level[k] + 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, pump, 0);
    pthread_create(&b, 0, source, 0);
    return 0;
}
