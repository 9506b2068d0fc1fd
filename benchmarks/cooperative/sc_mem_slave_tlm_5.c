/* A master and a memory of 5 cells as slave, two SystemC threads with a channel for requests and one for
 * responses.
 *
 * `mem_slave_tlm` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model
 * checking approach" (FMCAD 2010), which SV-COMP has with the kernel written out in C
 * (systemc/mem_slave_tlm).
 *
 * Property: every cell holds what was written to it; addresses are those of cells; the lock is held from a
 *   request to its response.
 * State space: finite.
 */
#include <assert.h>
#include <sc_coop.h>

#define CELLS 5

enum { READ, WRITE };

sc_event unlocked, request_read, request_written, response_read, response_written;
int locked = 0, no_request = 1, no_response = 1;
int request_type, request_address, request_data, response_data;
int memory[CELLS];

int transfer(int type, int address, int data)
{
    while (locked)
        sc_wait_event(unlocked);
    locked = 1;
    while (!no_request)
        sc_wait_event(request_read);
    request_type = type;
    request_address = address;
    request_data = data;
    no_request = 0;
    sc_notify(request_written);
    while (no_response)
        sc_wait_event(response_written);
    int result = response_data;
    no_response = 1;
    sc_notify(response_read);
    assert(locked);
    locked = 0;
    sc_notify(unlocked);
    return result;
}

void master(void *argument)
{
    for (int a = 0; a < CELLS; a++)
        transfer(WRITE, a, a + 50);
    for (int a = 0; a < CELLS; a++)
        assert(transfer(READ, a, 0) == a + 50);
}

void slave(void *argument)
{
    for (;;) {
        while (no_request)
            sc_wait_event(request_written);
        int type = request_type, address = request_address, data = request_data;
        no_request = 1;
        sc_notify(request_read);
        assert(address >= 0 && address < CELLS);
        if (type == READ) {
            data = memory[address];
        } else {
            memory[address] = data;
            data = 0;
        }
        while (!no_response)
            sc_wait_event(response_read);
        response_data = data;
        no_response = 0;
        sc_notify(response_written);
    }
}

int main(void)
{
    unlocked = sc_event_create();
    request_read = sc_event_create();
    request_written = sc_event_create();
    response_read = sc_event_create();
    response_written = sc_event_create();
    sc_thread(master, 0);
    sc_thread(slave, 0);
    sc_start();
    return 0;
}
