/* Functions registered with atexit run in reverse order when main returns; a thread that ends does not
 * call them.
 *
 * Property: the log is closed after the last entry.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int opened = 1, entries = 0;

void last_entry(void)
{
    assert(opened);
    entries++;
}

void close_log(void)
{
    assert(entries == 2);
    opened = 0;
}

void *worker(void *arg)
{
    entries++;
    return 0;
}

int main(void)
{
    pthread_t t;
    atexit(close_log); atexit(last_entry);
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(opened && entries == 1);
    return 0;
}
