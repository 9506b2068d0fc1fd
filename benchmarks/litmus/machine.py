"""An operational machine with store buffers: can a litmus test end with a given outcome?

Every thread is compiled to instructions that touch memory at most once. The machine explores all schedules;
instructions that touch no memory belong to the step before them.

    sc    a store writes memory at once
    tso   a store enters its thread's first-in first-out buffer and leaves it at any later time
    pso   one such buffer per variable; an entry carries the number of store-store fences before it and leaves
          only when no entry with a smaller number is left in the thread's buffers

A read takes the thread's own newest buffered value of the variable, else memory. A full fence, a
read-modify-write, a mutex operation and the end of a thread (it is joined) wait until the thread's buffers are
empty. A release store and a release fence are preceded by a store-store fence; a seq_cst store is a release
store followed by a full fence; acquire and relaxed add nothing.
"""

from language import Node


def reachable(threads, init, outcome, model):
    """Is there a run of the threads, after the statements `init`, that ends with the outcome?"""
    codes = [Compiler(body).code for body in threads]
    wanted = fixed_results(outcome)
    memory = ()
    for body in init:
        for node in body:
            memory = updated(memory, node.parts[0].parts[0], node.parts[1].parts[0])
    start = State(memory, tuple(settled((0, (), (), 0), code, wanted) for code in codes))
    seen, stack = {start}, [start]
    while stack:
        state = stack.pop()
        if all(pc == len(codes[i]) and not buffer for i, (pc, _, buffer, _) in enumerate(state.threads)):
            values = dict(state.memory)
            for _, registers, _, _ in state.threads:
                values.update(registers)
            if evaluate(outcome, values):
                return True
            continue
        for successor in successors(state, codes, model, wanted):
            if successor not in seen:
                seen.add(successor)
                stack.append(successor)
    return False


class State(tuple):
    """(memory, threads); a thread is (pc, registers, buffer, number of store-store fences so far).

    Memory and registers are sorted tuples of pairs, absent means 0. The buffer is a tuple of
    (variable, value, fences before the store), oldest first; under PSO it is read as one queue per variable.
    """

    def __new__(cls, memory, threads):
        return super().__new__(cls, (memory, threads))

    memory = property(lambda self: self[0])
    threads = property(lambda self: self[1])


def updated(pairs, name, value):
    """Sorted pairs with one value changed; a value of 0 is not stored, so equal states look equal."""
    return tuple(sorted([p for p in pairs if p[0] != name] + ([(name, value)] if value else [])))


def successors(state, codes, model, wanted):
    for i, thread in enumerate(state.threads):
        for memory, changed in steps(state.memory, thread, codes[i], model):
            changed = settled(changed, codes[i], wanted)
            if changed:
                yield State(memory, state.threads[:i] + (changed,) + state.threads[i + 1 :])


def settled(thread, code, wanted):
    """The thread after all instructions that touch no memory; None when a result is not the wanted one."""
    pc, registers, buffer, fences = thread
    while pc < len(code) and code[pc][0] in ("set", "jump"):
        kind, first, second = code[pc]
        pc += 1
        if kind == "set":
            value = evaluate(second, dict(registers))
            if wanted.get(first, value) != value:
                return None
            registers = updated(registers, first, value)
        elif not evaluate(first, dict(registers)):
            pc = second
    return pc, registers, buffer, fences


def steps(memory, thread, code, model):
    """All that one thread can do: let a store leave its buffer, or execute its next instruction."""
    pc, registers, buffer, fences = thread
    for k in leaving(buffer, model):
        name, value, _ = buffer[k]
        yield updated(memory, name, value), (pc, registers, buffer[:k] + buffer[k + 1 :], fences)
    if pc == len(code):
        return
    kind, *arguments = code[pc]
    regs = dict(registers)
    if kind == "read":
        register, place = arguments
        value = visible(cell(place, regs), memory, buffer)
        yield memory, (pc + 1, updated(registers, register, value), buffer, fences)
    elif kind == "write":
        place, value = arguments
        name, value = cell(place, regs), evaluate(value, regs)
        if model == "sc":
            yield updated(memory, name, value), (pc + 1, registers, buffer, fences)
        else:
            yield memory, (pc + 1, registers, buffer + ((name, value, fences),), fences)
    elif kind == "store fence":
        yield memory, (pc + 1, registers, buffer, fences + 1 if buffer else 0)
    elif not buffer:  # everything else is a full fence
        yield from fenced_step(kind, arguments, memory, (pc, registers, (), 0))


def fenced_step(kind, arguments, memory, thread):
    pc, registers, _, _ = thread
    if kind == "full fence":
        yield memory, (pc + 1, registers, (), 0)
        return
    name = arguments[0]
    old = dict(memory).get(name, 0)
    if kind == "lock" and old == 0:
        yield updated(memory, name, 1), (pc + 1, registers, (), 0)
    elif kind == "unlock":
        yield updated(memory, name, 0), (pc + 1, registers, (), 0)
    elif kind == "rmw":
        _, operation, register, operands = arguments
        values = [evaluate(o, dict(registers)) for o in operands]
        if operation == "xchg":
            new, result = values[0], old
        elif operation == "add":
            new, result = old + values[0], old
        else:
            new, result = (values[1], 1) if old == values[0] else (old, 0)
        yield updated(memory, name, new), (pc + 1, updated(registers, register, result), (), 0)


