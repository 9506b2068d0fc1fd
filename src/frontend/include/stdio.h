#ifndef REGRAIN_STDIO_H
#define REGRAIN_STDIO_H
#include <stddef.h>
typedef struct __regrain_file FILE;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define EOF (-1)
#define BUFSIZ 8192
int printf(const char *format, ...);
int fprintf(FILE *file, const char *format, ...);
int sprintf(char *text, const char *format, ...);
int snprintf(char *text, size_t size, const char *format, ...);
int vsnprintf(char *text, size_t size, const char *format, __builtin_va_list list);
int vsprintf(char *text, const char *format, __builtin_va_list list);
int vprintf(const char *format, __builtin_va_list list);
int vfprintf(FILE *file, const char *format, __builtin_va_list list);
char *fgets(char *text, int size, FILE *file);
int getc(FILE *file);
int fgetc(FILE *file);
int scanf(const char *format, ...);
int fscanf(FILE *file, const char *format, ...);
int sscanf(const char *text, const char *format, ...);
int puts(const char *text);
int fputs(const char *text, FILE *file);
int putchar(int c);
int putc(int c, FILE *file);
int fputc(int c, FILE *file);
int getchar(void);
int fflush(FILE *file);
int setvbuf(FILE *file, char *buffer, int mode, size_t size);
void perror(const char *text);
#endif
