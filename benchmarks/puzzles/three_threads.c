/* Three threads, main included, that read and write two variables crosswise.
 *
 * The running example (Fig. 2) of L. Yin, W. Dong, W. Liu, J. Wang, "Scheduling constraint based
 * abstraction refinement for multi-threaded program verification", 2017.
 *
 * Property: m and n are not both 1 at the end.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

int x = 1, y = 1;
int m = 0, n = 0;

void *thr1(void *arg)
{
    x = y + 1;
    m = y;
    x = 0;
    return 0;
}

void *thr2(void *arg)
{
    y = x + 1;
    n = x;
    y = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thr1, 0);
    pthread_create(&b, 0, thr2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(!(m == 1 && n == 1));
    return 0;
}
