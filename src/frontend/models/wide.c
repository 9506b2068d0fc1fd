/* Integers of 128 bits (GNU C): two words of 64 bits, the lower one first, as on x86-64. Analysis makes calls of these functions of the operators. Signed
   arithmetic on the upper words overflows where that on 128 bits does. */

static struct __regrain_uint128 __regrain_u128_from_u(unsigned long long value) {
    struct __regrain_uint128 result = {value, 0};
    return result;
}

static struct __regrain_uint128 __regrain_u128_from_i(long long value) {
    struct __regrain_uint128 result = {(unsigned long long)value, value < 0 ? (unsigned long long)-1 : 0};
    return result;
}

static struct __regrain_int128 __regrain_i128_from_u(unsigned long long value) {
    struct __regrain_int128 result = {value, 0};
    return result;
}

static struct __regrain_int128 __regrain_i128_from_i(long long value) {
    struct __regrain_int128 result = {(unsigned long long)value, value < 0 ? -1 : 0};
    return result;
}

static struct __regrain_uint128 __regrain_u128_from_i128(struct __regrain_int128 value) {
    struct __regrain_uint128 result = {value.low, (unsigned long long)value.high};
    return result;
}

static struct __regrain_int128 __regrain_i128_from_u128(struct __regrain_uint128 value) {
    struct __regrain_int128 result = {value.low, (long long)value.high};
    return result;
}

static _Bool __regrain_u128_truth(struct __regrain_uint128 a) { return (a.low | a.high) != 0; }
static _Bool __regrain_i128_truth(struct __regrain_int128 a) { return (a.low | (unsigned long long)a.high) != 0; }

static _Bool __regrain_u128_equal(struct __regrain_uint128 a, struct __regrain_uint128 b) {
    return a.low == b.low && a.high == b.high;
}
static _Bool __regrain_i128_equal(struct __regrain_int128 a, struct __regrain_int128 b) {
    return a.low == b.low && a.high == b.high;
}
static _Bool __regrain_u128_less(struct __regrain_uint128 a, struct __regrain_uint128 b) {
    return a.high < b.high || a.high == b.high && a.low < b.low;
}
static _Bool __regrain_i128_less(struct __regrain_int128 a, struct __regrain_int128 b) {
    return a.high < b.high || a.high == b.high && a.low < b.low;
}

static struct __regrain_uint128 __regrain_u128_add(struct __regrain_uint128 a, struct __regrain_uint128 b) {
    struct __regrain_uint128 result = {a.low + b.low, 0};
    result.high = a.high + b.high + (result.low < a.low);
    return result;
}

static struct __regrain_uint128 __regrain_u128_sub(struct __regrain_uint128 a, struct __regrain_uint128 b) {
    struct __regrain_uint128 result = {a.low - b.low, a.high - b.high - (a.low < b.low)};
    return result;
}

/* The carry goes where it cannot overflow by itself. */
static struct __regrain_int128 __regrain_i128_add(struct __regrain_int128 a, struct __regrain_int128 b) {
    struct __regrain_int128 result = {a.low + b.low, 0};
    long long carry = result.low < a.low;
    result.high = a.high < 0 ? a.high + carry + b.high : a.high + (b.high + carry);
    return result;
}

static struct __regrain_int128 __regrain_i128_sub(struct __regrain_int128 a, struct __regrain_int128 b) {
    struct __regrain_int128 result = {a.low - b.low, 0};
    long long borrow = a.low < b.low;
    result.high = a.high < 0 ? a.high - b.high - borrow : a.high - borrow - b.high;
    return result;
}

static struct __regrain_uint128 __regrain_u128_product(unsigned long long a, unsigned long long b) {
    unsigned long long a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    unsigned long long low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & 0xffffffffu);
    struct __regrain_uint128 result = {other << 32 | low & 0xffffffffu, a1 * b1 + (middle >> 32) + (other >> 32)};
    return result;
}

static struct __regrain_uint128 __regrain_u128_mul(struct __regrain_uint128 a, struct __regrain_uint128 b) {
    struct __regrain_uint128 result = __regrain_u128_product(a.low, b.low);
    result.high += a.low * b.high + a.high * b.low;
    return result;
}

static struct __regrain_uint128 __regrain_u128_shl(struct __regrain_uint128 a, int amount) {
    struct __regrain_uint128 result = {0, 0};
    if (amount < 0 || amount > 127)
        __regrain_undefined("shift by a negative or too large amount");
    if (amount == 0)
        return a;
    if (amount >= 64)
        result.high = a.low << (amount - 64);
    else {
        result.high = a.high << amount | a.low >> (64 - amount);
        result.low = a.low << amount;
    }
    return result;
}

static struct __regrain_uint128 __regrain_u128_shr(struct __regrain_uint128 a, int amount) {
    struct __regrain_uint128 result = {0, 0};
    if (amount < 0 || amount > 127)
        __regrain_undefined("shift by a negative or too large amount");
    if (amount == 0)
        return a;
    if (amount >= 64)
        result.low = a.high >> (amount - 64);
    else {
        result.low = a.low >> amount | a.high << (64 - amount);
        result.high = a.high >> amount;
    }
    return result;
}

static struct __regrain_int128 __regrain_i128_shr(struct __regrain_int128 a, int amount) {
    struct __regrain_int128 result = {0, 0};
    if (amount < 0 || amount > 127)
        __regrain_undefined("shift by a negative or too large amount");
    if (amount == 0)
        return a;
    if (amount >= 64) {
        result.low = (unsigned long long)(a.high >> (amount - 64));
        result.high = a.high >> 63;
    } else {
        result.low = a.low >> amount | (unsigned long long)a.high << (64 - amount);
        result.high = a.high >> amount;
    }
    return result;
}

