/* Two producers and a faster consumer with a buffer of two places, which is a stack, as SystemC threads.
 *
 * The example of S. Kundu, M. Ganai, R. Gupta, "Partial order reduction for scalable testing of SystemC TLM
 * designs" (DAC 2008) in the form that SV-COMP has with the kernel written out in C (systemc/kundu).
 *
 * Property: the buffer of two places neither overflows nor underflows.
 * State space: finite.
 */
#include <assert.h>
#include <sc_coop.h>

#define ROUNDS 8

sc_event refilled;
char buffer[2];
int filled = 0, rounds = 0, starving = 0;

void put(char what)
{
    assert(filled >= 0 && filled < 2);
    buffer[filled] = what;
    filled++;
}

void producer_a(void *argument)
{
    while (rounds < ROUNDS) {
        put('A');
        sc_wait_time(2);
    }
}

void producer_b(void *argument)
{
    while (rounds < ROUNDS) {
        put('B');
        if (starving) {
            starving = 0;
            sc_notify(refilled);
        }
        sc_wait_time(2);
    }
}

void consumer(void *argument)
{
    while (rounds < ROUNDS) {
        if (filled == 0) {
            starving = 1;
            rounds++;
            sc_wait_event(refilled);
        }
        filled--;
        assert(filled >= 0 && filled < 2);
        char taken = buffer[filled];
        (void)taken;
        rounds++;
        sc_wait_time(1);
    }
}

int main(void)
{
    refilled = sc_event_create();
    sc_thread(producer_a, 0);
    sc_thread(producer_b, 0);
    sc_thread(consumer, 0);
    sc_start();
    return 0;
}
