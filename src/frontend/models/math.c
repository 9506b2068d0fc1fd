/* Numbers (ISO 9899:2011, 7.12 and F.10), as far as the results are exact: those that IEEE 754 asks to be rounded correctly, and those that need no rounding. Left out:
   errno and floating-point exceptions, rounding modes other than to nearest, and functions that libraries approximate; those are refused. */

int isnan(double x) { return x != x; }
int isinf(double x) { return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0; }
int isfinite(double x) { return x - x == 0; }
int signbit(double x) { return __regrain_double_bits(x) >> 63 ? 1 : 0; }
int isnormal(double x) {
    double size = x < 0 ? -x : x;
    return size >= 2.2250738585072014e-308 && size < __builtin_inf();
}

double fabs(double x) { return __regrain_double_of(__regrain_double_bits(x) & 9223372036854775807ull); }
float fabsf(float x) { return __regrain_float_of(__regrain_float_bits(x) & 2147483647u); }

double copysign(double x, double sign) {
    unsigned long long bit = 9223372036854775808ull;
    return __regrain_double_of((__regrain_double_bits(x) & ~bit) | (__regrain_double_bits(sign) & bit));
}

float copysignf(float x, float sign) {
    unsigned bit = 2147483648u;
    return __regrain_float_of((__regrain_float_bits(x) & ~bit) | (__regrain_float_bits(sign) & bit));
}

double sqrt(double x) { return __regrain_sqrt(x); }
float sqrtf(float x) { return __regrain_sqrtf(x); }

/* From 2^52 on every number is whole. */
double trunc(double x) {
    if (!(fabs(x) < 4503599627370496.0))
        return x;
    return copysign((double)(long long)x, x);
}

double floor(double x) {
    double whole = trunc(x);
    return whole > x ? whole - 1 : whole;
}

double ceil(double x) {
    double whole = trunc(x);
    return whole < x ? copysign(whole + 1, x) : whole;
}

/* Halves away from zero. */
double round(double x) {
    double whole = trunc(x);
    return fabs(x - whole) >= 0.5 ? whole + copysign(1, x) : whole;
}

float truncf(float x) { return (float)trunc(x); }
float floorf(float x) { return (float)floor(x); }
float ceilf(float x) { return (float)ceil(x); }
float roundf(float x) { return (float)round(x); }
long lround(double x) { return (long)round(x); }

/* A NaN counts as missing; which zero comes first is unspecified. */
double fmin(double a, double b) {
    if (a != a)
        return b;
    if (b != b)
        return a;
    if (a == b)
        return __regrain_nondet_bool() ? a : b;
    return a < b ? a : b;
}

double fmax(double a, double b) {
    if (a != a)
        return b;
    if (b != b)
        return a;
    if (a == b)
        return __regrain_nondet_bool() ? a : b;
    return a > b ? a : b;
}

float fminf(float a, float b) { return (float)fmin(a, b); }
float fmaxf(float a, float b) { return (float)fmax(a, b); }
