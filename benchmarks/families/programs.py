"""Programs with a size N, written as C, each with its verdicts under SC, TSO and PSO.

A family is a function from N to the text of a program. `FAMILIES` has for each family the sizes that are run when nothing else is
said, and the expected verdicts.
"""

HEAD = "#include <assert.h>\n#include <pthread.h>\n"


def lines(template, count, separator="\n"):
    """The template once for each number, with `#` standing for it and `@` for the next one, which wraps around."""
    return separator.join(template.replace("#", str(i)).replace("@", str((i + 1) % count)) for i in range(count))


def threads(functions):
    """A `main` that starts these functions, waits for them all, and then does what `end` says."""
    count = len(functions)
    create = "\n".join(f"    pthread_create(&t[{i}], 0, {name}, 0);" for i, name in enumerate(functions))
    join = "\n".join(f"    pthread_join(t[{i}], 0);" for i in range(count))
    return f"int main(void)\n{{\n    pthread_t t[{count}];\n{create}\n{join}\n%s    return 0;\n}}\n"


def fib(n, slack=0):
    """Two threads add their variables to each other, N times each; strict alternation gives the largest value."""
    a, b = 1, 1
    for _ in range(2 * n):
        a, b = b, a + b
    limit = b - slack
    body = f"{{ for (int k = 0; k < {n}; k++) %s; return 0; }}\n"
    return (
        HEAD
        + "int i = 1, j = 1;\n"
        + f"void *first(void *arg) {body % 'i = i + j'}void *second(void *arg) {body % 'j = j + i'}"
        + threads(["first", "second"]) % f"    assert(i <= {limit} && j <= {limit});\n"
    )


def fib_unsafe(n):
    return fib(n, slack=1)


def reorder(n, lock="", unlock=""):
    """N threads set two variables one after the other, N others check that they see neither or both."""
    return (
        HEAD
        + "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint a, b;\n"
        + f"void *setter(void *arg) {{ {lock}a = 1; b = -1; {unlock}return 0; }}\n"
        + f"void *checker(void *arg)\n{{\n    {lock}int p = a, q = b; {unlock}\n"
        + "    assert((p == 0 && q == 0) || (p == 1 && q == -1));\n    return 0;\n}\n"
        + threads(["setter"] * n + ["checker"] * n) % ""
    )


def reorder_locked(n):
    return reorder(n, "pthread_mutex_lock(&m); ", "pthread_mutex_unlock(&m); ")


def indexer(n):
    """N threads put two keys each into one table by compare-and-swap; neighbours collide and probe on."""
    slots = 2 * n
    insert = f"""void insert(int key, int slot)
{{
    while (!__sync_bool_compare_and_swap(&table[slot], 0, key))
        slot = (slot + 1) % {slots};
}}
"""
    worker = lines(f"void *worker#(void *arg) {{ insert(2 * # + 1, #); insert(2 * # + 2, @); return 0; }}\n", n, "")
    used = " + ".join(f"(table[{i}] != 0)" for i in range(slots))
    return (
        HEAD
        + f"int table[{slots}];\n"
        + insert
        + worker
        + threads([f"worker{i}" for i in range(n)]) % f"    assert({used} == {slots});\n"
    )


def stack(n):
    """A stack under a lock: one thread pushes N numbers, another pops up to N and finds only what was pushed."""
    return (
        HEAD
        + f"pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint top, items[{n}];\n"
        + f"""void *pusher(void *arg)
{{
    for (int k = 1; k <= {n}; k++) {{
        pthread_mutex_lock(&m);
        items[top] = k;
        top = top + 1;
        pthread_mutex_unlock(&m);
    }}
    return 0;
}}
void *popper(void *arg)
{{
    int seen = 0;
    for (int k = 0; k < {n}; k++) {{
        pthread_mutex_lock(&m);
        if (top > 0) {{
            top = top - 1;
            assert(items[top] >= 1 && items[top] <= {n});
            seen = seen + 1;
        }}
        pthread_mutex_unlock(&m);
    }}
    assert(seen <= {n});
    return 0;
}}
"""
        + threads(["pusher", "popper"]) % f"    assert(top >= 0 && top <= {n});\n"
    )


def ticket(n):
    """N threads draw tickets, wait for their turn, and count; waiting is an assumption, since a spin loop has no end."""
    return (
        HEAD
        + "void __VERIFIER_assume(int);\nunsigned next, serving;\nint count;\n"
        + """void *worker(void *arg)
{
    unsigned mine = __sync_fetch_and_add(&next, 1);
    unsigned now = __atomic_load_n(&serving, __ATOMIC_ACQUIRE);
    __VERIFIER_assume(now == mine);
    count = count + 1;
    __atomic_store_n(&serving, mine + 1, __ATOMIC_RELEASE);
    return 0;
}
"""
        + threads(["worker"] * n) % f"    assert(count == {n});\n"
    )


def chain(n, statements, outcome):
    """N threads in a ring over N variables; the assertion says that the outcome never happens."""
    declare = lines("int x#, r#;", n, "\n") + "\n"
    worker = lines("void *t#(void *arg) { " + statements + " return 0; }\n", n, "")
    condition = lines(outcome, n, " && ")
    return HEAD + declare + worker + threads([f"t{i}" for i in range(n)]) % f"    assert(!({condition}));\n"


def sb(n):
    """Store buffering: each thread writes its variable and reads the next one; can all of them read 0?"""
    return chain(n, "x# = 1; r# = x@;", "r# == 0")


def sb_fenced(n):
    return chain(n, "x# = 1; __sync_synchronize(); r# = x@;", "r# == 0")