/* Overflows: what happens then is what happens for words. */
static void __regrain_overflow(void) {
    long long most = 9223372036854775807ll;
    most++;
}

/* A negative number, or a one that reaches the sign, overflows. */
static struct __regrain_int128 __regrain_i128_shl(struct __regrain_int128 a, int amount) {
    struct __regrain_int128 result =
        __regrain_i128_from_u128(__regrain_u128_shl(__regrain_u128_from_i128(a), amount));
    struct __regrain_int128 back = __regrain_i128_shr(result, amount);
    if (a.high < 0 || back.high != a.high || back.low != a.low)
        __regrain_overflow();
    return result;
}

struct __regrain_quotient {
    struct __regrain_uint128 quotient, remainder;
};

/* Bit by bit, where not both fit a word. */
static struct __regrain_quotient __regrain_u128_divide(struct __regrain_uint128 a, struct __regrain_uint128 b) {
    struct __regrain_quotient result = {{0, 0}, {0, 0}};
    if (b.low == 0 && b.high == 0)
        __regrain_undefined("division by zero");
    if (a.high == 0 && b.high == 0) {
        result.quotient.low = a.low / b.low;
        result.remainder.low = a.low % b.low;
        return result;
    }
    for (int bit = 127; bit >= 0; bit--) {
        _Bool lost = result.remainder.high >> 63;
        result.remainder = __regrain_u128_shl(result.remainder, 1);
        result.remainder.low |= __regrain_u128_shr(a, bit).low & 1;
        if (lost || !__regrain_u128_less(result.remainder, b)) {
            result.remainder = __regrain_u128_sub(result.remainder, b);
            if (bit >= 64)
                result.quotient.high |= 1ull << (bit - 64);
            else
                result.quotient.low |= 1ull << bit;
        }
    }
    return result;
}

static struct __regrain_uint128 __regrain_u128_div(struct __regrain_uint128 a, struct __regrain_uint128 b) {
    return __regrain_u128_divide(a, b).quotient;
}
static struct __regrain_uint128 __regrain_u128_rem(struct __regrain_uint128 a, struct __regrain_uint128 b) {
    return __regrain_u128_divide(a, b).remainder;
}

/* The size of a number, as a natural one. */
static struct __regrain_uint128 __regrain_i128_size(struct __regrain_int128 a) {
    struct __regrain_uint128 zero = {0, 0}, value = __regrain_u128_from_i128(a);
    return a.high < 0 ? __regrain_u128_sub(zero, value) : value;
}

static struct __regrain_int128 __regrain_i128_signed(struct __regrain_uint128 size, _Bool minus) {
    struct __regrain_uint128 zero = {0, 0};
    _Bool least = minus && size.high == 9223372036854775808ull && size.low == 0;
    if (size.high >> 63 && !least)
        __regrain_overflow();
    return __regrain_i128_from_u128(minus ? __regrain_u128_sub(zero, size) : size);
}

static struct __regrain_int128 __regrain_i128_mul(struct __regrain_int128 a, struct __regrain_int128 b) {
    struct __regrain_uint128 x = __regrain_i128_size(a), y = __regrain_i128_size(b);
    struct __regrain_uint128 cross = __regrain_u128_product(x.high ? x.high : y.high, x.high ? y.low : x.low);
    struct __regrain_uint128 size = __regrain_u128_product(x.low, y.low);
    if (x.high && y.high || cross.high || size.high + cross.low < size.high)
        __regrain_overflow();
    size.high += cross.low;
    __regrain_i128_signed(size, (a.high < 0) != (b.high < 0));
    return __regrain_i128_from_u128(__regrain_u128_mul(__regrain_u128_from_i128(a), __regrain_u128_from_i128(b)));
}

static struct __regrain_int128 __regrain_i128_div(struct __regrain_int128 a, struct __regrain_int128 b) {
    struct __regrain_quotient result = __regrain_u128_divide(__regrain_i128_size(a), __regrain_i128_size(b));
    return __regrain_i128_signed(result.quotient, (a.high < 0) != (b.high < 0));
}
static struct __regrain_int128 __regrain_i128_rem(struct __regrain_int128 a, struct __regrain_int128 b) {
    struct __regrain_quotient result = __regrain_u128_divide(__regrain_i128_size(a), __regrain_i128_size(b));
    return __regrain_i128_signed(result.remainder, a.high < 0);
}

static struct __regrain_uint128 __regrain_u128_and(struct __regrain_uint128 a, struct __regrain_uint128 b) {
    struct __regrain_uint128 result = {a.low & b.low, a.high & b.high};
    return result;
}
static struct __regrain_uint128 __regrain_u128_or(struct __regrain_uint128 a, struct __regrain_uint128 b) {
    struct __regrain_uint128 result = {a.low | b.low, a.high | b.high};
    return result;
}
static struct __regrain_uint128 __regrain_u128_xor(struct __regrain_uint128 a, struct __regrain_uint128 b) {
    struct __regrain_uint128 result = {a.low ^ b.low, a.high ^ b.high};
    return result;
}
static struct __regrain_int128 __regrain_i128_and(struct __regrain_int128 a, struct __regrain_int128 b) {
    struct __regrain_int128 result = {a.low & b.low, a.high & b.high};
    return result;
}
static struct __regrain_int128 __regrain_i128_or(struct __regrain_int128 a, struct __regrain_int128 b) {
    struct __regrain_int128 result = {a.low | b.low, a.high | b.high};
    return result;
}
static struct __regrain_int128 __regrain_i128_xor(struct __regrain_int128 a, struct __regrain_int128 b) {
    struct __regrain_int128 result = {a.low ^ b.low, a.high ^ b.high};
    return result;
}
