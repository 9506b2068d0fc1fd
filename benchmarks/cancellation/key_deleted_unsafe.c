/* pthread_key_delete calls no destructors: what threads still have is theirs to give back.
 *
 * Property: the value is given back once.
 * Mutant: the key is deleted before the thread ends, and nobody gives the value back.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int open_files = 1;

void close_file(void *value)
{
    open_files--;
}

void *worker(void *arg)
{
    pthread_setspecific(key, &open_files);
    pthread_key_delete(key);            /* mutant: was (void)pthread_getspecific(key) */
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&key, close_file);
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(open_files == 0);
    return 0;
}
