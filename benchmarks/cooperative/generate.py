#!/usr/bin/env python3
"""Writes the programs of this folder that grow with a number: rings and chains of transmitters, memories.

    generate.py            writes NAME.c and NAME.yml for every size
    generate.py --check    changes nothing; exits with 1 if a file differs from what would be written, or if there is a file of
                           these families that would not be written
"""

import sys
import textwrap
from pathlib import Path

FOLDER = Path(__file__).resolve().parent

FT_TOKEN_RING = """/* A token goes round a ring of fair threads: a master and {n} transmitters, each of which adds 1 to it.
 *
 * `token-ring` of A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model checking approach"
 * (FMCAD 2010), adapted to FairThreads as in A. Cimatti, I. Narasamdya, M. Roveri, "Software model checking with explicit scheduler
 * and symbolic threads" (2012), Section 6. An event is present until the end of the instant, so each thread
 * cooperates after its turn.
 *
 * Property: when the token comes back to the master, {n} has been added to it.
{mutant} * State space: large: the token is an input.
 */
#include <assert.h>
#include <fthread.h>

extern int __VERIFIER_nondet_int(void);

ft_event_t {events}, back;
int token, sent;

void master(void *arguments)
{{
    for (;;) {{
        token = __VERIFIER_nondet_int();
        sent = token;
        ft_thread_generate(to1);
        ft_thread_await(back);
        assert(token == sent + {n});
        ft_thread_cooperate();
    }}
}}
{transmitters}
int main(void)
{{
    ft_scheduler_t scheduler = ft_scheduler_create();
{creations}
    ft_scheduler_start(scheduler);
    ft_exit();
    return 0;
}}
"""

FT_TRANSMITTER = """
void transmitter{i}(void *arguments)
{{
    for (;;) {{
        ft_thread_await(to{i});
        {step}
        ft_thread_generate({next});
        ft_thread_cooperate();
    }}
}}
"""

CIMATTI = """A. Cimatti, A. Micheli, I. Narasamdya, M. Roveri, "Verifying SystemC: a software model checking approach"
 * (FMCAD 2010)"""

SC_TOKEN_RING = """/* A token goes round a ring of SystemC threads: a master and {n} transmitters, each of which adds 1 to it.
 *
 * `token_ring` of {paper}, which SV-COMP has with the kernel written out in C (systemc/token_ring). Notifications are
 * immediate and all threads are runnable at the start, so a notification can be lost and the token be stuck.
 *
 * Property: when the token comes back to the master, {n} has been added to it.
{mutant} * State space: large: the token is an input.
 */
#include <assert.h>
#include <sc_coop.h>

extern int __VERIFIER_nondet_int(void);

sc_event {events}, back;
int token, sent;

void master(void *argument)
{{
    for (;;) {{
        token = __VERIFIER_nondet_int();
        sent = token;
        sc_notify(to1);
        sc_wait_event(back);
        assert(token == sent + {n});
    }}
}}
{transmitters}
int main(void)
{{
{creations}
    sc_start();
    return 0;
}}
"""

SC_TRANSMITTER = """
void transmitter{i}(void *argument)
{{
    for (;;) {{
        sc_wait_event(to{i});
        {step}
        sc_notify({next});
    }}
}}
"""

SC_CHAIN = """/* A message goes along a chain of SystemC threads: a master and {n} transmitters, the last of which keeps it.
 *
 * `transmitter` of {paper}, which SV-COMP has with the kernel written out in C (systemc/transmitter). Notifications
 * are immediate and all threads are runnable at the start, so a notification can be lost and the message be stuck.
 *
 * Property: {property}
{mutant} * State space: finite.
 */
#include <assert.h>
#include <sc_coop.h>

sc_event {events}, never;
int hops = 0;

void master(void *argument)
{{
    sc_notify(to1);
    for (;;)
        sc_wait_event(never);
}}
{transmitters}
int main(void)
{{
{creations}
    sc_start();
    return 0;
}}
"""

