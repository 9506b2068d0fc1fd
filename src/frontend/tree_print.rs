//! Stable text of the typed tree, for tests and for looking at what analysis made of a program.
//!
//! The text is C with everything explicit: `[x]` reads the lvalue `x`, `decay a` is a pointer to the first
//! element of `a`, `(p + i * 4)` counts bytes, constants carry the suffix of their type, and initialisers are
//! values at byte offsets.

use std::fmt::Write;

use super::tree::{
    BinaryOp, BitField, CompareOp, Expr, ExprKind, FenceKind, Function, Global, Init, InitPart, LabelId,
    LocalId, Record, RecordKind, StepValue, Stmt, StmtKind, Storage, Type, TypeId, UnaryOp, Unit, Variadic,
};

/// The type in C's notation.
pub fn show_type(types: &[Type], records: &[Record], ty: TypeId) -> String {
    declare(types, records, ty, "")
}

/// All records, globals and functions; models are left out.
pub fn print(unit: &Unit) -> String {
    let mut printer = Printer { unit, function: None, out: String::new(), indent: 0 };
    for record in &unit.records {
        printer.record(record);
    }
    for global in unit.globals.iter().filter(|global| global.storage != Storage::Literal) {
        printer.global(global);
    }
    for function in unit.functions.iter().filter(|function| !function.model) {
        printer.function(function);
    }
    printer.out
}

/// A declaration of `inner`, built from the inside out as C has it.
fn declare(types: &[Type], records: &[Record], ty: TypeId, inner: &str) -> String {
    let with = |name: &str| match inner {
        "" => name.to_owned(),
        _ => format!("{name} {inner}"),
    };
    match &types[ty.index()] {
        Type::Void => with("void"),
        Type::Int { word, rank } => match (word.bits(), rank) {
            (1, 0) => with("_Bool"),
            (bits, 0) => with(&format!("{}:{bits}", if word.is_signed() { "int" } else { "unsigned" })),
            _ => with(integer_name(*rank, word.is_signed())),
        },
        Type::Float { bits: 32 } => with("float"),
        Type::Float { .. } => with("double"),
        Type::Pointer(to) => {
            let bracketed = matches!(
                types[to.index()],
                Type::Array(..) | Type::VariableArray(..) | Type::Function { .. }
            );
            let inner = if bracketed { format!("(*{inner})") } else { format!("*{inner}") };
            declare(types, records, *to, &inner)
        }
        Type::VariableArray(element, _) => declare(types, records, *element, &format!("{inner}[*]")),
        Type::Array(element, length) => {
            let length = length.map_or(String::new(), |length| length.to_string());
            declare(types, records, *element, &format!("{inner}[{length}]"))
        }
        Type::Record(record) => {
            let record = &records[record.index()];
            with(&format!("{} {}", keyword(record.kind), record.name))
        }
        Type::Function { result, params, variadic } => {
            let mut list: Vec<String> =
                params.iter().map(|&param| declare(types, records, param, "")).collect();
            match variadic {
                Variadic::No if list.is_empty() => list.push("void".to_owned()),
                Variadic::Yes => list.push("...".to_owned()),
                _ => {}
            }
            declare(types, records, *result, &format!("{inner}({})", list.join(", ")))
        }
        Type::Atomic(of) => with(&format!("_Atomic({})", declare(types, records, *of, ""))),
        Type::Unsupported { name, .. } => with(name),
    }
}

fn integer_name(rank: u8, signed: bool) -> &'static str {
    match (rank, signed) {
        (1, true) => "char",
        (1, false) => "unsigned char",
        (2, true) => "short",
        (2, false) => "unsigned short",
        (3, true) => "int",
        (3, false) => "unsigned int",
        (4, true) => "long",
        (4, false) => "unsigned long",
        (_, true) => "long long",
        (_, false) => "unsigned long long",
    }
}

fn keyword(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    }
}

