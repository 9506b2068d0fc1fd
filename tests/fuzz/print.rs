//! Programs as C text.
//!
//! A [`Dialect`] says how calls, numbers that may be inputs, and macros are written: as a person would, or as
//! they are after preprocessing, so that no compiler has to be called for each program.

use std::fmt::Write;

use super::ast::{
    Case, End, Expr, Field, Function, Init, Int, Keyword, Place, Program, Record, Side, Start, Stmt, Type,
    Variable,
};

/// How some things are written.
pub trait Dialect {
    /// A call of a function or macro.
    fn call(&self, name: &str, arguments: &[String]) -> String;
    /// A macro without arguments.
    fn constant(&self, name: &str) -> String;
    /// A number in an expression.
    fn number(&self, value: i128, ty: Int) -> String {
        number(value, ty)
    }
    /// A number that may be an input.
    fn given(&self, value: i128, ty: Int) -> String;
}

/// The program's definitions and `main`, without any header.
pub fn program(program: &Program, dialect: &dyn Dialect) -> String {
    let mut printer = Printer { dialect, out: String::new(), depth: 0 };
    printer.definitions(program);
    for (number, body) in program.bodies.iter().enumerate() {
        printer.line(&format!("void *thread{number}(void *argument) {{"));
        printer.nested(body);
        printer.line("    return 0;");
        printer.line("}");
    }
    printer.line("int main(void) {");
    printer.depth = 1;
    printer.main(program);
    printer.depth = 0;
    printer.line("}");
    printer.out
}

/// The program's records, globals and functions alone.
pub fn definitions(program: &Program, dialect: &dyn Dialect) -> String {
    let mut printer = Printer { dialect, out: String::new(), depth: 0 };
    printer.definitions(program);
    printer.out
}

/// `type name`, as in a declaration.
pub fn declarator(ty: &Type, name: &str) -> String {
    match ty {
        Type::Int(int) => format!("{} {name}", int.name()),
        Type::Atomic(int) => format!("_Atomic {} {name}", int.name()),
        Type::Named(of) => format!("{of} {name}"),
        Type::Pointer(to) if matches!(**to, Type::Array(..)) => declarator(to, &format!("(*{name})")),
        Type::Pointer(to) => declarator(to, &format!("*{name}")),
        Type::Array(of, len) => declarator(of, &format!("{name}[{len}]")),
    }
}

/// A number of a type. The least ones have no literal.
pub fn number(value: i128, ty: Int) -> String {
    match ty {
        Int::Int if value == i128::from(i32::MIN) => "(-2147483647 - 1)".to_owned(),
        Int::Long if value == i128::from(i64::MIN) => "(-9223372036854775807L - 1)".to_owned(),
        Int::LongLong if value == i128::from(i64::MIN) => "(-9223372036854775807LL - 1)".to_owned(),
        _ => {
            let suffix = match ty {
                Int::UInt => "u",
                Int::Long => "L",
                Int::ULong => "UL",
                Int::LongLong => "LL",
                Int::ULongLong => "ULL",
                _ => "",
            };
            let cast = if ty.bits() < 32 { format!("({})", ty.name()) } else { String::new() };
            if value < 0 { format!("({cast}({value}{suffix}))") } else { format!("{cast}{value}{suffix}") }
        }
    }
}

