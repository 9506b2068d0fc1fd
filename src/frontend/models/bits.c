/* Bits, arithmetic that tells of overflow, and hints to the processor: builtins of gcc and clang, after the manual of gcc (sections 6.59 and following). */

int __builtin_popcountll(unsigned long long x) {
    x = x - (x >> 1 & 0x5555555555555555ull);
    x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    x = x + (x >> 8);
    x = x + (x >> 16);
    x = x + (x >> 32);
    return (int)(x & 127);
}

int __builtin_popcount(unsigned x) {
    x = x - (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    x = x + (x >> 8);
    x = x + (x >> 16);
    return (int)(x & 63);
}

int __builtin_popcountl(unsigned long x) { return __builtin_popcountll(x); }
int __builtin_parity(unsigned x) { return __builtin_popcount(x) & 1; }
int __builtin_parityl(unsigned long x) { return __builtin_popcountll(x) & 1; }
int __builtin_parityll(unsigned long long x) { return __builtin_popcountll(x) & 1; }

int __builtin_ctzll(unsigned long long x) {
    if (x == 0)
        __regrain_undefined("counting the zeros behind the lowest bit of 0");
    return __builtin_popcountll(~x & (x - 1));
}

int __builtin_ctz(unsigned x) { return __builtin_ctzll(x); }
int __builtin_ctzl(unsigned long x) { return __builtin_ctzll(x); }

int __builtin_clzll(unsigned long long x) {
    if (x == 0)
        __regrain_undefined("counting the zeros before the highest bit of 0");
    x = x | x >> 1;
    x = x | x >> 2;
    x = x | x >> 4;
    x = x | x >> 8;
    x = x | x >> 16;
    x = x | x >> 32;
    return 64 - __builtin_popcountll(x);
}

int __builtin_clz(unsigned x) { return __builtin_clzll(x) - 32; }
int __builtin_clzl(unsigned long x) { return __builtin_clzll(x) - (64 - 8 * (int)sizeof(long)); }
int __builtin_clrsb(int x) { return x == 0 || x == -1 ? 31 : __builtin_clz((unsigned)(x < 0 ? ~x : x)) - 1; }
int __builtin_ffsll(long long x) { return x == 0 ? 0 : __builtin_ctzll((unsigned long long)x) + 1; }
int __builtin_ffs(int x) { return x == 0 ? 0 : __builtin_ctzll((unsigned)x) + 1; }
int __builtin_ffsl(long x) { return x == 0 ? 0 : __builtin_ctzll((unsigned long)x) + 1; }
int ffs(int x) { return __builtin_ffs(x); }
int ffsl(long x) { return __builtin_ffsl(x); }
int ffsll(long long x) { return __builtin_ffsll(x); }

unsigned short __builtin_bswap16(unsigned short x) { return (unsigned short)(x << 8 | x >> 8); }
unsigned __builtin_bswap32(unsigned x) {
    return x << 24 | (x & 0xff00u) << 8 | (x >> 8 & 0xff00u) | x >> 24;
}
unsigned long long __builtin_bswap64(unsigned long long x) {
    return (unsigned long long)__builtin_bswap32((unsigned)x) << 32 | __builtin_bswap32((unsigned)(x >> 32));
}

/* The result is what wraps around, and whether the exact one differs from it. `(unsigned)` keeps signed arithmetic from overflowing. */
_Bool __builtin_sadd_overflow(int a, int b, int *result) {
    long long exact = (long long)a + b;
    *result = (int)((unsigned)a + (unsigned)b);
    return exact < -2147483648ll || exact > 2147483647ll;
}
_Bool __builtin_ssub_overflow(int a, int b, int *result) {
    long long exact = (long long)a - b;
    *result = (int)((unsigned)a - (unsigned)b);
    return exact < -2147483648ll || exact > 2147483647ll;
}
_Bool __builtin_smul_overflow(int a, int b, int *result) {
    long long exact = (long long)a * b;
    *result = (int)((unsigned)a * (unsigned)b);
    return exact < -2147483648ll || exact > 2147483647ll;
}
_Bool __builtin_uadd_overflow(unsigned a, unsigned b, unsigned *result) {
    *result = a + b;
    return a + b < a;
}
_Bool __builtin_usub_overflow(unsigned a, unsigned b, unsigned *result) {
    *result = a - b;
    return a < b;
}
_Bool __builtin_umul_overflow(unsigned a, unsigned b, unsigned *result) {
    *result = a * b;
    return (unsigned long long)a * b > 4294967295ull;
}
_Bool __builtin_saddll_overflow(long long a, long long b, long long *result) {
    long long sum = (long long)((unsigned long long)a + (unsigned long long)b);
    *result = sum;
    return ((a ^ sum) & (b ^ sum)) < 0;
}
_Bool __builtin_ssubll_overflow(long long a, long long b, long long *result) {
    long long difference = (long long)((unsigned long long)a - (unsigned long long)b);
    *result = difference;
    return ((a ^ b) & (a ^ difference)) < 0;
}
_Bool __builtin_smulll_overflow(long long a, long long b, long long *result) {
    long long product = (long long)((unsigned long long)a * (unsigned long long)b);
    *result = product;
    if (a == -1)
        return b == -9223372036854775807ll - 1;
    return a != 0 && product / a != b;
}
_Bool __builtin_uaddll_overflow(unsigned long long a, unsigned long long b, unsigned long long *result) {
    *result = a + b;
    return a + b < a;
}
_Bool __builtin_usubll_overflow(unsigned long long a, unsigned long long b, unsigned long long *result) {
    *result = a - b;
    return a < b;
}
_Bool __builtin_umulll_overflow(unsigned long long a, unsigned long long b, unsigned long long *result) {
    *result = a * b;
    return a != 0 && a * b / a != b;
}
_Bool __builtin_saddl_overflow(long a, long b, long *result) {
    long sum = (long)((unsigned long)a + (unsigned long)b);
    *result = sum;
    return ((a ^ sum) & (b ^ sum)) < 0;
}
_Bool __builtin_ssubl_overflow(long a, long b, long *result) {
    long difference = (long)((unsigned long)a - (unsigned long)b);
    *result = difference;
    return ((a ^ b) & (a ^ difference)) < 0;
}
_Bool __builtin_smull_overflow(long a, long b, long *result) {
    long product = (long)((unsigned long)a * (unsigned long)b);
    *result = product;
    if (a == -1)
        return b == (long)(~((unsigned long)-1 / 2));
    return a != 0 && product / a != b;
}
_Bool __builtin_uaddl_overflow(unsigned long a, unsigned long b, unsigned long *result) {
    *result = a + b;
    return a + b < a;
}
_Bool __builtin_usubl_overflow(unsigned long a, unsigned long b, unsigned long *result) {
    *result = a - b;
    return a < b;
}
_Bool __builtin_umull_overflow(unsigned long a, unsigned long b, unsigned long *result) {
    *result = a * b;
    return a != 0 && a * b / a != b;
}

void __builtin_ia32_pause(void) {}
void __builtin_ia32_lfence(void) {}
void __builtin_ia32_mfence(void) { __regrain_fence(); }
void __builtin_ia32_sfence(void) { __regrain_store_fence(); }
void _mm_pause(void) {}
void _mm_lfence(void) {}
void _mm_mfence(void) { __regrain_fence(); }
void _mm_sfence(void) { __regrain_store_fence(); }
