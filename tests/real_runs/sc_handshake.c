/* Request and answer by immediate notifications: whether the first request is heard depends on who comes
 * first. */
#include "note.h"
#include <sc_coop.h>

sc_event request, answer;
int asked = 0;

void client(void *a)
{
    for (int i = 0; i < 2; i++) {
        asked++;
        note(1);
        sc_notify(request);
        sc_wait_event(answer);
        note(2);
    }
}

void server(void *a)
{
    for (;;) {
        sc_wait_event(request);
        note(3);
        note(asked);
        sc_notify_delta(answer);
    }
}

int main(void)
{
    request = sc_event_create();
    answer = sc_event_create();
    sc_thread(client, 0);
    sc_thread(server, 0);
    sc_start();
    RESULT();
    return 0;
}
