/* Time-varying mutex of the Frangipani file system.
 *
 * C. Flanagan, S. N. Freund, S. Qadeer, "Thread-modular verification for shared-memory programs",
 * ESOP 2002, after C. A. Thekkath, T. Mann, E. K. Lee, "Frangipani: a scalable distributed file
 * system", SOSP 1997. Which mutex protects a disk block depends on the block's busy bit: m_inode
 * while the block is allocated to the inode, m_busy while it is free.
 *
 * Property: a thread that writes the block has it for itself.
 * Mutant: the allocator does not mark the block as busy, so the deallocator still takes it for
 *   free.
 * State space: finite.
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m_inode = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t m_busy = PTHREAD_MUTEX_INITIALIZER;
int inode = 0;                          /* block that the inode owns, 0: none */
int busy = 0;                           /* the block is allocated */
int block;                              /* the disk block itself */

void *allocator(void *arg)
{
    pthread_mutex_lock(&m_inode);
    if (inode == 0) {
        pthread_mutex_lock(&m_busy);
        busy = 0;                       /* mutant: was 1 */
        pthread_mutex_unlock(&m_busy);
        inode = 1;
    }
    block = 1;
    assert(block == 1);
    pthread_mutex_unlock(&m_inode);
    return 0;
}

void *deallocator(void *arg)
{
    pthread_mutex_lock(&m_busy);
    if (busy == 0) {
        block = 0;
        assert(block == 0);
    }
    pthread_mutex_unlock(&m_busy);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, allocator, 0);
    pthread_create(&b, 0, deallocator, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
