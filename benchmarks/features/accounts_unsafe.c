/* Bank accounts in an array of structures, each with its own lock; two transfers in opposite
 * directions.
 *
 * Property: no money is lost.
 * Mutant: the money is put in before the lock is taken, so a change of the other thread may be
 *   lost.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

struct account accounts[2];

void transfer(int from, int to, int amount)
{
    pthread_mutex_lock(&accounts[from].lock);
    accounts[from].balance -= amount;
    pthread_mutex_unlock(&accounts[from].lock);
    accounts[to].balance += amount;     /* mutant: was after the next line */
    pthread_mutex_lock(&accounts[to].lock);
    pthread_mutex_unlock(&accounts[to].lock);
}

void *there(void *arg)
{
    transfer(0, 1, 3);
    return 0;
}

void *back(void *arg)
{
    transfer(1, 0, 1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(&accounts[i].lock, 0);
        accounts[i].balance = 5;
    }
    pthread_create(&a, 0, there, 0);
    pthread_create(&b, 0, back, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(accounts[0].balance == 3);
    assert(accounts[1].balance == 7);
    return 0;
}
