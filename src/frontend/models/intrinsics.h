/* What lowering knows by name; see the table in frontend/mod.rs. */
void __regrain_atomic_begin(void);
void __regrain_atomic_end(void);
void __regrain_assume(_Bool condition);
void __regrain_assert(_Bool condition, const char *text);
void __regrain_fail(const char *text);
void __regrain_stop(void);
unsigned long __regrain_self(void);
unsigned long __regrain_create(void *(*start)(void *), void *argument);
void *__regrain_join(unsigned long thread);
void __regrain_exit(void *result);
void __regrain_fence(void);
void __regrain_store_fence(void);
int __regrain_nondet_int(void);
void __regrain_acquired(void *lock);
void __regrain_released(void *lock);
void __regrain_undefined(const char *what);
