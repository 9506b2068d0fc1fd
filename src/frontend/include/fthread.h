/* FairThreads 1.0: cooperative threads that share instants. Left out: threads that leave their scheduler (`ft_thread_unlink`), automata, mutexes. */
#ifndef REGRAIN_FTHREAD_H
#define REGRAIN_FTHREAD_H

#define OK 0
#define EBADMEM 1
#define ETIMEOUT 2
#define ENEXT 3
#define EBADLINK 4
#define EBADCREATE 5

typedef struct ft_event_t *ft_event_t;
typedef struct ft_thread_t *ft_thread_t;
typedef struct ft_scheduler_t *ft_scheduler_t;
typedef void (*ft_executable_t)(void *);

ft_scheduler_t ft_scheduler_create(void);
int ft_scheduler_start(ft_scheduler_t scheduler);
ft_thread_t ft_thread_create(ft_scheduler_t scheduler, ft_executable_t run, ft_executable_t cleanup, void *args);
ft_event_t ft_event_create(ft_scheduler_t scheduler);

/* Orders, followed when the next instant begins. */
int ft_scheduler_stop(ft_thread_t thread);
int ft_scheduler_suspend(ft_thread_t thread);
int ft_scheduler_resume(ft_thread_t thread);
int ft_scheduler_broadcast(ft_event_t event);
int ft_scheduler_broadcast_value(ft_event_t event, void *value);

/* For threads of a scheduler. */
int ft_thread_generate(ft_event_t event);
int ft_thread_generate_value(ft_event_t event, void *value);
int ft_thread_await(ft_event_t event);
int ft_thread_await_n(ft_event_t event, int instants);
int ft_thread_select(int length, ft_event_t *events, int *mask);
int ft_thread_select_n(int length, ft_event_t *events, int *mask, int instants);
int ft_thread_get_value(ft_event_t event, int index, void **result);
int ft_thread_cooperate(void);
int ft_thread_cooperate_n(int instants);
int ft_thread_join(ft_thread_t thread);
int ft_thread_join_n(ft_thread_t thread, int instants);
ft_thread_t ft_thread_self(void);
ft_scheduler_t ft_thread_scheduler(void);
int ft_thread_unlink(void);
int ft_thread_link(ft_scheduler_t scheduler);

/* Ends the calling thread, or `main` without the program. */
void ft_exit(void);

#endif
