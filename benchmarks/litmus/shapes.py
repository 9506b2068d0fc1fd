"""The shapes: name, verdicts under SC, TSO and PSO, text, threads, outcome.

A verdict is T when the outcome cannot happen (the assertion holds) and F when it can. Threads are written in
the notation of language.py. The names follow the usage of the litmus literature: after the shape's name come
the means that order the accesses of each thread, `po` for none.

Sources of the shapes: P. Sewell et al., "x86-TSO", CACM 53(7), 2010; S. Owens, S. Sarkar, P. Sewell, "A better
x86 memory model: x86-TSO", TPHOLs 2009; L. Maranget, S. Sarkar, P. Sewell, "A tutorial introduction to the ARM
and POWER relaxed memory models", 2012; J. Alglave, L. Maranget, M. Tautschnig, "Herding cats", TOPLAS 36(2),
2014; SPARC International, "The SPARC architecture manual, version 9", 1994 (PSO).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    name: str
    expected: str
    text: str
    threads: tuple
    outcome: str
    init: tuple = ()


SHAPES = []


def shape(name, expected, text, threads, outcome, init=()):
    SHAPES.append(Shape(name, expected, text, tuple(threads), outcome, tuple(init)))


# ---- store buffering: a store and a later load of another variable

SB = "r1 == 0 && r2 == 0"
BUFFERED = "Store buffering"

shape("SB", "TFF", f"{BUFFERED}: each thread may read before its own store is visible to the other.",
      ["x = 1; r1 = y;", "y = 1; r2 = x;"], SB)
shape("SB+fences", "TTT", f"{BUFFERED} with a full fence on both sides.",
      ["x = 1; fence(sc); r1 = y;", "y = 1; fence(sc); r2 = x;"], SB)
shape("SB+fence+po", "TFF", f"{BUFFERED} with a full fence on one side only.",
      ["x = 1; fence(sc); r1 = y;", "y = 1; r2 = x;"], SB)
shape("SB+syncs", "TTT", f"{BUFFERED} with __sync_synchronize on both sides.",
      ["x = 1; sync(); r1 = y;", "y = 1; sync(); r2 = x;"], SB)
shape("SB+wfences", "TFF", f"{BUFFERED} with store-store fences, which do not order a store and a load.",
      ["x = 1; fence(rel); r1 = y;", "y = 1; fence(rel); r2 = x;"], SB)
shape("SB+rfences", "TFF", f"{BUFFERED} with acquire fences, which do not order a store and a load.",
      ["x = 1; fence(acq); r1 = y;", "y = 1; fence(acq); r2 = x;"], SB)
shape("SB+fence-before", "TFF", f"{BUFFERED} with full fences in the wrong place, before the store.",
      ["fence(sc); x = 1; r1 = y;", "fence(sc); y = 1; r2 = x;"], SB)
shape("SB+xchgs", "TTT", f"{BUFFERED}, both stores by atomic exchange.",
      ["r3 = xchg(x, 1); r1 = y;", "r4 = xchg(y, 1); r2 = x;"], SB)
shape("SB+xchg+po", "TFF", f"{BUFFERED}, one store by atomic exchange, the other one plain.",
      ["r3 = xchg(x, 1); r1 = y;", "y = 1; r2 = x;"], SB)
shape("SB+rmw-reads", "TTT", f"{BUFFERED}, both loads by an atomic addition of 0.",
      ["x = 1; r1 = add(y, 0);", "y = 1; r2 = add(x, 0);"], SB)
shape("SB+rmw-read+po", "TFF", f"{BUFFERED}, one load by an atomic addition of 0.",
      ["x = 1; r1 = add(y, 0);", "y = 1; r2 = x;"], SB)
shape("SB+rmw-other", "TTT", f"{BUFFERED} with an atomic addition to an unrelated variable in between.",
      ["x = 1; r3 = add(z, 1); r1 = y;", "y = 1; r4 = add(w, 1); r2 = x;"], SB)
shape("SB+locks", "TTT", f"{BUFFERED}, every access under the same mutex.",
      ["lock(m); x = 1; unlock(m); lock(m); r1 = y; unlock(m);",
       "lock(m); y = 1; unlock(m); lock(m); r2 = x; unlock(m);"], SB)
shape("SB+own-locks", "TTT", f"{BUFFERED}, each thread locks and unlocks a mutex of its own in between.",
      ["x = 1; lock(m); unlock(m); r1 = y;", "y = 1; lock(n); unlock(n); r2 = x;"], SB)
shape("SB+rlx", "TFF", f"{BUFFERED} with relaxed atomics.",
      ["store(x, 1, rlx); r1 = load(y, rlx);", "store(y, 1, rlx); r2 = load(x, rlx);"], SB)
shape("SB+rel-acq", "TFF", f"{BUFFERED} with release stores and acquire loads.",
      ["store(x, 1, rel); r1 = load(y, acq);", "store(y, 1, rel); r2 = load(x, acq);"], SB)
shape("SB+sc", "TTT", f"{BUFFERED} with seq_cst atomics.",
      ["store(x, 1, sc); r1 = load(y, sc);", "store(y, 1, sc); r2 = load(x, sc);"], SB)
shape("SB+sc+rel", "TFF", f"{BUFFERED}, seq_cst store in one thread, release store in the other.",
      ["store(x, 1, sc); r1 = load(y, sc);", "store(y, 1, rel); r2 = load(x, sc);"], SB)
shape("SB+sc-loads", "TFF", f"{BUFFERED}, relaxed stores and seq_cst loads: the fence belongs to the store.",
      ["store(x, 1, rlx); r1 = load(y, sc);", "store(y, 1, rlx); r2 = load(x, sc);"], SB)
shape("SB+rlx+scfences", "TTT", f"{BUFFERED} with relaxed atomics and seq_cst fences.",
      ["store(x, 1, rlx); fence(sc); r1 = load(y, rlx);", "store(y, 1, rlx); fence(sc); r2 = load(x, rlx);"], SB)
shape("SB+rlx+arfences", "TFF", f"{BUFFERED} with relaxed atomics and acq_rel fences.",
      ["store(x, 1, rlx); fence(acq_rel); r1 = load(y, rlx);",
       "store(y, 1, rlx); fence(acq_rel); r2 = load(x, rlx);"], SB)

# ---- store forwarding: a thread sees its own buffered store

shape("SB+rfis", "TFF", "Store forwarding: both threads read their own store back before they read the other's "
      "variable. Known as SB+rfi-pos and iriw-internal; a model without forwarding calls it impossible.",
      ["x = 1; r1 = x; r2 = y;", "y = 1; r3 = y; r4 = x;"], "r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0")
shape("SB+rfi+po", "TFF", "Store forwarding in one of the two threads of store buffering.",
      ["x = 1; r1 = x; r2 = y;", "y = 1; r3 = x;"], "r1 == 1 && r2 == 0 && r3 == 0")
shape("SB+rfi-fences", "TTT", "Store forwarding with a full fence after the thread's own read.",
      ["x = 1; r1 = x; fence(sc); r2 = y;", "y = 1; r3 = y; fence(sc); r4 = x;"],
      "r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0")
shape("SB+rfi-data", "TFF", "Store forwarding into a data dependency: what was read back is written on.",
      ["x = 1; r1 = x; z = r1; r2 = y;", "y = 1; r3 = y; w = r3; r4 = x;"],
      "r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0")
shape("MP+rfi", "TTF", "Message passing where the flag is computed from the data that was read back.",
      ["x = 1; r1 = x; y = r1;", "r2 = y; r3 = x;"], "r2 == 1 && r3 == 0")
shape("n1", "TFF", "Test n1 of the x86-TSO papers.",
      ["x = 2; r1 = y;", "y = 1; x = 1;", "r2 = x; r3 = x;"], "r1 == 0 && r2 == 1 && r3 == 2")
shape("n2", "TTF", "Test n2 of the x86-TSO papers: two writers of two variables, seen in different orders.",
      ["x = 2; y = 1;", "y = 2; x = 1;", "r1 = x; r2 = x;", "r3 = y; r4 = y;"],
      "r1 == 1 && r2 == 2 && r3 == 1 && r4 == 2")
shape("n4b", "TTT", "Test n4b of the x86-TSO papers: no load reads a store that is later in its own thread's past.",
      ["r1 = x; x = 1;", "r2 = x; x = 2;"], "r1 == 2 && r2 == 1")
shape("n5", "TTT", "Test n5 of the x86-TSO papers: each thread reads the other's store over its own.",
      ["x = 1; r1 = x;", "x = 2; r2 = x;"], "r1 == 2 && r2 == 1")
shape("n6", "TFF", "Test n6 of the x86-TSO papers: a forwarded store reaches memory last.",
      ["x = 1; r1 = x; r2 = y;", "y = 2; x = 2;"], "x == 1 && r1 == 1 && r2 == 0")
shape("n7", "TFF", "Test n7 of the x86-TSO papers: a thread sees its own store before everybody else does.",
      ["x = 1; r1 = x; r2 = y;", "y = 1;", "r3 = y; r4 = x;"], "r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0")
shape("n7+fence", "TTT", "Test n7 with a full fence after the store.",
      ["x = 1; fence(sc); r1 = x; r2 = y;", "y = 1;", "r3 = y; r4 = x;"],
      "r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0")

# ---- message passing: data, then a flag

MP = "r1 == 1 && r2 == 0"
PASSING = "Message passing"

shape("MP", "TTF", f"{PASSING}: the flag may become visible before the data.",
      ["x = 1; y = 1;", "r1 = y; r2 = x;"], MP)
shape("MP+fences", "TTT", f"{PASSING} with full fences on both sides.",
      ["x = 1; fence(sc); y = 1;", "r1 = y; fence(sc); r2 = x;"], MP)
shape("MP+fence+po", "TTT", f"{PASSING} with a full fence at the writer.",
      ["x = 1; fence(sc); y = 1;", "r1 = y; r2 = x;"], MP)
shape("MP+po+fence", "TTF", f"{PASSING} with a full fence at the reader only.",
      ["x = 1; y = 1;", "r1 = y; fence(sc); r2 = x;"], MP)
shape("MP+wfence+po", "TTT", f"{PASSING} with a store-store fence at the writer.",
      ["x = 1; fence(rel); y = 1;", "r1 = y; r2 = x;"], MP)
shape("MP+wfence+rfence", "TTT", f"{PASSING} with a release and an acquire fence.",
      ["x = 1; fence(rel); y = 1;", "r1 = y; fence(acq); r2 = x;"], MP)
shape("MP+po+rfence", "TTF", f"{PASSING} with an acquire fence only.",
      ["x = 1; y = 1;", "r1 = y; fence(acq); r2 = x;"], MP)
shape("MP+wfence-before", "TTF", f"{PASSING} with the store-store fence in the wrong place, before both stores.",
      ["fence(rel); x = 1; y = 1;", "r1 = y; r2 = x;"], MP)
shape("MP+xchg+po", "TTT", f"{PASSING}, the flag set by atomic exchange.",
      ["x = 1; r3 = xchg(y, 1);", "r1 = y; r2 = x;"], MP)
shape("MP+xchg-data+po", "TTT", f"{PASSING}, the data written by atomic exchange.",
      ["r3 = xchg(x, 1); y = 1;", "r1 = y; r2 = x;"], MP)
shape("MP+po+rmw-read", "TTF", f"{PASSING}, the flag read by an atomic addition of 0.",
      ["x = 1; y = 1;", "r1 = add(y, 0); r2 = x;"], MP)
shape("MP+po+addr", "TTF", f"{PASSING} with an address dependency at the reader only.",
      ["d[1] = 1; y = 1;", "r1 = y; r2 = d[r1];"], MP)
shape("MP+wfence+addr", "TTT", f"{PASSING} with a store-store fence and an address dependency.",
      ["d[1] = 1; fence(rel); y = 1;", "r1 = y; r2 = d[r1];"], MP)
shape("MP+po+ctrl", "TTF", f"{PASSING} with a control dependency at the reader only.",
      ["x = 1; y = 1;", "r1 = y; if (r1 == 1) r2 = x;"], MP)
shape("MP+wfence+ctrl", "TTT", f"{PASSING} with a store-store fence and a control dependency.",
      ["x = 1; fence(rel); y = 1;", "r1 = y; if (r1 == 1) r2 = x;"], MP)
shape("MP+po+spin", "TTF", f"{PASSING}, the reader spins until it sees the flag.",
      ["x = 1; y = 1;", "while (y == 0); r1 = x;"], "r1 == 0")
shape("MP+wfence+spin", "TTT", f"{PASSING} with a store-store fence, the reader spins until it sees the flag.",
      ["x = 1; fence(rel); y = 1;", "while (y == 0); r1 = x;"], "r1 == 0")
shape("MP+locks", "TTT", f"{PASSING}, writer and reader hold a mutex.",
      ["lock(m); x = 1; y = 1; unlock(m);", "lock(m); r1 = y; r2 = x; unlock(m);"], MP)
shape("MP+lock+po", "TTF", f"{PASSING}, the writer holds a mutex, the reader does not.",
      ["lock(m); x = 1; y = 1; unlock(m);", "r1 = y; r2 = x;"], MP)
shape("MP+unlock-lock+po", "TTT", f"{PASSING}, the writer releases and takes a mutex between the stores.",
      ["lock(m); x = 1; unlock(m); lock(m); y = 1; unlock(m);", "r1 = y; r2 = x;"], MP)
shape("MP+rlx", "TTF", f"{PASSING} with relaxed atomics.",
      ["store(x, 1, rlx); store(y, 1, rlx);", "r1 = load(y, rlx); r2 = load(x, rlx);"], MP)
shape("MP+rel+acq", "TTT", f"{PASSING}, release store and acquire load of the flag.",
      ["store(x, 1, rlx); store(y, 1, rel);", "r1 = load(y, acq); r2 = load(x, rlx);"], MP)
shape("MP+rel+rlx", "TTT", f"{PASSING}, release store and relaxed load of the flag; store buffers keep loads in order.",
      ["store(x, 1, rlx); store(y, 1, rel);", "r1 = load(y, rlx); r2 = load(x, rlx);"], MP)
shape("MP+rlx+acq", "TTF", f"{PASSING}, relaxed store and acquire load of the flag.",
      ["store(x, 1, rlx); store(y, 1, rlx);", "r1 = load(y, acq); r2 = load(x, rlx);"], MP)
shape("MP+rel-data+acq", "TTF", f"{PASSING}, the release store is the data, not the flag.",
      ["store(x, 1, rel); store(y, 1, rlx);", "r1 = load(y, acq); r2 = load(x, rlx);"], MP)
shape("MP+sc", "TTT", f"{PASSING} with seq_cst atomics.",
      ["store(x, 1, sc); store(y, 1, sc);", "r1 = load(y, sc); r2 = load(x, sc);"], MP)
shape("MP+sc+acq", "TTT", f"{PASSING}, relaxed data and a seq_cst flag; a seq_cst store is a release store too.",
      ["store(x, 1, rlx); store(y, 1, sc);", "r1 = load(y, acq); r2 = load(x, rlx);"], MP)
shape("MP+sc-data", "TTT", f"{PASSING}, seq_cst data and a relaxed flag: the store is followed by a full fence.",
      ["store(x, 1, sc); store(y, 1, rlx);", "r1 = load(y, rlx); r2 = load(x, rlx);"], MP)
shape("MP+relfence+acqfence", "TTT", f"{PASSING} with relaxed atomics, a release and an acquire fence.",
      ["store(x, 1, rlx); fence(rel); store(y, 1, rlx);", "r1 = load(y, rlx); fence(acq); r2 = load(x, rlx);"], MP)
shape("MP+three", "TTF", f"{PASSING} with two data variables and one flag.",
      ["x = 1; z = 1; y = 1;", "r1 = y; r2 = x; r3 = z;"], "r1 == 1 && (r2 == 0 || r3 == 0)")
shape("MP+three+wfence", "TTT", f"{PASSING} with two data variables; one store-store fence serves both.",
      ["x = 1; z = 1; fence(rel); y = 1;", "r1 = y; r2 = x; r3 = z;"], "r1 == 1 && (r2 == 0 || r3 == 0)")
shape("MP+three+wfence-mid", "TTF", f"{PASSING} with two data variables, the fence between them.",
      ["x = 1; fence(rel); z = 1; y = 1;", "r1 = y; r2 = x; r3 = z;"], "r1 == 1 && (r2 == 0 || r3 == 0)")
shape("MP+three+wfence-mid-first", "TTT", f"{PASSING}: data before a store-store fence is ordered with all stores after it.",
      ["x = 1; fence(rel); z = 1; y = 1;", "r1 = y; r2 = x; r3 = z;"], "r1 == 1 && r2 == 0")
shape("MP+wfence-read", "TFF", "A store-store fence orders the stores around it, but a load may still overtake both.",
      ["x = 1; fence(rel); y = 1; r1 = z;", "z = 1; fence(sc); r2 = x;"], "r1 == 0 && r2 == 0")
shape("MP+seen", "FFF", f"{PASSING}, the outcome where the reader comes in between: possible in any model.",
      ["x = 1; y = 1;", "r1 = y; r2 = x;"], "r1 == 0 && r2 == 1")

# ---- load buffering: store buffers never let a load be overtaken

LB = "r1 == 1 && r2 == 1"

shape("LB", "TTT", "Load buffering: a store never becomes visible before an earlier load of its thread.",
      ["r1 = y; x = 1;", "r2 = x; y = 1;"], LB)
shape("LB+fences", "TTT", "Load buffering with full fences.",
      ["r1 = y; fence(sc); x = 1;", "r2 = x; fence(sc); y = 1;"], LB)
shape("LB+datas", "TTT", "Load buffering with data dependencies: no value out of thin air.",
      ["r1 = y; x = r1;", "r2 = x; y = r2;"], LB)
shape("LB+ctrls", "TTT", "Load buffering with control dependencies.",
      ["r1 = y; if (r1 == 1) x = 1;", "r2 = x; if (r2 == 1) y = 1;"], LB)
shape("LB+rlx", "TTT", "Load buffering with relaxed atomics (C11 allows it, store buffers do not show it).",
      ["r1 = load(y, rlx); store(x, 1, rlx);", "r2 = load(x, rlx); store(y, 1, rlx);"], LB)
shape("LB+rmws", "TTT", "Load buffering with atomic exchanges for the loads.",
      ["r1 = xchg(y, 2); x = 1;", "r2 = xchg(x, 2); y = 1;"], LB)
shape("3.LB", "TTT", "Load buffering with three threads.",
      ["r1 = x; y = 1;", "r2 = y; z = 1;", "r3 = z; x = 1;"], "r1 == 1 && r2 == 1 && r3 == 1")

# ---- 2+2W, R, S: two variables, stores overtaking stores

W22 = "x == 1 && y == 1"

shape("2+2W", "TTF", "Two writers of two variables: both first stores win.",
      ["x = 1; y = 2;", "y = 1; x = 2;"], W22)
shape("2+2W+fences", "TTT", "2+2W with full fences.",
      ["x = 1; fence(sc); y = 2;", "y = 1; fence(sc); x = 2;"], W22)
shape("2+2W+wfences", "TTT", "2+2W with store-store fences.",
      ["x = 1; fence(rel); y = 2;", "y = 1; fence(rel); x = 2;"], W22)
shape("2+2W+wfence+po", "TTF", "2+2W with a store-store fence on one side only.",
      ["x = 1; fence(rel); y = 2;", "y = 1; x = 2;"], W22)
shape("2+2W+xchgs", "TTT", "2+2W with locked exchanges for all stores.",
      ["r1 = xchg(x, 1); r2 = xchg(y, 2);", "r3 = xchg(y, 1); r4 = xchg(x, 2);"], W22)
shape("2+2W+xchg+po", "TTF", "2+2W, the first thread's stores by locked exchange.",
      ["r1 = xchg(x, 1); r2 = xchg(y, 2);", "y = 1; x = 2;"], W22)
shape("2+2W+xchg-first", "TTT", "2+2W, each thread's first store by locked exchange.",
      ["r1 = xchg(x, 1); y = 2;", "r2 = xchg(y, 1); x = 2;"], W22)
shape("2+2W+rels", "TTT", "2+2W, each thread's second store a release store.",
      ["store(x, 1, rlx); store(y, 2, rel);", "store(y, 1, rlx); store(x, 2, rel);"], W22)
shape("2+2W+rlx", "TTF", "2+2W with relaxed atomics.",
      ["store(x, 1, rlx); store(y, 2, rlx);", "store(y, 1, rlx); store(x, 2, rlx);"], W22)
shape("3.2W", "TTF", "2+2W with three threads and three variables.",
      ["x = 1; y = 2;", "y = 1; z = 2;", "z = 1; x = 2;"], "x == 1 && y == 1 && z == 1")
shape("3.2W+wfences", "TTT", "2+2W with three threads, three variables and store-store fences.",
      ["x = 1; fence(rel); y = 2;", "y = 1; fence(rel); z = 2;", "z = 1; fence(rel); x = 2;"],
      "x == 1 && y == 1 && z == 1")

R = "y == 2 && r1 == 0"

shape("R", "TFF", "Shape R: a store is overtaken by a load, and its variable is written last.",
      ["x = 1; y = 1;", "y = 2; r1 = x;"], R)
shape("R+fences", "TTT", "Shape R with full fences.",
      ["x = 1; fence(sc); y = 1;", "y = 2; fence(sc); r1 = x;"], R)
shape("R+po+fence", "TTF", "Shape R with a full fence at the reader only.",
      ["x = 1; y = 1;", "y = 2; fence(sc); r1 = x;"], R)
shape("R+fence+po", "TFF", "Shape R with a full fence at the writer only.",
      ["x = 1; fence(sc); y = 1;", "y = 2; r1 = x;"], R)
shape("R+wfence+fence", "TTT", "Shape R with a store-store fence at the writer, a full fence at the reader.",
      ["x = 1; fence(rel); y = 1;", "y = 2; fence(sc); r1 = x;"], R)
shape("R+po+xchg", "TTF", "Shape R, the reader's store by atomic exchange.",
      ["x = 1; y = 1;", "r2 = xchg(y, 2); r1 = x;"], R)

S = "x == 2 && r1 == 1"

shape("S", "TTF", "Shape S: the first of two stores is written last, after the second was read.",
      ["x = 2; y = 1;", "r1 = y; x = 1;"], S)
shape("S+wfence+po", "TTT", "Shape S with a store-store fence.",
      ["x = 2; fence(rel); y = 1;", "r1 = y; x = 1;"], S)
shape("S+po+data", "TTF", "Shape S with a data dependency at the reader.",
      ["x = 2; y = 1;", "r1 = y; x = r1;"], S)
shape("S+wfence+data", "TTT", "Shape S with a store-store fence and a data dependency.",
      ["x = 2; fence(rel); y = 1;", "r1 = y; x = r1;"], S)
shape("S+po+ctrl", "TTF", "Shape S with a control dependency at the reader.",
      ["x = 2; y = 1;", "r1 = y; if (r1 == 1) x = 1;"], S)
shape("S+rel+acq", "TTT", "Shape S, release store and acquire load of the flag.",
      ["store(x, 2, rlx); store(y, 1, rel);", "r1 = load(y, acq); store(x, 1, rlx);"], S)

# ---- three and four threads

IRIW = "r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0"

shape("IRIW", "TTT", "Independent reads of independent writes: both readers agree on the order of the stores.",
      ["x = 1;", "y = 1;", "r1 = x; r2 = y;", "r3 = y; r4 = x;"], IRIW)
shape("IRIW+fences", "TTT", "Independent reads of independent writes with full fences at the readers.",
      ["x = 1;", "y = 1;", "r1 = x; fence(sc); r2 = y;", "r3 = y; fence(sc); r4 = x;"], IRIW)
shape("IRIW+acqs", "TTT", "Independent reads of independent writes with acquire loads (C11 allows the outcome).",
      ["store(x, 1, rel);", "store(y, 1, rel);", "r1 = load(x, acq); r2 = load(y, acq);",
       "r3 = load(y, acq); r4 = load(x, acq);"], IRIW)
shape("IRIW+internal", "TFF", "Independent reads of independent writes; the writers read themselves, so that each is "
      "a reader that sees its own store first, and two more readers watch.",
      ["x = 1; r1 = x; r2 = y;", "y = 1; r3 = y; r4 = x;", "r5 = x;", "r6 = y;"],
      "r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0 && r5 == 0 && r6 == 0")
shape("IRIW+rfi-writers", "TTT", "Independent reads of independent writes, the writers read their own stores back: "
      "still the other threads agree.",
      ["x = 1; r5 = x;", "y = 1; r6 = y;", "r1 = x; r2 = y;", "r3 = y; r4 = x;"], IRIW)
shape("WRC", "TTT", "Write to read causality: a store that was read and passed on is visible to all.",
      ["x = 1;", "r1 = x; y = 1;", "r2 = y; r3 = x;"], "r1 == 1 && r2 == 1 && r3 == 0")
shape("WRC+data+addr", "TTT", "Write to read causality with a data and an address dependency.",
      ["d[1] = 1;", "r1 = d[1]; y = r1;", "r2 = y; r3 = d[r2];"], "r1 == 1 && r2 == 1 && r3 == 0")
shape("WRC+rfi", "TFF", "Write to read causality where the middle thread reads its own buffered store.",
      ["x = 1; r1 = x; r4 = z;", "z = 1; fence(sc); r2 = x;"], "r1 == 1 && r4 == 0 && r2 == 0")
shape("WWC", "TTT", "Write to write causality.",
      ["x = 2;", "r1 = x; y = 1;", "r2 = y; x = 1;"], "x == 2 && r1 == 2 && r2 == 1")
shape("RWC", "TFF", "Read to write causality: the third thread's store is buffered.",
      ["x = 1;", "r1 = x; r2 = y;", "y = 1; r3 = x;"], "r1 == 1 && r2 == 0 && r3 == 0")
shape("RWC+po+fence", "TTT", "Read to write causality with a full fence in the third thread.",
      ["x = 1;", "r1 = x; r2 = y;", "y = 1; fence(sc); r3 = x;"], "r1 == 1 && r2 == 0 && r3 == 0")
shape("RWC+fence+po", "TFF", "Read to write causality with a full fence in the second thread only.",
      ["x = 1;", "r1 = x; fence(sc); r2 = y;", "y = 1; r3 = x;"], "r1 == 1 && r2 == 0 && r3 == 0")
shape("RWC+po+xchg", "TTT", "Read to write causality, the third thread's store by atomic exchange.",
      ["x = 1;", "r1 = x; r2 = y;", "r4 = xchg(y, 1); r3 = x;"], "r1 == 1 && r2 == 0 && r3 == 0")
shape("ISA2", "TTF", "Message passing over a third thread.",
      ["x = 1; y = 1;", "r1 = y; z = 1;", "r2 = z; r3 = x;"], "r1 == 1 && r2 == 1 && r3 == 0")
shape("ISA2+wfence", "TTT", "Message passing over a third thread with a store-store fence at the writer.",
      ["x = 1; fence(rel); y = 1;", "r1 = y; z = 1;", "r2 = z; r3 = x;"], "r1 == 1 && r2 == 1 && r3 == 0")
shape("ISA2+rel-acq", "TTT", "Message passing over a third thread with release stores and acquire loads.",
      ["store(x, 1, rlx); store(y, 1, rel);", "r1 = load(y, acq); store(z, 1, rel);",
       "r2 = load(z, acq); r3 = load(x, rlx);"], "r1 == 1 && r2 == 1 && r3 == 0")
shape("3.SB", "TFF", "Store buffering with three threads.",
      ["x = 1; r1 = y;", "y = 1; r2 = z;", "z = 1; r3 = x;"], "r1 == 0 && r2 == 0 && r3 == 0")
shape("3.SB+fences", "TTT", "Store buffering with three threads and full fences.",
      ["x = 1; fence(sc); r1 = y;", "y = 1; fence(sc); r2 = z;", "z = 1; fence(sc); r3 = x;"],
      "r1 == 0 && r2 == 0 && r3 == 0")
shape("3.SB+fence+fence+po", "TFF", "Store buffering with three threads, one of them without a fence.",
      ["x = 1; fence(sc); r1 = y;", "y = 1; fence(sc); r2 = z;", "z = 1; r3 = x;"],
      "r1 == 0 && r2 == 0 && r3 == 0")
shape("W+RWC", "TFF", "Message passing into store buffering.",
      ["x = 1; y = 1;", "r1 = y; r2 = z;", "z = 1; r3 = x;"], "r1 == 1 && r2 == 0 && r3 == 0")
shape("W+RWC+po+po+fence", "TTF", "Message passing into store buffering, a full fence in the third thread.",
      ["x = 1; y = 1;", "r1 = y; r2 = z;", "z = 1; fence(sc); r3 = x;"], "r1 == 1 && r2 == 0 && r3 == 0")
shape("W+RWC+wfence+po+fence", "TTT", "Message passing into store buffering with the fences that both parts need.",
      ["x = 1; fence(rel); y = 1;", "r1 = y; r2 = z;", "z = 1; fence(sc); r3 = x;"],
      "r1 == 1 && r2 == 0 && r3 == 0")
shape("Z6.0", "TFF", "Shape Z6.0: message passing into shape R.",
      ["x = 1; y = 1;", "r1 = y; z = 1;", "z = 2; r2 = x;"], "z == 2 && r1 == 1 && r2 == 0")
shape("Z6.1", "TTF", "Shape Z6.1: two pairs of stores and a read.",
      ["x = 2; y = 1;", "y = 2; z = 1;", "r1 = z; x = 1;"], "x == 2 && y == 2 && r1 == 1")
shape("Z6.2", "TTF", "Shape Z6.2: shape S over a third thread.",
      ["x = 2; y = 1;", "r1 = y; z = 1;", "r2 = z; x = 1;"], "x == 2 && r1 == 1 && r2 == 1")
shape("Z6.3", "TTF", "Shape Z6.3: two pairs of stores, then message passing.",
      ["x = 1; y = 1;", "y = 2; z = 1;", "r1 = z; r2 = x;"], "y == 2 && r1 == 1 && r2 == 0")
shape("Z6.4", "TFF", "Shape Z6.4: shape R into store buffering.",
      ["x = 1; y = 1;", "y = 2; r1 = z;", "z = 1; r2 = x;"], "y == 2 && r1 == 0 && r2 == 0")
shape("Z6.5", "TFF", "Shape Z6.5: three pairs with two last stores.",
      ["x = 1; y = 1;", "y = 2; z = 1;", "z = 2; r1 = x;"], "y == 2 && z == 2 && r1 == 0")
shape("WRW+2W", "TTF", "A store that was read, followed by two writers of two variables.",
      ["x = 2;", "r1 = x; y = 1;", "y = 2; x = 1;"], "x == 2 && y == 2 && r1 == 2")
shape("WRR+2W", "TTF", "A store that was read, then a variable not yet written, with two writers.",
      ["x = 2;", "r1 = x; r2 = y;", "y = 1; x = 1;"], "x == 2 && r1 == 2 && r2 == 0")
shape("WRW+WR", "TFF", "A store that was read and passed on, against a buffered store.",
      ["x = 1;", "r1 = x; y = 1;", "y = 2; r2 = x;"], "y == 2 && r1 == 1 && r2 == 0")

# ---- coherence: one variable

shape("CoRR", "TTT", "Coherence: two reads of one variable do not go back.",
      ["x = 1;", "r1 = x; r2 = x;"], "r1 == 1 && r2 == 0")
shape("CoRR2", "TTT", "Coherence: two readers agree on the order of two stores.",
      ["x = 1;", "x = 2;", "r1 = x; r2 = x;", "r3 = x; r4 = x;"], "r1 == 1 && r2 == 2 && r3 == 2 && r4 == 1")
shape("CoWW", "TTT", "Coherence: of two stores of one thread the second wins.",
      ["x = 1; x = 2;", "r1 = x;"], "x == 1")
shape("CoWW+seen", "TTT", "Two stores to the same variable leave even PSO's buffers in order.",
      ["x = 1; x = 2;", "r1 = x; r2 = x;"], "r1 == 2 && r2 == 1")
shape("CoRW1", "TTT", "Coherence: a read does not see a later store of its own thread.",
      ["r1 = x; x = 1;"], "r1 == 1")
shape("CoRW2", "TTT", "Coherence: a store comes after what its thread has read before.",
      ["r1 = x; x = 1;", "x = 2;"], "x == 2 && r1 == 2")
shape("CoWR", "TTT", "Coherence: a thread does not miss its own store.",
      ["x = 1; r1 = x;", "x = 2;"], "r1 == 0")
shape("CoWR2", "TTT", "Coherence: a store that was overwritten before the read does not win in the end.",
      ["x = 1; r1 = x;", "x = 2;"], "r1 == 2 && x == 1")
shape("CoWR3", "FFF", "A thread reads its own store, which wins in the end: nothing forbids that.",
      ["x = 1; r1 = x;", "x = 2;"], "r1 == 1 && x == 1")
shape("WW-around", "TTF", "A store to another variable between two stores to one: under PSO it overtakes the first.",
      ["x = 1; y = 1; x = 2;", "r1 = y; r2 = x;"], "r1 == 1 && r2 == 0")
shape("WW-stale", "TTF", "Under PSO a flag overtakes the second of two stores to the data.",
      ["x = 1; x = 2; y = 1;", "r1 = y; r2 = x;"], "r1 == 1 && r2 == 1")
shape("WW-stale+wfence", "TTT", "Two stores to the data, a store-store fence, the flag.",
      ["x = 1; x = 2; fence(rel); y = 1;", "r1 = y; r2 = x;"], "r1 == 1 && r2 == 1")

# ---- read-modify-writes

shape("RMW-adds", "TTT", "Two atomic additions do not read the same value.",
      ["r1 = add(x, 1);", "r2 = add(x, 1);"], "r1 == r2")
shape("RMW-plain-adds", "FFF", "Two additions in separate steps lose an update.",
      ["x = x + 1;", "x = x + 1;"], "x == 1")
shape("RMW-add-plain", "FFF", "An atomic addition does not protect against a plain one.",
      ["r1 = add(x, 1);", "x = x + 1;"], "x == 1")
shape("RMW-xchgs", "TTT", "One of two atomic exchanges sees the other.",
      ["r1 = xchg(x, 1);", "r2 = xchg(x, 2);"], "r1 == 0 && r2 == 0")
shape("RMW-cas", "TTT", "At most one of two compare-and-swaps from the same value succeeds.",
      ["r1 = cas(x, 0, 1);", "r2 = cas(x, 0, 2);"], "r1 == 1 && r2 == 1")
shape("RMW-store", "TTT", "No store comes between the read and the write of an atomic addition.",
      ["r1 = add(x, 10);", "x = 2;"], "x == 10")
shape("RMW-drains", "TTT", "An atomic addition makes earlier stores of its thread visible.",
      ["x = 1; r1 = add(y, 1);", "r2 = add(y, 1); r3 = x;"], "r2 == 1 && r3 == 0")
shape("RMW-own-store", "TTT", "An atomic addition reads the thread's own buffered store.",
      ["x = 5; r1 = add(x, 1);", "r2 = x;"], "r1 == 0")
shape("RMW-own-store-lost", "TTT", "A store and an atomic addition of one thread are not torn apart by another addition.",
      ["x = 4; r1 = add(x, 1);", "r2 = add(x, 10);"], "x == 11 || x == 10")

# ---- larger ones: mutual exclusion protocols

EXCLUSION = "r1 == 2 || r2 == 1"

shape("dekker-core", "TFF", "The entry of Dekker's algorithm without retry: both flags up, both threads inside.",
      ["x = 1; if (y == 0) { z = 1; r1 = z; }", "y = 1; if (x == 0) { z = 2; r2 = z; }"], EXCLUSION)
shape("dekker-core+fences", "TTT", "The entry of Dekker's algorithm without retry, full fences after the flags.",
      ["x = 1; fence(sc); if (y == 0) { z = 1; r1 = z; }", "y = 1; fence(sc); if (x == 0) { z = 2; r2 = z; }"],
      EXCLUSION)

PETERSON = "{0} = 1; {4} turn = {3}; {5} while ({1} == 1 && turn == {3}); z = {2}; r{2} = z; {6} {0} = 0;"


def peterson(between, entry, leave):
    fences = (between, entry, leave)
    return [PETERSON.format("x", "y", 1, 2, *fences), PETERSON.format("y", "x", 2, 1, *fences)]


shape("peterson", "TFF", "Peterson's algorithm without fences.", peterson("", "", ""), EXCLUSION)
shape("peterson+fence", "TTF", "Peterson's algorithm with a full fence at the entry.",
      peterson("", "fence(sc);", ""), EXCLUSION)
shape("peterson+fence+wfence", "TTF", "Peterson's algorithm with a full fence at the entry and a store-store fence on "
      "leaving. Under PSO the turn may become visible before the flag.",
      peterson("", "fence(sc);", "fence(rel);"), EXCLUSION)
shape("peterson+wfence+fence", "TTF", "Peterson's algorithm with a store-store fence between flag and turn and a full "
      "fence at the entry. Under PSO the flag may go down before the store of the critical section is visible.",
      peterson("fence(rel);", "fence(sc);", ""), EXCLUSION)
shape("peterson+wfence+fence+wfence", "TTT", "Peterson's algorithm with all the fences that PSO needs.",
      peterson("fence(rel);", "fence(sc);", "fence(rel);"), EXCLUSION)
shape("peterson+wfences", "TFF", "Peterson's algorithm with store-store fences only.",
      peterson("fence(rel);", "fence(rel);", "fence(rel);"), EXCLUSION)

DEKKER = ("{0} = 1; {3} while ({1} == 1) {{ if (turn != {2}) {{ {0} = 0; while (turn != {2}); {0} = 1; {3} }} }} "
          "z = {2}; r{2} = z; {5} turn = {4}; {5} {0} = 0;")


def dekker(entry, leave):
    return [DEKKER.format("x", "y", 1, entry, 2, leave), DEKKER.format("y", "x", 2, entry, 1, leave)]


shape("dekker", "TFF", "Dekker's algorithm without fences.", dekker("", ""), EXCLUSION, ["turn = 1;"])
shape("dekker+fences", "TTF", "Dekker's algorithm with full fences after the flag is raised; on leaving, the flag may go "
      "down before the store of the critical section is visible.", dekker("fence(sc);", ""), EXCLUSION, ["turn = 1;"])
shape("dekker+fences+wfences", "TTT", "Dekker's algorithm with full fences after the flag is raised and store-store "
      "fences on leaving.", dekker("fence(sc);", "fence(rel);"), EXCLUSION, ["turn = 1;"])
shape("spinlock", "TTF", "A spin lock by atomic exchange, released by a plain store: under PSO the lock may look free "
      "before the store of the critical section is visible.",
      ["while (xchg(x, 1) == 1); z = 1; r1 = z; x = 0;", "while (xchg(x, 1) == 1); z = 2; r2 = z; x = 0;"], EXCLUSION)
shape("spinlock+wfence", "TTT", "A spin lock by atomic exchange, a store-store fence before the release.",
      ["while (xchg(x, 1) == 1); z = 1; r1 = z; fence(rel); x = 0;",
       "while (xchg(x, 1) == 1); z = 2; r2 = z; fence(rel); x = 0;"], EXCLUSION)

# ---- order graphs on which saturation alone does not decide

shape("scar-example", "TFF", "The running example of L. Yin, W. Dong, W. Liu, J. Wang, \"Scheduling constraint based "
      "abstraction refinement for multi-threaded program verification\", 2017, Fig. 2.",
      ["x = y + 1; r1 = y; x = 0;", "y = x + 1; r2 = x; y = 0;"], "r1 == 1 && r2 == 1", ["x = 1;", "y = 1;"])
shape("three-thread-split", "TFF", "Three threads, no cycle by the derived orders alone, and yet no total order under SC: "
      "it takes a case split.",
      ["x = 1; y = 1; r1 = v; r2 = x;", "v = 1; x = 2; r3 = y; r4 = v;", "y = 2; v = 2; r5 = x; r6 = y;"],
      "r1 == 2 && r2 == 1 && r3 == 1 && r4 == 1 && r5 == 2 && r6 == 2")
shape("butterfly", "TFF", "A butterfly, after Fig. 6 of the same paper: two writers of w, and a reader of the first. "
      "Whichever writer comes first, one of the two wings (m and n, or x and y) has a cycle under SC, but no order can "
      "be derived before that choice is made.",
      ["n = 1; m = 2; r1 = g; w = 2; r2 = x; r3 = y;", "m = 1; n = 2; g = 1;",
       "w = 1; r4 = m; r5 = n; y = 1; x = 2; r6 = h; r7 = w;", "x = 1; y = 2; h = 1;"],
      "r1 == 1 && r2 == 1 && r3 == 1 && r4 == 1 && r5 == 1 && r6 == 1 && r7 == 1")