struct Printer<'a> {
    dialect: &'a dyn Dialect,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 4 * self.depth);
    }

    fn definitions(&mut self, program: &Program) {
        program.records.iter().for_each(|record| self.record(record));
        for variable in &program.globals {
            let text = self.variable(variable);
            self.line(&text);
        }
        program.functions.iter().for_each(|function| self.function(function));
    }

    fn record(&mut self, record: &Record) {
        let keyword = match record.keyword {
            Keyword::Struct => "struct",
            Keyword::Union => "union",
        };
        let field = |field: &Field| match field.bits {
            Some(bits) => format!("{} : {bits};", declarator(&field.ty, &field.name)),
            None => format!("{};", declarator(&field.ty, &field.name)),
        };
        let fields: Vec<String> = record.fields.iter().map(field).collect();
        let attribute = match record.attribute {
            "" => String::new(),
            attribute => format!(" __attribute__(({attribute}))"),
        };
        self.line(&format!("{keyword} {} {{ {} }}{attribute};", record.name, fields.join(" ")));
    }

    fn variable(&self, variable: &Variable) -> String {
        let storage = match variable.storage {
            "" => String::new(),
            storage => format!("{storage} "),
        };
        let init = variable.init.as_ref().map_or(String::new(), |init| format!(" = {}", self.init(init)));
        format!("{storage}{}{init};", declarator(&variable.ty, &variable.name))
    }

    fn init(&self, init: &Init) -> String {
        match init {
            // Of globals these have to be constants.
            Init::Value(Expr::Number(value, ty)) => number(*value, *ty),
            Init::Value(value) => self.expr(value),
            Init::Macro(name) => self.dialect.constant(name),
            Init::List(list) => {
                let list: Vec<String> = list.iter().map(|init| self.init(init)).collect();
                format!("{{ {} }}", list.join(", "))
            }
        }
    }

    fn function(&mut self, function: &Function) {
        let parameters: Vec<String> =
            function.parameters.iter().map(|(ty, name)| declarator(ty, name)).collect();
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        let result = function.result.map_or("void", Int::name);
        self.line(&format!("{result} {}({parameters}) {{", function.name));
        self.nested(&function.body);
        self.line("}");
    }

    fn main(&mut self, program: &Program) {
        self.stmts(&program.before);
        for number in 0..program.threads.len() {
            self.line(&format!("{} t{number};", "pthread_t"));
        }
        let at_once = program.start == Start::AtOnce && !program.threads.is_empty();
        if at_once {
            self.line("__VERIFIER_atomic_begin();");
        }
        for (number, thread) in program.threads.iter().enumerate() {
            let arguments = [
                format!("&t{number}"),
                "0".to_owned(),
                format!("thread{}", thread.body),
                format!("(void *){number}L"),
            ];
            let call = self.dialect.call("pthread_create", &arguments);
            self.line(&format!("{call};"));
        }
        if at_once {
            self.line("__VERIFIER_atomic_end();");
        }
        self.stmts(&program.meanwhile);
        for (number, thread) in program.threads.iter().enumerate() {
            if thread.end == End::Joined {
                let call = self.dialect.call("pthread_join", &[format!("t{number}"), "0".to_owned()]);
                self.line(&format!("{call};"));
            }
        }
        self.stmts(&program.after);
        self.line("return 0;");
    }

    fn nested(&mut self, stmts: &[Stmt]) {
        self.depth += 1;
        self.stmts(stmts);
        self.depth -= 1;
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn block(&mut self, head: &str, body: &[Stmt], tail: &str) {
        self.line(&format!("{head}{{"));
        self.nested(body);
        self.line(&format!("}}{tail}"));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Expr(expr) => self.line(&format!("{};", self.expr(expr))),
            Stmt::Declare(variable) => self.line(&self.variable(variable)),
            Stmt::Block(body) => self.block("", body, ""),
            Stmt::If(condition, then, otherwise) => {
                self.block(&format!("if ({}) ", self.expr(condition)), then, "");
                if !otherwise.is_empty() {
                    self.block("else ", otherwise, "");
                }
            }
            Stmt::While(condition, body) => {
                self.block(&format!("while ({}) ", self.expr(condition)), body, "");
            }
            Stmt::DoWhile(body, condition) => {
                let tail = format!(" while ({});", self.expr(condition));
                self.block("do ", body, &tail);
            }
            Stmt::For(name, count, body) => {
                self.block(&format!("for (int {name} = 0; {name} < {count}; {name}++) "), body, "");
            }
            Stmt::Switch(value, cases) => self.switch(value, cases),
            Stmt::Skip(condition, label, body) => {
                self.line(&format!("if ({}) goto {label};", self.expr(condition)));
                self.stmts(body);
                self.line(&format!("{label}: ;"));
            }
            Stmt::Section(open, body, close) => {
                self.line(&format!("{};", self.expr(open)));
                self.stmts(body);
                self.line(&format!("{};", self.expr(close)));
            }
            Stmt::Break => self.line("break;"),
            Stmt::Continue => self.line("continue;"),
            Stmt::Return(None) => self.line("return;"),
            Stmt::Return(Some(value)) => self.line(&format!("return {};", self.expr(value))),
        }
    }

    fn switch(&mut self, value: &Expr, cases: &[Case]) {
        self.line(&format!("switch ({}) {{", self.expr(value)));
        for case in cases {
            let label = case.label.map_or("default:".to_owned(), |label| format!("case {label}:"));
            self.line(&label);
            self.nested(&case.body);
            self.line("    ;");
        }
        self.line("}");
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Name(name) => name.clone(),
            Place::Field(of, name) => format!("{}.{name}", self.place(of)),
            Place::Element(of, index) => format!("{}[{}]", self.place(of), self.expr(index)),
            Place::Target(pointer) => format!("(*{})", self.expr(pointer)),
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Number(value, ty) => self.dialect.number(*value, *ty),
            Expr::Given(value, ty) => self.dialect.given(*value, *ty),
            Expr::Read(place) => self.place(place),
            Expr::Address(place) => format!("&{}", self.place(place)),
            Expr::Unary(operator, of) => format!("{operator}({})", self.expr(of)),
            Expr::Binary(operator, left, right) => {
                format!("({} {operator} {})", self.expr(left), self.expr(right))
            }
            Expr::Choice(condition, then, otherwise) => {
                format!("({} ? {} : {})", self.expr(condition), self.expr(then), self.expr(otherwise))
            }
            Expr::Cast(ty, of) => format!("({})({})", declarator(ty, "").trim_end(), self.expr(of)),
            Expr::Assign(operator, place, value) => {
                format!("{} {operator} {}", self.place(place), self.expr(value))
            }
            Expr::Step(operator, place, Side::Before) => format!("{operator}{}", self.place(place)),
            Expr::Step(operator, place, Side::After) => format!("{}{operator}", self.place(place)),
            Expr::Call(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.expr(argument)).collect();
                self.dialect.call(name, &arguments)
            }
            Expr::SizeOf(ty) => format!("sizeof({})", declarator(ty, "").trim_end()),
        }
    }
}
