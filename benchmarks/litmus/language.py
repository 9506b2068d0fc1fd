"""The notation of shapes.py: a few C statements per thread, parsed once, printed as C, run by machine.py.

Statements
    x = EXPR;  r1 = EXPR;  d[EXPR] = EXPR;        plain accesses; r1, r2, ... are results, all else is shared
    store(x, EXPR, ORDER);                        C11 atomic store; ORDER is rlx, rel or sc
    fence(ORDER);  sync();                        atomic_thread_fence, __sync_synchronize
    lock(m);  unlock(m);                          a pthread mutex
    if (EXPR) STATEMENT   while (EXPR) STATEMENT   { ... }   ;
Expressions
    numbers, variables, d[EXPR], + - == != >= && ||, parentheses
    load(x, ORDER)                                C11 atomic load; ORDER is rlx, acq or sc
    xchg(x, EXPR)  add(x, EXPR)  cas(x, EXPR, EXPR)    read-modify-writes; old value, old value, success

A shape with load or store declares its shared variables atomic_int, and then has no plain accesses to them;
otherwise they are int and the read-modify-writes are the GNU builtins.
"""

import re
import textwrap
from dataclasses import dataclass

ORDERS = {"rlx": "relaxed", "acq": "acquire", "rel": "release", "acq_rel": "acq_rel", "sc": "seq_cst"}
TOKEN = re.compile(r"\s*(==|!=|>=|&&|\|\||\w+|[-+=(){}\[\];,])")
LEVELS = (("||",), ("&&",), ("==", "!=", ">="), ("+", "-"))
CALLS = ("load", "xchg", "add", "cas", "store", "fence", "sync", "lock", "unlock")


@dataclass(frozen=True)
class Node:
    """A piece of syntax: `kind` and its parts, which are nodes, names, numbers or tuples of nodes."""

    kind: str
    parts: tuple = ()


def parse(text):
    """The statements of one thread."""
    tokens = tokenize(text)
    statements = []
    while tokens:
        statements.append(statement(tokens))
    return tuple(statements)


def parse_expression(text):
    tokens = tokenize(text)
    result = expression(tokens)
    if tokens:
        raise SyntaxError(f"unexpected {tokens[0]} in {text}")
    return result


def tokenize(text):
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise SyntaxError(f"cannot read {text[at:]!r}")
        tokens.append(match[1])
        at = match.end()
    return tokens


def take(tokens, wanted):
    if not tokens or tokens[0] != wanted:
        raise SyntaxError(f"expected {wanted} before {tokens[:5]}")
    tokens.pop(0)


def statement(tokens):
    if tokens[0] == ";":
        tokens.pop(0)
        return Node("empty")
    if tokens[0] == "{":
        tokens.pop(0)
        inner = []
        while tokens[0] != "}":
            inner.append(statement(tokens))
        tokens.pop(0)
        return Node("block", (tuple(inner),))
    if tokens[0] in ("if", "while"):
        kind = tokens.pop(0)
        take(tokens, "(")
        condition = expression(tokens)
        take(tokens, ")")
        return Node(kind, (condition, statement(tokens)))
    target = primary(tokens)
    if target.kind in CALLS:
        take(tokens, ";")
        return target
    take(tokens, "=")
    value = expression(tokens)
    take(tokens, ";")
    return Node("assign", (target, value))


def expression(tokens, level=0):
    if level == len(LEVELS):
        return primary(tokens)
    left = expression(tokens, level + 1)
    while tokens and tokens[0] in LEVELS[level]:
        operator = tokens.pop(0)
        left = Node("binary", (operator, left, expression(tokens, level + 1)))
    return left


def primary(tokens):
    token = tokens.pop(0)
    if token == "(":
        inner = expression(tokens)
        take(tokens, ")")
        return inner
    if token.isdigit():
        return Node("number", (int(token),))
    if token in CALLS:
        return call(token, tokens)
    if tokens and tokens[0] == "[":
        tokens.pop(0)
        index = expression(tokens)
        take(tokens, "]")
        return Node("element", (token, index))
    return Node("result" if re.fullmatch(r"r\d+", token) else "shared", (token,))


def call(name, tokens):
    """The arguments: the first and the order stay names, the others are expressions."""
    take(tokens, "(")
    parts = []
    while tokens[0] != ")":
        if not parts or tokens[0] in ORDERS:
            parts.append(tokens.pop(0))
        else:
            parts.append(expression(tokens))
        if tokens[0] == ",":
            tokens.pop(0)
    tokens.pop(0)
    return Node(name, tuple(parts))


# ---- what a program mentions


@dataclass
class Names:
    shared: list
    results: list
    mutexes: list