SC_LAST = """
void transmitter{n}(void *argument)
{{
    for (;;) {{
        sc_wait_event(to{n});
        {check}
    }}
}}
"""

SC_MEMORY = """/* A master and a memory of {n} cells as slave, two SystemC threads with a channel for requests and one for responses.
 *
 * `mem_slave_tlm` of {paper}, which SV-COMP has with the kernel written out in C (systemc/mem_slave_tlm).
 *
 * Property: every cell holds what was written to it; addresses are those of cells; the lock is held from a request to its response.
{mutant} * State space: finite.
 */
#include <assert.h>
#include <sc_coop.h>

#define CELLS {n}

enum {{ READ, WRITE }};

sc_event unlocked, request_read, request_written, response_read, response_written;
int locked = 0, no_request = 1, no_response = 1;
int request_type, request_address, request_data, response_data;
int memory[CELLS];

int transfer(int type, int address, int data)
{{
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
{wait}    int result = response_data;
    no_response = 1;
    sc_notify(response_read);
    assert(locked);
    locked = 0;
    sc_notify(unlocked);
    return result;
}}

void master(void *argument)
{{
    for (int a = 0; a < CELLS; a++)
        transfer(WRITE, a, a + 50);
    for (int a = 0; a < CELLS; a++)
        assert(transfer(READ, a, 0) == a + 50);
}}

void slave(void *argument)
{{
    for (;;) {{
        while (no_request)
            sc_wait_event(request_written);
        int type = request_type, address = request_address, data = request_data;
        no_request = 1;
        sc_notify(request_read);
        assert(address >= 0 && address < CELLS);
        if (type == READ) {{
            data = memory[address];
        }} else {{
            memory[address] = data;
            data = 0;
        }}
        while (!no_response)
            sc_wait_event(response_read);
        response_data = data;
        no_response = 0;
        sc_notify(response_written);
    }}
}}

int main(void)
{{
    unlocked = sc_event_create();
    request_read = sc_event_create();
    request_written = sc_event_create();
    response_read = sc_event_create();
    response_written = sc_event_create();
    sc_thread(master, 0);
    sc_thread(slave, 0);
    sc_start();
    return 0;
}}
"""

TASK = """format_version: '2.0'
input_files: '{name}.c'
properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: {verdict}
options:
  language: C
  data_model: LP64
  state_space: {space}
"""

TWICE = " * Mutant: the last transmitter adds 2.\n"


def next_event(i, n):
    return f"to{i + 1}" if i < n else "back"


def step(i, n, safe):
    return "token += 1;" if safe or i < n else "token += 2; /* mutant: was 1 */"


def ft_token_ring(n, safe):
    numbers = range(1, n + 1)
    events = [f"to{i}" for i in numbers] + ["back"]
    threads = ["master"] + [f"transmitter{i}" for i in numbers]
    creations = [f"    {event} = ft_event_create(scheduler);" for event in events]
    creations += [f"    ft_thread_create(scheduler, {thread}, 0, 0);" for thread in threads]
    transmitters = [FT_TRANSMITTER.format(i=i, step=step(i, n, safe), next=next_event(i, n)) for i in numbers]
    return FT_TOKEN_RING.format(
        n=n,
        mutant="" if safe else TWICE,
        events=", ".join(events[:-1]),
        transmitters="".join(transmitters),
        creations="\n".join(creations),
    )


def sc_creations(events, threads):
    lines = [f"    {event} = sc_event_create();" for event in events]
    return "\n".join(lines + [f"    sc_thread({thread}, 0);" for thread in threads])


def sc_token_ring(n, safe):
    numbers = range(1, n + 1)
    events = [f"to{i}" for i in numbers] + ["back"]
    threads = ["master"] + [f"transmitter{i}" for i in numbers]
    transmitters = [SC_TRANSMITTER.format(i=i, step=step(i, n, safe), next=next_event(i, n)) for i in numbers]
    return SC_TOKEN_RING.format(
        n=n,
        paper=CIMATTI,
        mutant="" if safe else TWICE,
        events=", ".join(events[:-1]),
        transmitters="".join(transmitters),
        creations=sc_creations(events, threads),
    )


