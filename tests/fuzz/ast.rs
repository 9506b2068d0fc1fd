//! C programs as trees, as far as the generators write C: small enough that a program can be made smaller
//! piece by piece.
//!
//! Nothing here checks types. Generators make programs that compile; the reducer tries changes of which some
//! do not, and drops them.

/// An integer type.
#[expect(clippy::enum_variant_names, reason = "that is what C calls them")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Int {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
}

impl Int {
    /// All of them.
    pub const ALL: [Int; 12] = [
        Int::Bool,
        Int::Char,
        Int::SChar,
        Int::UChar,
        Int::Short,
        Int::UShort,
        Int::Int,
        Int::UInt,
        Int::Long,
        Int::ULong,
        Int::LongLong,
        Int::ULongLong,
    ];

    /// The type in C.
    pub fn name(self) -> &'static str {
        match self {
            Int::Bool => "_Bool",
            Int::Char => "char",
            Int::SChar => "signed char",
            Int::UChar => "unsigned char",
            Int::Short => "short",
            Int::UShort => "unsigned short",
            Int::Int => "int",
            Int::UInt => "unsigned",
            Int::Long => "long",
            Int::ULong => "unsigned long",
            Int::LongLong => "long long",
            Int::ULongLong => "unsigned long long",
        }
    }

    /// The end of `__VERIFIER_nondet_...`.
    pub fn short_name(self) -> &'static str {
        match self {
            Int::Bool => "bool",
            Int::Char => "char",
            Int::SChar => "schar",
            Int::UChar => "uchar",
            Int::Short => "short",
            Int::UShort => "ushort",
            Int::Int => "int",
            Int::UInt => "uint",
            Int::Long => "long",
            Int::ULong => "ulong",
            Int::LongLong => "longlong",
            Int::ULongLong => "ulonglong",
        }
    }

    /// Number of value bits and the sign together.
    pub fn bits(self) -> u32 {
        match self {
            Int::Bool => 1,
            Int::Char | Int::SChar | Int::UChar => 8,
            Int::Short | Int::UShort => 16,
            Int::Int | Int::UInt => 32,
            Int::Long | Int::ULong | Int::LongLong | Int::ULongLong => 64,
        }
    }

    /// Whether it has negative values; `char` does.
    pub fn is_signed(self) -> bool {
        matches!(self, Int::Char | Int::SChar | Int::Short | Int::Int | Int::Long | Int::LongLong)
    }
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Int(Int),
    Atomic(Int),
    Pointer(Box<Type>),
    Array(Box<Type>, usize),
    /// A record or a type of the library, by its name in C.
    Named(String),
}

impl Type {
    /// A pointer to this.
    pub fn pointer(self) -> Type {
        Type::Pointer(Box::new(self))
    }

    /// An array of these.
    pub fn array(self, len: usize) -> Type {
        Type::Array(Box::new(self), len)
    }

    /// A type of the library or a record.
    pub fn named(name: &str) -> Type {
        Type::Named(name.to_owned())
    }
}

/// `struct` or `union`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keyword {
    Struct,
    Union,
}

/// A definition of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub keyword: Keyword,
    pub name: String,
    pub fields: Vec<Field>,
    /// `packed` or `aligned(8)`, or nothing.
    pub attribute: &'static str,
}

/// A member of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    pub name: String,
    pub ty: Type,
    /// Width of a bit-field.
    pub bits: Option<u32>,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    /// `static`, `_Thread_local`, `volatile`, or nothing.
    pub storage: &'static str,
    pub init: Option<Init>,
}

/// What a variable begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Init {
    Value(Expr),
    List(Vec<Init>),
    /// A macro of the library.
    Macro(&'static str),
}

/// Something that holds a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    Name(String),
    Field(Box<Place>, String),
    Element(Box<Place>, Box<Expr>),
    Target(Box<Expr>),
}

impl Place {
    /// A variable.
    pub fn name(name: &str) -> Place {
        Place::Name(name.to_owned())
    }

    /// A member of this.
    pub fn field(self, name: &str) -> Place {
        Place::Field(Box::new(self), name.to_owned())
    }

    /// An element of this.
    pub fn element(self, index: Expr) -> Place {
        Place::Element(Box::new(self), Box::new(index))
    }

    /// Its value.
    pub fn read(self) -> Expr {
        Expr::Read(self)
    }
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    Number(i128, Int),
    /// A number that a verifier may be given as an input of which just this value is assumed.
    Given(i128, Int),
    Read(Place),
    Address(Place),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(Type, Box<Expr>),
    /// `=`, `+=`, ...
    Assign(&'static str, Place, Box<Expr>),
    /// `++` or `--`, before the place or after it.
    Step(&'static str, Place, Side),
    Call(String, Vec<Expr>),
    SizeOf(Type),
}

/// On which side of its operand an operator stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Before,
    After,
}

impl Expr {
    /// An `int` constant.
    pub fn int(value: i128) -> Expr {
        Expr::Number(value, Int::Int)
    }

    /// An operation.
    pub fn binary(operator: &'static str, left: Expr, right: Expr) -> Expr {
        Expr::Binary(operator, Box::new(left), Box::new(right))
    }

    /// A call.
    pub fn call(name: &str, arguments: Vec<Expr>) -> Expr {
        Expr::Call(name.to_owned(), arguments)
    }
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    Expr(Expr),
    Declare(Variable),
    Block(Vec<Stmt>),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    DoWhile(Vec<Stmt>, Expr),
    /// Counts a variable of its own from 0 to a number.
    For(String, u32, Vec<Stmt>),
    Switch(Expr, Vec<Case>),
    /// `if (condition) goto label; body; label: ;`
    Skip(Expr, String, Vec<Stmt>),
    /// Something that is opened and closed.
    Section(Expr, Vec<Stmt>, Expr),
    Break,
    Continue,
    Return(Option<Expr>),
}

/// A part of a `switch`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Nothing is `default`.
    pub label: Option<i128>,
    /// Without a `break` at its end it falls through.
    pub body: Vec<Stmt>,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub name: String,
    pub result: Option<Int>,
    pub parameters: Vec<(Type, String)>,
    pub body: Vec<Stmt>,
}

/// A program: threads run functions of their own, each with its number as argument.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    pub records: Vec<Record>,
    pub globals: Vec<Variable>,
    pub functions: Vec<Function>,
    /// Bodies of thread functions.
    pub bodies: Vec<Vec<Stmt>>,
    /// What `main` starts, in order.
    pub threads: Vec<Thread>,
    /// How it starts them.
    pub start: Start,
    /// What `main` does before it starts threads, while they run, and after it has joined them.
    pub before: Vec<Stmt>,
    pub meanwhile: Vec<Stmt>,
    pub after: Vec<Stmt>,
}

/// A thread that `main` starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Which of the bodies it runs.
    pub body: usize,
    /// Whether `main` waits for its end.
    pub end: End,
}

/// What `main` does about a thread's end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Joined,
    Left,
}

/// How `main` starts threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Start {
    /// One after the other.
    #[default]
    Stepwise,
    /// All in one step, which leaves fewer states.
    AtOnce,
}