def lb(n):
    """Load buffering: each thread reads its variable and writes the next one; can all of them read 1?"""
    return chain(n, "r# = x#; x@ = 1;", "r# == 1")


def mp(n):
    """Message passing along N threads: the first writes data and a flag, each other passes the flag on, the last reads the data."""
    flags = "int data, seen = 1" + "".join(f", f{i}" for i in range(n)) + ";\n"
    passing = "".join(f"void *t{i}(void *arg) {{ if (f{i - 1}) f{i} = 1; return 0; }}\n" for i in range(1, n))
    return (
        HEAD
        + flags
        + "void *t0(void *arg) { data = 1; f0 = 1; return 0; }\n"
        + passing
        + f"void *last(void *arg) {{ if (f{n - 1}) seen = data; return 0; }}\n"
        + threads([f"t{i}" for i in range(n)] + ["last"]) % "    assert(seen == 1);\n"
    )


def alike(n, body, condition, shared="int x;\n"):
    """N threads that do the same."""
    worker = f"void *worker(void *arg) {{ {body} return 0; }}\n"
    create = f"    for (int i = 0; i < {n}; i++) pthread_create(&t[i], 0, worker, 0);\n"
    join = f"    for (int i = 0; i < {n}; i++) pthread_join(t[i], 0);\n"
    return HEAD + shared + worker + f"int main(void)\n{{\n    pthread_t t[{n}];\n{create}{join}    assert({condition});\n    return 0;\n}}\n"


def increment(n):
    """N identical threads increment a counter indivisibly."""
    return alike(n, "__sync_fetch_and_add(&x, 1);", f"x == {n}")


def lost_update(n):
    """N identical threads read a counter and write it back one larger; increments get lost, never all."""
    return alike(n, "int t = x; x = t + 1;", f"x >= 1 && x <= {n}")


def lost_update_unsafe(n):
    return alike(n, "int t = x; x = t + 1;", f"x == {n}")


def locked_counter(n):
    """N identical threads increment a counter under a lock."""
    body = "pthread_mutex_lock(&m); int t = x; x = t + 1; pthread_mutex_unlock(&m);"
    return alike(n, body, f"x == {n}", "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x;\n")


def spin_counter(n):
    """N identical threads increment a counter under a lock of their own making, which no pass knows."""
    body = "int old; do old = __sync_lock_test_and_set(&m, 1); while (old); int t = x; x = t + 1; __sync_lock_release(&m);"
    return alike(n, body, f"x == {n}", "int m, x;\n")


def reader_writer(n):
    """N identical threads write under one side of a read-write lock and read under the other."""
    body = (
        "pthread_rwlock_wrlock(&l); a = a + 1; b = b + 1; pthread_rwlock_unlock(&l); "
        "pthread_rwlock_rdlock(&l); assert(a == b); pthread_rwlock_unlock(&l);"
    )
    return alike(n, body, f"a == {n}", "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\nint a, b;\n")


ALWAYS, NEVER, ONLY_SC, NOT_PSO = (True,) * 3, (False,) * 3, (True, False, False), (True, True, False)

# Name: the function, the sizes, and whether the program is safe under SC, TSO and PSO.
FAMILIES = {
    "fib": (fib, (1, 2, 3, 4, 5, 6), ALWAYS),
    "fib_unsafe": (fib_unsafe, (1, 2, 3, 4, 5, 6), NEVER),
    "reorder": (reorder, (1, 2, 4, 6, 8), NEVER),
    "reorder_locked": (reorder_locked, (1, 2, 3, 4, 6, 8), ALWAYS),
    "indexer": (indexer, (2, 3, 4, 5), ALWAYS),
    "stack": (stack, (1, 2, 3, 4, 5, 6), ALWAYS),
    "ticket": (ticket, (2, 3, 4, 5, 6, 7), ALWAYS),
    "sb": (sb, (2, 4, 6, 8, 12, 16), ONLY_SC),
    "sb_fenced": (sb_fenced, (2, 4, 6, 8, 12, 16), ALWAYS),
    "lb": (lb, (2, 4, 6, 8, 12, 16), ALWAYS),
    "mp": (mp, (1, 2, 4, 6, 8, 12), NOT_PSO),
    "increment": (increment, (2, 5, 10, 20, 35, 50), ALWAYS),
    "lost_update": (lost_update, (2, 4, 6, 8, 10, 12), ALWAYS),
    "lost_update_unsafe": (lost_update_unsafe, (2, 5, 10, 20, 35, 50), NEVER),
    "locked_counter": (locked_counter, (2, 5, 10, 20, 35, 50), ALWAYS),
    "spin_counter": (spin_counter, (2, 5, 10, 20, 35, 50), ALWAYS),
    "reader_writer": (reader_writer, (2, 5, 10, 20, 35, 50), ALWAYS),
}

# The families of threads that are alike: they compare engines with and without that knowledge.
ALIKE = ("increment", "lost_update", "lost_update_unsafe", "locked_counter", "spin_counter", "reader_writer")

TASK = """format_version: '2.0'
input_files: '{file}'
properties:
  - property_file: {property}
    expected_verdict: {sc}
options:
  language: C
  data_model: LP64
  expected_by_memory_model: {{sc: {sc}, tso: {tso}, pso: {pso}}}
"""


def write(folder, name, n, property_file):
    """Writes a program and its task; returns the task's file."""
    make, _, safe = FAMILIES[name]
    stem = f"{name}-{n:02}"
    (folder / f"{stem}.c").write_text(make(n))
    verdicts = dict(zip(("sc", "tso", "pso"), (str(verdict).lower() for verdict in safe)))
    task = folder / f"{stem}.yml"
    task.write_text(TASK.format(file=f"{stem}.c", property=property_file, **verdicts))
    return task
