/* A log that goes round: writers append at the head, and the newest entry is kept beside it.
 *
 * Property: the entry before the head is the newest one.
 * Mutant: the head goes round one entry too early.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define LENGTH 64

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned log_entry[LENGTH];
unsigned newest_at, newest;

void *writer(void *arg)
{
    while (1) {
        unsigned text = __VERIFIER_nondet_uint();
        pthread_mutex_lock(&m);
        unsigned at = newest_at + 1;
        log_entry[at % LENGTH] = text;  /* mutant */
        if (at >= LENGTH - 1)
            at = 0;
        newest_at = at;
        newest = text;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *reader(void *arg)
{
    while (1) {
        pthread_mutex_lock(&m);
        assert(log_entry[newest_at] == newest);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_create(&c, 0, reader, 0);
    return 0;
}
