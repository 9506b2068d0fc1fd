/* May be included again with another NDEBUG, so there is no include guard. */
#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
void __regrain_assert(_Bool condition, const char *text);
#define assert(e) __regrain_assert((e) != 0, #e)
#endif
#undef static_assert
#define static_assert _Static_assert
