//! The typed tree: a C translation unit after semantic analysis, the contract between `analyse/` (which makes
//! it from lang-c's syntax tree) and `lower/` (which turns it into thread code).
//!
//! Everything implicit in C is explicit here: conversions are [`ExprKind::Cast`], reading a variable is
//! [`ExprKind::Load`] of an lvalue, arrays decay by [`ExprKind::Decay`], `a[i]` is a dereference of a pointer
//! sum, enumeration constants, `sizeof` of constant size, character constants are [`ExprKind::Int`], `for`
//! keeps its parts, names are resolved to ids, static locals are globals. Lvalue expressions have the type of
//! the object they designate.
//!
//! Types of library objects (`pthread_mutex_t`, `sem_t`...) are the structures that our models define for
//! them (`models/`), whatever the headers say they are made of.
//!
//! What the types and ids do not say:
//! - Reading an lvalue of [`Type::Atomic`] gives the plain type; what is assigned to it, and the assignment,
//!   have the plain type too.
//! - Locals that analysis makes up (compound literals, copies for `a ?: b`...) have no [`StmtKind::Declare`];
//!   their names start with `<`.
//! - A call of a function with [`Variadic::Unspecified`], or of a model, may have more or fewer arguments
//!   than parameters.
//! - A call of an intrinsic that takes any type (`__regrain_atomic_*`) has the type of its result; the
//!   callee's type says nothing. Amounts added to pointers count bytes.
//! - `return f();` in a function that returns nothing has a value of type `void`.
//! - Expressions and statements are nested at most a few thousand deep (see `depth.rs`).
//!
//! What we do not support is kept as [`ExprKind::Unsupported`], [`StmtKind::Unsupported`] or
//! [`Type::Unsupported`] with the construct's name, and is refused only if lowering reaches it: headers are
//! full of things no program uses.

use std::sync::Arc;

use crate::program::Span;
use crate::term::Word;

/// Declares a `Copy` index type.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// Position in the arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
id!(/** A type of [`Unit::types`]; equal ids are equal types, and compatible structure types are one. */ TypeId);
id!(/** A structure or union of [`Unit::records`]. */ RecordId);
id!(/** A function of [`Unit::functions`]. */ FunctionId);
id!(/** A global or static variable of [`Unit::globals`]. */ GlobalId);
id!(/** A parameter or local variable of [`Function::locals`]. */ LocalId);
id!(/** A label of [`Function::labels`]. */ LabelId);

/// A translation unit.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Types.
    pub types: Vec<Type>,
    /// Structures and unions.
    pub records: Vec<Record>,
    /// Functions, defined or only declared.
    pub functions: Vec<Function>,
    /// Globals, static locals, and string literals.
    pub globals: Vec<Global>,
}

/// A type without qualifiers that matter elsewhere (`const`, `volatile` and `restrict` are dropped).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`.
    Void,
    /// An integer, `_Bool` or enumeration type. `rank` tells `int` from `long` of the same width.
    Int {
        /// Width and sign.
        word: Word,
        /// Conversion rank: 0 `_Bool`, 1 `char`, 2 `short`, 3 `int`, 4 `long`, 5 `long long`.
        rank: u8,
    },
    /// `float` or `double`: IEEE 754 of so many bits. Constants of such a type are [`ExprKind::Int`] with
    /// their bits.
    Float {
        /// 32 or 64.
        bits: u8,
    },
    /// A pointer.
    Pointer(TypeId),
    /// An array; `None` for an incomplete length.
    Array(TypeId, Option<u64>),
    /// An array of variable length, which a local of the function holds.
    VariableArray(TypeId, LocalId),
    /// A structure or union.
    Record(RecordId),
    /// A function.
    Function {
        /// Result.
        result: TypeId,
        /// Parameters, after adjustment of arrays and functions to pointers.
        params: Vec<TypeId>,
        /// Whether `...` follows, or nothing is known of the parameters: `f()`.
        variadic: Variadic,
    },
    /// An `_Atomic` version of another type: plain reads and writes of such an object are sequentially
    /// consistent.
    Atomic(TypeId),
    /// Something we do not model: `long double`, `_Complex`... Its size where known.
    Unsupported {
        /// Name for the message, without quotes.
        name: String,
        /// Size in bytes, 0 if unknown.
        size: u64,
    },
}

/// Whether more arguments than parameters may follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variadic {
    /// A prototype without `...`.
    No,
    /// `...`.
    Yes,
    /// An old-style declaration `f()`.
    Unspecified,
}

