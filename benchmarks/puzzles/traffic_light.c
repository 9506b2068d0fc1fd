/* Traffic light controller: two lights share one turn; each runs through its colours in a switch.
 *
 * Property: never are both lights other than red.
 * State space: finite, although the threads run for ever.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void reach_error(void) { assert(0); }

enum colour { RED, GREEN, YELLOW };

enum colour light[2] = {RED, RED};
int turn = 0;
int id[2] = {0, 1};

void *controller(void *arg)
{
    int me = *(int *)arg;
    while (1) {
        switch (light[me]) {
        case RED:
            if (turn == me)
                light[me] = GREEN;
            break;
        case GREEN:
            if (light[1 - me] != RED)
                reach_error();
            light[me] = YELLOW;
            break;
        case YELLOW:
            light[me] = RED;
            turn = 1 - me;
            break;
        }
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, controller, &id[0]);
    pthread_create(&b, 0, controller, &id[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
