/* The factorial of 6 by three fair threads: one multiplies the even factors, one the odd ones, the third
 * joins both with a time limit.
 *
 * After `fact2` in A. Cimatti, I. Narasamdya, M. Roveri, "Software model checking with explicit scheduler
 * and symbolic threads" (2012), Section 6, whose sources are not public: rebuilt from the description there.
 * What is asserted follows from the scheduler alone, without knowing any variable.
 *
 * Property: neither join reaches its limit of five instants.
 * Mutant: three multiplications take three instants, so the limit of two is reached.
 * State space: finite.
 */
#include <assert.h>
#include <fthread.h>

ft_thread_t evens, odds;
unsigned even_product = 1, odd_product = 1, product;

void multiply_evens(void *arguments)
{
    even_product = even_product * 2;
    ft_thread_cooperate();
    even_product = even_product * 4;
    ft_thread_cooperate();
    even_product = even_product * 6;
}

void multiply_odds(void *arguments)
{
    odd_product = odd_product * 3;
    ft_thread_cooperate();
    odd_product = odd_product * 5;
}

void collect(void *arguments)
{
    if (ft_thread_join_n(evens, 2) /* mutant: was 5 */ == ETIMEOUT)
        assert(0);
    if (ft_thread_join_n(odds, 5) == ETIMEOUT)
        assert(0);
    product = even_product * odd_product;
}

int main(void)
{
    ft_scheduler_t scheduler = ft_scheduler_create();
    evens = ft_thread_create(scheduler, multiply_evens, 0, 0);
    odds = ft_thread_create(scheduler, multiply_odds, 0, 0);
    ft_thread_create(scheduler, collect, 0, 0);
    ft_scheduler_start(scheduler);
    ft_exit();
    return 0;
}
