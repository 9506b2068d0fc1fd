/* Optimistic updates: every entry has a version that goes up with each write.
 *
 * A reader remembers an entry and its version, does something else, and looks again under the mutex.
 *
 * Property: if the version is still the same, so is the entry.
 * State space: infinite.
 */
#include <assert.h>
#include <pthread.h>

#define ENTRIES 24

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int entry[ENTRIES];
int version[ENTRIES];

void *writer(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        int fresh = (int)__VERIFIER_nondet_uint();
        if (k >= ENTRIES)
            continue;
        pthread_mutex_lock(&m);
        entry[k] = fresh;
        version[k] = version[k] + 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *reader(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        if (k >= ENTRIES)
            continue;
        pthread_mutex_lock(&m);
        int seen = entry[k];
        int stamp = version[k];
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
        if (version[k] == stamp)
            assert(entry[k] == seen);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    return 0;
}
