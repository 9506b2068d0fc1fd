/* C11 threads (ISO 9899:2011, 7.26) in terms of POSIX threads, as glibc has them. Results: thrd_success 0, thrd_busy 1, thrd_error 2,
   thrd_timedout 4. Left out: failing creation. */

int thrd_create(thrd_t *thread, int (*start)(void *), void *argument) {
    return pthread_create(thread, 0, (void *(*)(void *))start, argument);
}

int thrd_join(thrd_t thread, int *result) {
    __regrain_cancellation_point();
    if (thread == __regrain_self() + 1)
        return 2;
    __regrain_cancellation_while_waiting();
    void *value = __regrain_join(thread - 1);
    if (result)
        *result = (int)(long)value;
    return 0;
}

void thrd_exit(int result) { pthread_exit((void *)(long)result); }
thrd_t thrd_current(void) { return pthread_self(); }
int thrd_equal(thrd_t a, thrd_t b) { return a == b; }
int thrd_detach(thrd_t thread) { return 0; }
void thrd_yield(void) {}
int thrd_sleep(const void *duration, void *remaining) {
    __regrain_cancellation_point();
    __regrain_cancellation_while_waiting();
    return 0;
}

int mtx_init(mtx_t *mutex, int type) {
    mutex->owner = 0;
    mutex->count = 0;
    mutex->kind = type & 1 ? __regrain_recursive : __regrain_normal;
    return 0;
}

void mtx_destroy(mtx_t *mutex) {}
int mtx_lock(mtx_t *mutex) { return pthread_mutex_lock(mutex); }
int mtx_unlock(mtx_t *mutex) { return pthread_mutex_unlock(mutex); }
int mtx_trylock(mtx_t *mutex) { return pthread_mutex_trylock(mutex) ? 1 : 0; }
int mtx_timedlock(mtx_t *mutex, const void *deadline) { return pthread_mutex_timedlock(mutex, deadline) ? 4 : 0; }
int cnd_init(cnd_t *cond) { return 0; }
void cnd_destroy(cnd_t *cond) {}
int cnd_wait(cnd_t *cond, mtx_t *mutex) { return pthread_cond_wait(cond, mutex); }
int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const void *deadline) {
    return pthread_cond_timedwait(cond, mutex, deadline) ? 4 : 0;
}
int cnd_signal(cnd_t *cond) { return 0; }
int cnd_broadcast(cnd_t *cond) { return 0; }
void call_once(once_flag *once, void (*routine)(void)) { pthread_once(once, routine); }
int tss_create(tss_t *key, void (*destructor)(void *)) { return pthread_key_create(key, destructor); }
void tss_delete(tss_t key) { pthread_key_delete(key); }
int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value); }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
