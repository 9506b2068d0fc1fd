/* Prices that change, and a copy of the one that is on display.
 *
 * Property: the display shows the price of the article that it names.
 * Mutant: what is free is not shown as such.
 * State space: large.
 */
#include <assert.h>
#include <pthread.h>

#define ARTICLES 40

extern unsigned __VERIFIER_nondet_uint(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned price[ARTICLES];
unsigned shown;                         /* the article on display */
unsigned display;                       /* its price */

void *shopkeeper(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        unsigned new_price = __VERIFIER_nondet_uint();
        if (k >= ARTICLES)
            continue;
        pthread_mutex_lock(&m);
        price[k] = new_price;
        if (k == shown && new_price != 0) /* mutant */
            display = new_price;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *decorator(void *arg)
{
    while (1) {
        unsigned k = __VERIFIER_nondet_uint();
        if (k >= ARTICLES)
            continue;
        pthread_mutex_lock(&m);
        assert(price[shown] == display);
        shown = k;
        display = price[k];
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, shopkeeper, 0);
    pthread_create(&b, 0, decorator, 0);
    return 0;
}
