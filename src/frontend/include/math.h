#ifndef REGRAIN_MATH_H
#define REGRAIN_MATH_H
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define HUGE_VAL __builtin_inf()
#define HUGE_VALF __builtin_inff()
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
double fabs(double x);
float fabsf(float x);
double sqrt(double x);
float sqrtf(float x);
double trunc(double x);
float truncf(float x);
double floor(double x);
float floorf(float x);
double ceil(double x);
float ceilf(float x);
double round(double x);
float roundf(float x);
long lround(double x);
double fmin(double a, double b);
float fminf(float a, float b);
double fmax(double a, double b);
float fmaxf(float a, float b);
double copysign(double x, double sign);
float copysignf(float x, float sign);
double fmod(double a, double b);
double pow(double a, double b);
double exp(double x);
double log(double x);
double sin(double x);
double cos(double x);
#endif