def walk(node):
    """The node and all nodes inside it."""
    if isinstance(node, tuple):
        for part in node:
            yield from walk(part)
    elif isinstance(node, Node):
        yield node
        yield from walk(node.parts)


def variables(threads, outcome):
    """Declared names in the order in which they should appear."""
    nodes = list(walk(tuple(threads) + (parse_expression(outcome),)))
    results = sorted({n.parts[0] for n in nodes if n.kind == "result"}, key=lambda r: int(r[1:]))
    mutexes = sorted({n.parts[0] for n in nodes if n.kind == "lock"})
    atomic = {n.parts[0] for n in nodes if n.kind in ("load", "store", "xchg", "add", "cas")}
    arrays = sorted({n.parts[0] for n in nodes if n.kind == "element"})
    plain = {n.parts[0] for n in nodes if n.kind == "shared"}
    return Names(sorted(atomic | plain) + [f"{a}[2]" for a in arrays], results, mutexes)


def uses_c11_atomics(threads):
    atomic = any(n.kind in ("load", "store") for n in walk(tuple(threads)))
    if atomic and any(n.kind in ("shared", "element") for n in walk(tuple(threads))):
        raise SyntaxError("plain access to an atomic variable")
    return atomic


def needs_stdatomic(threads):
    return any(n.kind in ("load", "store", "fence") for n in walk(tuple(threads)))


# ---- C text


def c_statements(body, atomic, indent="    "):
    return [indent + line for node in body for line in c_statement(node, atomic)]


def c_statement(node, atomic):
    """The lines of a statement."""
    if node.kind == "empty":
        return [";"]
    if node.kind == "block":
        return c_statements(node.parts[0], atomic, "")
    if node.kind in ("if", "while"):
        head = f"{node.kind} ({c_expression(node.parts[0], atomic)})"
        if node.parts[1].kind == "empty":
            return [head + ";"]
        inner = c_statement(node.parts[1], atomic)
        if node.parts[1].kind == "block":
            return [head + " {"] + ["    " + line for line in inner] + ["}"]
        return [head] + ["    " + line for line in inner]
    if node.kind == "assign":
        return [f"{c_expression(node.parts[0], atomic)} = {c_expression(node.parts[1], atomic)};"]
    return [c_call(node, atomic) + ";"]


def c_expression(node, atomic):
    if node.kind == "binary":
        operator, left, right = node.parts
        return f"{c_operand(left, operator, atomic)} {operator} {c_operand(right, operator, atomic)}"
    if node.kind == "number":
        return str(node.parts[0])
    if node.kind in ("shared", "result"):
        return node.parts[0]
    if node.kind == "element":
        return f"{node.parts[0]}[{c_expression(node.parts[1], atomic)}]"
    return c_call(node, atomic)


def c_operand(node, outer, atomic):
    text = c_expression(node, atomic)
    if node.kind != "binary":
        return text
    inner = node.parts[0]
    needed = level_of(inner) < level_of(outer) or (inner, outer) == ("&&", "||")  # the latter for the reader
    return f"({text})" if needed else text


def level_of(operator):
    return next(i for i, operators in enumerate(LEVELS) if operator in operators)


def c_call(node, atomic):
    kind, name = node.kind, node.parts[0] if node.parts else ""
    values = [c_expression(p, atomic) for p in node.parts[1:] if isinstance(p, Node)]
    order = next((f"memory_order_{ORDERS[p]}" for p in node.parts if p in ORDERS), "")
    table = {
        "load": lambda: f"atomic_load_explicit(&{name}, {order})",
        "store": lambda: f"atomic_store_explicit(&{name}, {values[0]}, {order})",
        "fence": lambda: f"atomic_thread_fence({order})",
        "sync": lambda: "__sync_synchronize()",
        "lock": lambda: f"pthread_mutex_lock(&{name})",
        "unlock": lambda: f"pthread_mutex_unlock(&{name})",
        "cas": lambda: f"__sync_bool_compare_and_swap(&{name}, {values[0]}, {values[1]})",
        "xchg": lambda: f"atomic_exchange(&{name}, {values[0]})"
        if atomic
        else f"__atomic_exchange_n(&{name}, {values[0]}, __ATOMIC_SEQ_CST)",
        "add": lambda: f"atomic_fetch_add(&{name}, {values[0]})"
        if atomic
        else f"__sync_fetch_and_add(&{name}, {values[0]})",
    }
    return table[kind]()


def wrap(text):
    """A C comment, one paragraph per line of the text."""
    lines = [line for paragraph in text.split("\n") for line in textwrap.wrap(paragraph, 100)]
    return "/* " + "\n * ".join(lines) + "\n */"
