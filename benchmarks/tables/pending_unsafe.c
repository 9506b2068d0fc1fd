/* A mailbox: the sender puts a letter anywhere on a shelf and leaves a note where it is.
 *
 * Property: the receiver finds a letter where the note says.
 * Mutant: an empty letter is a letter too.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define SHELF 128

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned letter[SHELF];
unsigned note = SHELF;

void *sender(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        unsigned text = __VERIFIER_nondet_uint();
        if (k >= SHELF || text >= 4000000000u) /* mutant */
            continue;
        pthread_mutex_lock(&m);
        if (note == SHELF) {
            letter[k] = text;
            note = k;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *receiver(void *arg)
{
    while (1) {
        pthread_mutex_lock(&m);
        if (note < SHELF) {
            assert(letter[note] != 0);
            letter[note] = 0;
            note = SHELF;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, receiver, 0);
    return 0;
}
