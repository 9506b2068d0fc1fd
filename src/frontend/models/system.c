/* The few functions of the system that programs call without caring what they do. */

int sched_yield(void) { return 0; }
unsigned sleep(unsigned seconds) { return 0; }
int usleep(unsigned microseconds) { return 0; }
int nanosleep(const void *duration, void *remaining) { return 0; }
void srand(unsigned seed) {}

int rand(void) {
    int value = __regrain_nondet_int();
    __regrain_assume(value >= 0);
    return value;
}

int random(void) { return rand(); }

int abs(int value) { return value < 0 ? -value : value; }