def sc_transmitter(n, safe):
    numbers = range(1, n + 1)
    transmitters = [SC_TRANSMITTER.format(i=i, step="hops++;", next=f"to{i + 1}") for i in numbers[:-1]]
    check = f"assert(hops == {n - 1});" if safe else f"assert(0); /* mutant: was hops == {n - 1} */"
    events = [f"to{i}" for i in numbers] + ["never"]
    return SC_CHAIN.format(
        n=n,
        paper=CIMATTI,
        property="the message has come through all transmitters before." if safe else "the message never arrives.",
        mutant="" if safe else " * Mutant: as in the original, it is the arrival that is called an error.\n",
        events=", ".join(events[:-1]),
        transmitters="".join(transmitters) + SC_LAST.format(n=n, check=check),
        creations=sc_creations(events, ["master"] + [f"transmitter{i}" for i in numbers]),
    )


def sc_mem_slave_tlm(n, safe):
    wait = "while (no_response)\n        sc_wait_event(response_written);"
    return SC_MEMORY.format(
        n=n,
        paper=CIMATTI,
        mutant="" if safe else " * Mutant: the master does not wait for the response and takes what was there before.\n",
        wait=f"    {wait}\n" if safe else "    /* mutant: was while (no_response) sc_wait_event(response_written); */\n",
    )


def both(sizes):
    return [(n, safe) for n in sizes for safe in (True, False)]


# Name of a family: its program, its state space, how a size is written, and the sizes with the verdicts that there are.
FAMILIES = {
    "ft_token_ring": (ft_token_ring, "large", "{:02}", both(range(3, 16))),
    "sc_token_ring": (sc_token_ring, "large", "{:02}", both(range(1, 14))),
    "sc_transmitter": (sc_transmitter, "finite", "{:02}", both(range(1, 14))),
    "sc_mem_slave_tlm": (sc_mem_slave_tlm, "finite", "{}", both(range(1, 6))),
}


def wrapped(text):
    """A program whose opening comment keeps to the width of a page."""
    comment, code = text.split("\n */\n", 1)
    lines = [line.removeprefix("/*").removeprefix(" *").strip() for line in comment.split("\n")]
    parts = [[]]
    for line in lines:
        if not line or line.startswith(("Mutant:", "State space:")):
            parts.append([])
        parts[-1].append(line)
    filled = []
    for part in parts:
        indent = "  " if part[-1 if not part[0] else 0].startswith(("Property:", "Mutant:")) else ""
        filled += [""] if not part[0] else []
        filled += textwrap.wrap(" ".join(part).strip(), 106, subsequent_indent=indent)
    head = "\n".join(f" * {line}".rstrip() for line in filled)
    return f"/*{head.removeprefix(' *')}\n */\n{code}"


def files():
    """All files by name, with their texts."""
    for family, (program, space, size, members) in FAMILIES.items():
        for n, safe in members:
            name = f"{family}_{size.format(n)}{'' if safe else '_unsafe'}"
            yield f"{name}.c", wrapped(program(n, safe))
            yield f"{name}.yml", TASK.format(name=name, verdict=str(safe).lower(), space=space)


def problems(texts):
    for name, text in texts.items():
        path = FOLDER / name
        if not path.exists() or path.read_text() != text:
            yield f"{name} is not what generate.py writes"
    for family in FAMILIES:
        for path in sorted(FOLDER.glob(f"{family}_[0-9]*")):
            if path.name not in texts:
                yield f"{path.name} is not a member of its family"


def main(arguments):
    texts = dict(files())
    if "--check" in arguments:
        found = list(problems(texts))
        for problem in found:
            print(f"cooperative/{problem}")
        return 1 if found else 0
    for name, text in texts.items():
        (FOLDER / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
