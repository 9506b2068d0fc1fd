#ifndef REGRAIN_IMMINTRIN_H
#define REGRAIN_IMMINTRIN_H
void _mm_pause(void);
void _mm_lfence(void);
void _mm_mfence(void);
void _mm_sfence(void);
#endif
