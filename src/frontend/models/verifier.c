/* What verification tasks call: the conventions of the competition and of other verifiers. */

void __VERIFIER_atomic_begin(void) { __regrain_atomic_begin(); }
void __VERIFIER_atomic_end(void) { __regrain_atomic_end(); }
void __VERIFIER_assume(int condition) { __regrain_assume(condition); }
void __VERIFIER_assert(int condition) { __regrain_assert(condition, 0); }
void __VERIFIER_error(void) { __regrain_fail(0); }
void assume_abort_if_not(int condition) { __regrain_assume(condition); }
void assume(int condition) { __regrain_assume(condition); }

void __CPROVER_atomic_begin(void) { __regrain_atomic_begin(); }
void __CPROVER_atomic_end(void) { __regrain_atomic_end(); }
void __CPROVER_assume(_Bool condition) { __regrain_assume(condition); }
void __CPROVER_assert(_Bool condition, const char *text) { __regrain_assert(condition, text); }

void __ESBMC_atomic_begin(void) { __regrain_atomic_begin(); }
void __ESBMC_atomic_end(void) { __regrain_atomic_end(); }
void __ESBMC_assume(_Bool condition) { __regrain_assume(condition); }
void __ESBMC_assert(_Bool condition, const char *text) { __regrain_assert(condition, text); }
void __ESBMC_yield(void) {}

void assert(_Bool condition) { __regrain_assert(condition, 0); }
void __assert_fail(const char *text, const char *file, unsigned line, const char *function) { __regrain_fail(text); }
void __assert(const char *text, const char *file, int line) { __regrain_fail(text); }

/* Ending the program: nothing that another thread does later could not have been done before. */
void abort(void) { __regrain_stop(); }
void exit(int status) {
    if (__regrain_used("atexit"))
        __regrain_at_exit();
    __regrain_stop();
}
void _exit(int status) { __regrain_stop(); }
void _Exit(int status) { __regrain_stop(); }
void quick_exit(int status) { __regrain_stop(); }