/// A structure or union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Tag, or a made-up name for an anonymous one.
    pub name: String,
    /// Structure or union.
    pub kind: RecordKind,
    /// Fields with their layout; `None` while incomplete. Members of anonymous structures and unions are
    /// reached through a field with an empty name.
    pub fields: Option<Vec<Field>>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// Structure or union.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordKind {
    /// `struct`.
    Struct,
    /// `union`.
    Union,
}

/// A field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name; empty for an anonymous structure or union.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Byte offset.
    pub offset: u64,
    /// If it is a bit-field, its place in the storage unit at `offset`.
    pub bits: Option<BitField>,
}

/// A bit-field's place in its storage unit: the bytes of the neighbouring bit-fields that are read and
/// written together (in C11, one memory location).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitField {
    /// Number of bits.
    pub width: u8,
    /// Position of its lowest bit in the unit.
    pub shift: u8,
    /// Bytes of the unit, at most 8.
    pub unit: u8,
}

/// A global variable, a static local, or a string literal.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name; `worker::count` for a static local, the literal's text for a string.
    pub name: String,
    /// Its type, complete.
    pub ty: TypeId,
    /// Static or one a thread.
    pub storage: Storage,
    /// Initial value; absent parts are zero. `None`: all zero.
    pub init: Option<Init>,
    /// Whether its initial value is known at all.
    pub defined: Defined,
    /// Where it is declared.
    pub span: Span,
}

/// Where a global is defined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Defined {
    /// In the program that we see.
    Here,
    /// Somewhere else: it may hold anything.
    Elsewhere,
}

/// Where a global lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// One object for the program.
    Static,
    /// One object for each thread: `_Thread_local`, `__thread`.
    ThreadLocal,
    /// A string literal: read-only.
    Literal,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its type, a [`Type::Function`].
    pub ty: TypeId,
    /// The first locals are the parameters.
    pub params: u32,
    /// Parameters and all locals of all blocks.
    pub locals: Vec<Local>,
    /// Labels.
    pub labels: Vec<String>,
    /// Its body; `None` if only declared. Shared, since every program begins with the functions of the
    /// library.
    pub body: Option<Arc<Stmt>>,
    /// Where it is defined or first declared.
    pub span: Span,
    /// Position of the closing brace.
    pub end: Span,
    /// Whether it is part of our models of the library (then its steps show as the user's call).
    pub model: bool,
    /// Priority of a function that runs before `main`: the least first.
    pub constructor: Option<u32>,
    /// Priority of a function that runs when the program ends: the greatest first.
    pub destructor: Option<u32>,
    /// Whether it may be missing; its address is NULL then.
    pub weak: bool,
}

/// A parameter or local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its type; where that has a variable size, the declaration has the number of elements.
    pub ty: TypeId,
    /// Where it is declared.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// An expression for its effects.
    Expr(Expr),
    /// A local comes to life: uninitialised, or initialised.
    Declare {
        /// Which.
        local: LocalId,
        /// Number of elements of an array of variable size: all those whose own size is known.
        length: Option<Expr>,
        /// Initial value.
        init: Option<Init>,
    },
    /// `{ ... }`
    Block(Vec<Stmt>),
    /// `if (c) a else b`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while (c) a`
    While(Expr, Box<Stmt>),
    /// `do a while (c);`
    DoWhile(Box<Stmt>, Expr),
    /// `for (init; c; step) a`; a declaration in `init` is a [`StmtKind::Block`] of declarations.
    For {
        /// Initialisation.
        init: Option<Box<Stmt>>,
        /// Condition; absent means true.
        condition: Option<Expr>,
        /// Step.
        step: Option<Expr>,
        /// Body.
        body: Box<Stmt>,
    },
    /// `switch (e) a`; cases inside refer to it.
    Switch(Expr, Box<Stmt>),
    /// `case low ... high:` with constants already converted to the switched type; then the statement.
    Case(i128, i128, Box<Stmt>),
    /// `default:`
    Default(Box<Stmt>),
    /// `label:` with the statement.
    Labelled(LabelId, Box<Stmt>),
    /// `goto label;`
    Goto(LabelId),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<Expr>),
    /// Whenever control leaves the block around from here on, this is evaluated: `cleanup`. The last one
    /// comes first.
    AtExit(Expr),
    /// An `asm` statement that only orders memory.
    Fence(FenceKind),
    /// Refused when reached.
    Unsupported(String),
}

