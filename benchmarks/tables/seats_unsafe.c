/* Seats in rows, reserved in two steps: a look, and a booking that looks again.
 *
 * Property: who has booked a seat finds it booked in his name, and gives up his own seat alone.
 * Mutant: the booking does not look again.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define ROWS 8
#define COLUMNS 6

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int seat[ROWS * COLUMNS];

void *guest(void *arg)
{
    int me = (int)(long)arg;
    while (1) {
        unsigned row = __VERIFIER_nondet_uint();
        unsigned column = __VERIFIER_nondet_uint();
        if (row >= ROWS || column >= COLUMNS)
            continue;
        unsigned k = row * COLUMNS + column;
        int booked = 0;
        pthread_mutex_lock(&m);
        int free_seat = seat[k] == 0;
        pthread_mutex_unlock(&m);
        if (free_seat) {
            pthread_mutex_lock(&m);
            if (free_seat) {            /* mutant */
                seat[k] = me;
                booked = 1;
            }
            pthread_mutex_unlock(&m);
        }
        if (booked) {
            pthread_mutex_lock(&m);
            assert(seat[k] == me);
            seat[k] = 0;
            pthread_mutex_unlock(&m);
        }
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, guest, (void *)1);
    pthread_create(&b, 0, guest, (void *)2);
    return 0;
}