struct Printer<'a> {
    unit: &'a Unit,
    function: Option<&'a Function>,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 2 * self.indent);
    }

    fn declaration(&self, ty: TypeId, name: &str) -> String {
        declare(&self.unit.types, &self.unit.records, ty, name)
    }

    fn ty(&self, ty: TypeId) -> String {
        self.declaration(ty, "")
    }

    fn record(&mut self, record: &Record) {
        let Some(fields) = &record.fields else {
            return self.line(&format!("{} {};", keyword(record.kind), record.name));
        };
        let mut text = format!("{} {} {{", keyword(record.kind), record.name);
        for field in fields {
            let bits = field.bits.map_or(String::new(), |bits| format!(" : {}", bit_place(bits)));
            let _ = write!(text, " {}: {}{bits};", field.offset, self.declaration(field.ty, &field.name));
        }
        self.line(&format!("{text} }} size {} align {}", record.size, record.align));
    }

    fn global(&mut self, global: &Global) {
        let storage = if global.storage == Storage::ThreadLocal { "_Thread_local " } else { "" };
        let init = global.init.as_ref().map_or(String::new(), |init| format!(" = {}", self.init(init)));
        self.line(&format!("{storage}{}{init};", self.declaration(global.ty, &global.name)));
    }

    fn function<'b>(&mut self, function: &'b Function)
    where
        Self: 'b,
    {
        let Some(body) = &function.body else {
            return self.line(&format!("{};", self.declaration(function.ty, &function.name)));
        };
        let unit = self.unit;
        let mut inner = Printer { unit, function: Some(function), out: String::new(), indent: 0 };
        let params = &function.locals[..function.params as usize];
        let names: Vec<&str> = params.iter().map(|param| param.name.as_str()).collect();
        inner.line(&format!("{} [{}]", inner.declaration(function.ty, &function.name), names.join(", ")));
        inner.statement(body);
        self.out += &inner.out;
    }

    fn block(&mut self, statements: &[Stmt]) {
        self.line("{");
        self.indent += 1;
        statements.iter().for_each(|statement| self.statement(statement));
        self.indent -= 1;
        self.line("}");
    }

    fn inner(&mut self, statement: &Stmt) {
        let deeper = usize::from(!matches!(statement.kind, StmtKind::Block(_)));
        self.indent += deeper;
        self.statement(statement);
        self.indent -= deeper;
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Empty => self.line(";"),
            StmtKind::Expr(expr) => self.line(&format!("{};", self.expr(expr))),
            StmtKind::Declare { local, length, init } => {
                let ty = self.function.expect("in a function").locals[local.index()].ty;
                let length =
                    length.as_ref().map_or(String::new(), |length| format!(" length {}", self.expr(length)));
                let init = init.as_ref().map_or(String::new(), |init| format!(" = {}", self.init(init)));
                self.line(&format!("{}{length}{init};", self.declaration(ty, &self.local(*local))));
            }
            StmtKind::AtExit(call) => self.line(&format!("at exit {};", self.expr(call))),
            StmtKind::Block(statements) => self.block(statements),
            StmtKind::If(condition, then, otherwise) => {
                self.line(&format!("if {}", self.expr(condition)));
                self.inner(then);
                if let Some(otherwise) = otherwise {
                    self.line("else");
                    self.inner(otherwise);
                }
            }
            StmtKind::While(condition, body) => {
                self.line(&format!("while {}", self.expr(condition)));
                self.inner(body);
            }
            StmtKind::DoWhile(body, condition) => {
                self.line("do");
                self.inner(body);
                self.line(&format!("while {};", self.expr(condition)));
            }
            StmtKind::For { init, condition, step, body } => {
                let show = |expr: &Option<Expr>| expr.as_ref().map_or(String::new(), |expr| self.expr(expr));
                let head = format!("for (; {}; {})", show(condition), show(step));
                if let Some(init) = init {
                    self.statement(init);
                }
                self.line(&head);
                self.inner(body);
            }
            StmtKind::Switch(value, body) => {
                self.line(&format!("switch {}", self.expr(value)));
                self.inner(body);
            }
            StmtKind::Case(low, high, body) => {
                let range = if low == high { low.to_string() } else { format!("{low} ... {high}") };
                self.line(&format!("case {range}:"));
                self.inner(body);
            }
            StmtKind::Default(body) => {
                self.line("default:");
                self.inner(body);
            }
            StmtKind::Labelled(label, body) => {
                self.line(&format!("{}:", self.label(*label)));
                self.inner(body);
            }
            StmtKind::Goto(label) => self.line(&format!("goto {};", self.label(*label))),
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => self.line("continue;"),
            StmtKind::Return(None) => self.line("return;"),
            StmtKind::Return(Some(value)) => self.line(&format!("return {};", self.expr(value))),
            StmtKind::Fence(kind) => self.line(match kind {
                FenceKind::Full => "fence full;",
                FenceKind::StoreStore => "fence store-store;",
                FenceKind::Compiler => "fence compiler;",
            }),
            StmtKind::Unsupported(what) => self.line(&format!("unsupported <{what}>;")),
        }
    }

    fn label(&self, label: LabelId) -> &str {
        &self.function.expect("in a function").labels[label.index()]
    }

    /// The name of a local; shadowed and made-up ones with their number.
    fn local(&self, local: LocalId) -> String {
        let locals = &self.function.expect("in a function").locals;
        let name = &locals[local.index()].name;
        let unique = locals.iter().filter(|other| other.name == *name).count() == 1;
        if unique { name.clone() } else { format!("{name}#{}", local.0) }
    }

    fn init(&self, init: &Init) -> String {
        let parts: Vec<String> = init
            .parts
            .iter()
            .map(|part| format!("{}: {}", init_place(part), self.expr(&part.value)))
            .collect();
        format!("{{{}}}", parts.join(", "))
    }

    fn expr(&self, expr: &Expr) -> String {
        let e = |expr: &Expr| self.expr(expr);
        match &expr.kind {
            ExprKind::Int(value) => self.int(*value, expr.ty),
            ExprKind::Global(id) => {
                let global = &self.unit.globals[id.index()];
                match global.storage {
                    Storage::Literal => format!("{:?}", global.name),
                    _ => global.name.clone(),
                }
            }
            ExprKind::Local(id) => self.local(*id),
            ExprKind::Function(id) => self.unit.functions[id.index()].name.clone(),
            ExprKind::Deref(a) => format!("(*{})", e(a)),
            ExprKind::Member(base, index) => format!("{}.{}", e(base), self.field(base.ty, *index)),
            ExprKind::Load(a) => format!("[{}]", e(a)),
            ExprKind::AddressOf(a) => format!("&{}", e(a)),
            ExprKind::Decay(a) => format!("(decay {})", e(a)),
            ExprKind::Unary(op, a) => format!("{}{}", unary(*op), e(a)),
            ExprKind::Binary(op, a, b) => format!("({} {} {})", e(a), binary(*op), e(b)),
            ExprKind::Compare(op, a, b) => format!("({} {} {})", e(a), compare(*op), e(b)),
            ExprKind::PointerAdd(a, b, size) => format!("({} + {} * {size})", e(a), e(b)),
            ExprKind::PointerDiff(a, b, size) => format!("(({} - {}) / {size})", e(a), e(b)),
            ExprKind::And(a, b) => format!("({} && {})", e(a), e(b)),
            ExprKind::Or(a, b) => format!("({} || {})", e(a), e(b)),
            ExprKind::Conditional(c, a, b) => format!("({} ? {} : {})", e(c), e(a), e(b)),
            ExprKind::Cast(a) => format!("({}){}", self.ty(expr.ty), e(a)),
            ExprKind::Assign(a, b) => format!("({} = {})", e(a), e(b)),
            ExprKind::AssignOp { target, op, value, compute } => {
                format!("({} {}= {} in {})", e(target), binary(*op), e(value), self.ty(*compute))
            }
            ExprKind::PointerAssign(a, b, size) => format!("({} += {} * {size})", e(a), e(b)),
            ExprKind::Step { target, amount, value: StepValue::New } => {
                format!("(step {amount} {})", e(target))
            }
            ExprKind::Step { target, amount, value: StepValue::Old } => {
                format!("({} step {amount})", e(target))
            }
            ExprKind::Comma(a, b) => format!("({}, {})", e(a), e(b)),
            ExprKind::Call(callee, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(e).collect();
                format!("{}({})", e(callee), arguments.join(", "))
            }
            ExprKind::Statement(statements) => self.statement_expression(statements),
            ExprKind::CompoundLiteral(local, init) => {
                format!("({}){}{}", self.ty(expr.ty), self.local(*local), self.init(init))
            }
            ExprKind::Unsupported(what) => format!("unsupported<{what}>"),
        }
    }

    fn statement_expression(&self, statements: &[Stmt]) -> String {
        let mut inner = Printer { unit: self.unit, function: self.function, out: String::new(), indent: 0 };
        statements.iter().for_each(|statement| inner.statement(statement));
        let lines: Vec<&str> = inner.out.lines().map(str::trim).collect();
        format!("({{ {} }})", lines.join(" "))
    }

    fn field(&self, ty: TypeId, index: u32) -> String {
        let record = match self.unit.types[ty.index()] {
            Type::Atomic(inner) => return self.field(inner, index),
            Type::Record(record) => &self.unit.records[record.index()],
            _ => return format!("<{index}>"),
        };
        let field = record.fields.as_ref().and_then(|fields| fields.get(index as usize));
        match field {
            Some(field) if !field.name.is_empty() => field.name.clone(),
            _ => format!("<{index}>"),
        }
    }

    fn int(&self, value: i128, ty: TypeId) -> String {
        let suffix = match &self.unit.types[ty.index()] {
            Type::Int { word, rank } if *rank >= 3 => match (*rank, word.is_signed()) {
                (3, true) => "",
                (3, false) => "u",
                (4, true) => "l",
                (4, false) => "ul",
                (_, true) => "ll",
                (_, false) => "ull",
            },
            _ => return format!("({}){value}", self.ty(ty)),
        };
        format!("{value}{suffix}")
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
    }
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

/// Where a bit-field is in its unit: the width, then the lowest bit and the unit's bytes.
fn bit_place(bits: BitField) -> String {
    format!("{} at {} of {}", bits.width, bits.shift, bits.unit)
}

fn init_place(part: &InitPart) -> String {
    match part.bits {
        None => part.offset.to_string(),
        Some(bits) => format!("{} bit {}", part.offset, bits.shift),
    }
}
