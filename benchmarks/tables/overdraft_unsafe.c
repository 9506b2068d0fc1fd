/* Accounts that may not be overdrawn.
 *
 * A customer withdraws what is there at most, and pays it into another account. The clerk pays in.
 *
 * Property: right after a withdrawal the account is not overdrawn, and has what it had less the amount.
 * Mutant: an amount may be paid into the account that it came from.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define ACCOUNTS 16

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance[ACCOUNTS];

void *customer(void *arg)
{
    while (1) {
        unsigned from = __VERIFIER_nondet_uint();
        unsigned to = __VERIFIER_nondet_uint();
        unsigned amount = __VERIFIER_nondet_uint();
        if (from >= ACCOUNTS || to >= ACCOUNTS || amount > 1000)
            continue;
        pthread_mutex_lock(&m);
        int before = balance[from];
        if (before >= (int)amount) {
            balance[from] = before - (int)amount;
            assert(balance[from] >= 0);
            if (to <= ACCOUNTS) {       /* mutant */
                balance[to] = balance[to] + (int)amount;
                assert(balance[from] == before - (int)amount);
            } else {
                balance[from] = before;
            }
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *clerk(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        if (k >= ACCOUNTS)
            continue;
        pthread_mutex_lock(&m);
        if (balance[k] < 1000000)
            balance[k] = balance[k] + 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, customer, 0);
    pthread_create(&b, 0, clerk, 0);
    return 0;
}