/// What an inline-assembly barrier does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FenceKind {
    /// `mfence` and the like, `lock`-prefixed dummy operations.
    Full,
    /// `sfence`.
    StoreStore,
    /// Only the compiler is stopped from reordering: nothing.
    Compiler,
}

/// An initialiser, resolved against the type: a list of scalar or record expressions at byte offsets, in
/// source order; what is not mentioned is zero.
#[derive(Clone, Debug)]
pub struct Init {
    /// The values.
    pub parts: Vec<InitPart>,
}

/// One value of an initialiser.
#[derive(Clone, Debug)]
pub struct InitPart {
    /// Offset in bytes from the start of the object; of a bit-field, that of its unit.
    pub offset: u64,
    /// Which bits of the unit, if it is for a bit-field.
    pub bits: Option<BitField>,
    /// The value, converted to the type of the part it initialises.
    pub value: Expr,
}

impl InitPart {
    /// The value of something that is no bit-field.
    pub fn at(offset: u64, value: Expr) -> InitPart {
        InitPart { offset, bits: None, value }
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What.
    pub kind: ExprKind,
    /// Its type; of an lvalue, that of the designated object.
    pub ty: TypeId,
    /// Where.
    pub span: Span,
}

/// Kinds of expressions. *lv* marks lvalues, *ptr* pointer values.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant of the expression's type: an integer, a pointer (NULL), or the bits of a floating-point
    /// number.
    Int(i128),
    /// lv: a global.
    Global(GlobalId),
    /// lv: a parameter or local of the function around.
    Local(LocalId),
    /// A function, as a value of pointer-to-function type (already decayed).
    Function(FunctionId),
    /// lv: `*p`.
    Deref(Box<Expr>),
    /// lv: field of a record lvalue: offset in bytes and index of the field. Also of a record value
    /// (`f().x`).
    Member(Box<Expr>, u32),
    /// Value of an lvalue. Records are loaded whole.
    Load(Box<Expr>),
    /// ptr: `&lv`.
    AddressOf(Box<Expr>),
    /// ptr: first element of an array lvalue.
    Decay(Box<Expr>),
    /// `-a`, `~a`; the operand has the expression's type. `!a` has type `int`, any scalar operand.
    Unary(UnaryOp, Box<Expr>),
    /// Arithmetic on operands of the expression's type (shifts: the right operand has its own type).
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Comparison of operands of one common type (integers or pointers); the result is `int`.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// ptr: pointer plus integer times element size (bytes given); the integer is signed or unsigned of its
    /// own type.
    PointerAdd(Box<Expr>, Box<Expr>, i64),
    /// Difference of two pointers divided by the element size.
    PointerDiff(Box<Expr>, Box<Expr>, u64),
    /// `a && b`.
    And(Box<Expr>, Box<Expr>),
    /// `a || b`.
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Conversion to the expression's type (numbers, pointers, `void`).
    Cast(Box<Expr>),
    /// `lv = value`; the value has the lvalue's type.
    Assign(Box<Expr>, Box<Expr>),
    /// `lv op= value`: compute `(T)((U)lv op value)` where `U` is `compute`, the type of `value`. Pointers:
    /// see `PointerAssign`.
    AssignOp {
        /// The lvalue.
        target: Box<Expr>,
        /// The operation.
        op: BinaryOp,
        /// The right operand.
        value: Box<Expr>,
        /// The type in which to compute.
        compute: TypeId,
    },
    /// `p += n`, `p -= n` (the size negative) for pointers: lvalue, integer, element size in bytes.
    PointerAssign(Box<Expr>, Box<Expr>, i64),
    /// `++lv`, `lv++`, `--lv`, `lv--`: the amount is `+-1`, for pointers `+-` the element size.
    Step {
        /// The lvalue.
        target: Box<Expr>,
        /// What is added.
        amount: i64,
        /// Whether the value is the new or the old one.
        value: StepValue,
    },
    /// `a, b`.
    Comma(Box<Expr>, Box<Expr>),
    /// A call; the callee is a value of pointer-to-function type, the arguments are converted to the
    /// parameters' types.
    Call(Box<Expr>, Vec<Expr>),
    /// `({ ... })`: the last statement's value if it is an expression.
    Statement(Vec<Stmt>),
    /// lv: `(T){...}`, a local of the function that is initialised here.
    CompoundLiteral(LocalId, Init),
    /// Refused when reached; the construct's name, with quotes where they belong.
    Unsupported(String),
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `~`
    BitNot,
    /// `!`
    Not,
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// Which value an increment or decrement has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepValue {
    /// The value after: `++x`.
    New,
    /// The value before: `x++`.
    Old,
}