def leaving(buffer, model):
    """Positions of the entries that may go to memory now."""
    if not buffer:
        return []
    if model == "tso":
        return [0]
    first = min(fences for _, _, fences in buffer)
    names = [name for name, _, _ in buffer]
    return [k for k, (name, _, fences) in enumerate(buffer) if fences == first and name not in names[:k]]


def visible(name, memory, buffer):
    for other, value, _ in reversed(buffer):
        if other == name:
            return value
    return dict(memory).get(name, 0)


def cell(place, registers):
    if place.kind == "element":
        return f"{place.parts[0]}[{evaluate(place.parts[1], registers)}]"
    return place.parts[0]


def evaluate(node, values):
    """The value of an expression whose reads have been done."""
    if node.kind == "number":
        return node.parts[0]
    if node.kind in ("result", "shared"):
        return values.get(node.parts[0], 0)
    operator, left, right = node.parts
    a = evaluate(left, values)
    if operator == "&&":
        return int(bool(a and evaluate(right, values)))
    if operator == "||":
        return int(bool(a or evaluate(right, values)))
    b = evaluate(right, values)
    return {"+": a + b, "-": a - b, "==": int(a == b), "!=": int(a != b), ">=": int(a >= b)}[operator]


def fixed_results(outcome):
    """{result: value} for the results that a conjunctive outcome fixes; a run that sets another value is given up.

    No thread of shapes.py assigns a result twice, so a wrong value stays wrong.
    """
    if outcome.kind == "binary" and outcome.parts[0] == "&&":
        return fixed_results(outcome.parts[1]) | fixed_results(outcome.parts[2])
    if outcome.kind == "binary" and outcome.parts[0] == "==" and outcome.parts[1].kind == "result":
        return {outcome.parts[1].parts[0]: outcome.parts[2].parts[0]} if outcome.parts[2].kind == "number" else {}
    return {}


class Compiler:
    """Statements to instructions. Temporaries %0, %1, ... hold what an expression has read so far."""

    def __init__(self, body):
        self.code = []
        for node in body:
            self.statement(node)

    def emit(self, *instruction):
        self.code.append(instruction)
        return len(self.code) - 1

    def statement(self, node):
        if node.kind == "block":
            for inner in node.parts[0]:
                self.statement(inner)
        elif node.kind in ("if", "while"):
            start = len(self.code)
            condition = self.expression(node.parts[0], 0)
            jump = self.emit("jump", condition, None)
            self.statement(node.parts[1])
            if node.kind == "while":
                self.emit("jump", Node("number", (0,)), start)
            self.code[jump] = ("jump", condition, len(self.code))
        elif node.kind == "assign":
            target, value = node.parts
            value = self.expression(value, 0)
            if target.kind == "result":
                self.emit("set", target.parts[0], value)
            else:
                self.emit("write", target, value)
            self.forget()
        elif node.kind == "store":
            name, value, order = node.parts
            value = self.expression(value, 0)
            if order in ("rel", "sc"):
                self.emit("store fence")
            self.emit("write", Node("shared", (name,)), value)
            if order == "sc":
                self.emit("full fence")
        elif node.kind == "fence":
            if node.parts[0] == "sc":
                self.emit("full fence")
            elif node.parts[0] in ("rel", "acq_rel"):
                self.emit("store fence")
        elif node.kind == "sync":
            self.emit("full fence")
        elif node.kind in ("lock", "unlock"):
            self.emit(node.kind, node.parts[0])
        elif node.kind != "empty":
            self.expression(node, 0)

    def forget(self):
        """Clears the temporary, so that states differ only by what matters."""
        self.emit("set", "%0", Node("number", (0,)))

    def expression(self, node, depth):
        """Emits the reads of an expression in order and returns it with the reads replaced by temporaries."""
        temporary = f"%{depth}"
        if node.kind in ("number", "result"):
            return node
        if node.kind == "binary":
            return self.binary(node, depth)
        if node.kind == "element":
            node = Node("element", (node.parts[0], self.expression(node.parts[1], depth + 1)))
        if node.kind in ("shared", "element"):
            self.emit("read", temporary, node)
        elif node.kind == "load":
            self.emit("read", temporary, Node("shared", (node.parts[0],)))
        else:
            operands = [self.expression(p, depth + 1) for p in node.parts[1:]]
            self.emit("rmw", node.parts[0], node.kind, temporary, operands)
        return Node("result", (temporary,))

    def binary(self, node, depth):
        operator, left, right = node.parts
        if operator not in ("&&", "||"):
            return Node("binary", (operator, self.expression(left, depth), self.expression(right, depth + 1)))
        temporary = f"%{depth}"
        self.emit("set", temporary, self.expression(left, depth))
        result = Node("result", (temporary,))
        skip_if_zero = operator == "&&"
        zero = Node("number", (0,))
        jump = self.emit("jump", result if skip_if_zero else Node("binary", ("==", result, zero)), None)
        self.emit("set", temporary, self.expression(right, depth))
        self.code[jump] = ("jump", self.code[jump][1], len(self.code))
        return result
