/* Structures: a writer replaces a pair, a reader copies it; both hold a lock.
 *
 * Property: the copy is one of the pairs that were written.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

struct point {
    int x, y;
};

struct shape {
    struct point corner;
    int colour;
};

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct shape shared = {{1, 1}, 7};

void *writer(void *arg)
{
    struct shape s = {{2, 2}, 8};
    pthread_mutex_lock(&m);
    shared = s;
    pthread_mutex_unlock(&m);
    return 0;
}

void *reader(void *arg)
{
    struct shape s;
    pthread_mutex_lock(&m);
    s = shared;
    pthread_mutex_unlock(&m);
    assert(s.corner.x == s.corner.y);
    assert(s.colour == s.corner.x + 6);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
