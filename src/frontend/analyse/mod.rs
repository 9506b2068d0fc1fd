//! Semantic analysis: lang-c's syntax trees to one typed tree ([`Unit`]).
//!
//! Parts are analysed in order: first our models of the library, then the user's program, all in one file
//! scope. In each part, the declarations at file scope come first and the bodies of functions after them, so
//! that a call is converted to the types of the definition wherever that is.
//!
//! - Functions and globals are one by name over all parts. A function has the type of its definition if there
//!   is one; a user's definition wins over a model's.
//! - A typedef name that the models define keeps their meaning: the user's `pthread_mutex_t` is the models'.
//!   Tags of the models may be hidden by the user's, except those that start with `__regrain_`.
//! - Real errors (undeclared names, wrong types) are diagnostics at once, except where gcc merely warns; what
//!   we do not support becomes an `Unsupported` node.
//!
//! Recursion follows the syntax tree, whose depth `depth.rs` bounds, on a large stack.

mod asm;
mod assign;
mod atomic;
mod attribute;
mod builtin;
mod call;
mod constant;
mod convert;
mod declarator;
mod declare;
mod expression;
mod function;
mod initialise;
mod layout;
mod library;
mod literal;
mod operator;
mod record;
mod scope;
mod specifier;
mod statement;
mod types;
mod units;
mod wide;
mod wide_constant;

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use self::function::{Body, Pending};
use self::scope::{Entity, Scopes};
use self::types::Types;
pub(super) use atomic::atomic_builtins;
pub(super) use builtin::{SLOT, compiler_builtins};

use super::DataModel;
use super::diagnostic::{Diagnostic, Kind};
use super::parse::{Origin, Parsed};
use super::tree::{Expr, ExprKind, Function, FunctionId, Global, GlobalId, TypeId, Unit};
use crate::program::{Sources, Span};
use crate::stack::on_large_stack;

/// What programs begin with: the models of the library, analysed once for many of them.
pub struct Library(Analyser<'static>);

impl Library {
    /// A library without anything.
    pub fn empty(data_model: DataModel) -> Library {
        Library(Analyser::new(data_model))
    }

    /// The library of these models.
    pub fn new(models: &Parsed, data_model: DataModel) -> Result<Library, Diagnostic> {
        let mut analyser = Analyser::new(data_model);
        on_large_stack(|| analyser.part(models).map(|()| Library(analyser.between_parts())))
    }

    /// The functions that it defines.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.0.functions.iter().filter(|function| function.body.is_some())
    }
}

/// Analyses a program on top of a library; `sources` are for the diagnostic.
pub fn analyse(library: &Library, user: &Parsed, sources: &Sources) -> Result<Unit, Diagnostic> {
    let result = on_large_stack(|| {
        let mut analyser: Analyser<'_> = library.0.clone();
        analyser.part(user)?;
        Ok(analyser.finish())
    });
    result.map_err(|diagnostic: Diagnostic| Diagnostic { sources: sources.clone(), ..diagnostic })
}

type Result<T, E = Diagnostic> = std::result::Result<T, E>;

/// What is known so far.
#[derive(Clone)]
struct Analyser<'a> {
    /// The part being analysed.
    part: Option<&'a Parsed>,
    types: Types,
    scopes: Scopes,
    functions: Vec<Function>,
    globals: Vec<Global>,
    /// Functions of any scope by name, since they all have linkage.
    linked_functions: FxHashMap<String, FunctionId>,
    /// Globals with linkage by name.
    linked_globals: FxHashMap<String, GlobalId>,
    /// String literals by contents and type.
    literals: FxHashMap<(Vec<i128>, TypeId), GlobalId>,
    /// Typedef names of the models.
    model_typedefs: FxHashSet<String>,
    /// Number of records that the models define.
    model_records: usize,
    /// Stands for the type of a variable declared with `__auto_type`, until its initialiser is known.
    auto_type: TypeId,
    /// How many labels have an address.
    addressed_labels: u32,
    /// The names of the parameters so far, of the function declarator that is being read.
    parameters: Vec<String>,
    /// The function being analysed.
    body: Option<Body>,
    /// Which attributes of this part somebody has taken.
    taken: Vec<bool>,
    /// Functions defined in this part.
    defined: FxHashSet<FunctionId>,
    /// Those whose bodies are still to be analysed.
    pending: Vec<Pending<'a>>,
}

impl<'a> Analyser<'a> {
    fn new(data_model: DataModel) -> Analyser<'a> {
        let mut types = Types::new(data_model);
        let auto_type = types.unsupported("__auto_type", 0);
        let mut analyser = Analyser {
            part: None,
            types,
            scopes: Scopes::new(),
            functions: Vec::new(),
            globals: Vec::new(),
            linked_functions: FxHashMap::default(),
            linked_globals: FxHashMap::default(),
            literals: FxHashMap::default(),
            model_typedefs: FxHashSet::default(),
            model_records: 0,
            auto_type,
            addressed_labels: 0,
            parameters: Vec::new(),
            body: None,
            taken: Vec::new(),
            defined: FxHashSet::default(),
            pending: Vec::new(),
        };
        // Variable arguments lie one after another, eight bytes each; a list is where the next one is.
        let va_list = analyser.types.pointer(Types::ULONG_LONG);
        analyser.scopes.set_name("__builtin_va_list", Entity::Typedef(va_list, None));
        analyser
    }

    fn part(&mut self, part: &'a Parsed) -> Result<()> {
        self.part = Some(part);
        self.taken = vec![false; part.attributes.len()];
        self.defined.clear();
        for external in &part.unit.0 {
            match &external.node {
                ast::ExternalDeclaration::Declaration(declaration) => {
                    self.file_declaration(declaration)?;
                }
                ast::ExternalDeclaration::StaticAssert(assertion) => self.static_assert(assertion)?,
                ast::ExternalDeclaration::FunctionDefinition(definition) => {
                    self.begin_function(definition)?
                }
            }
        }
        for pending in std::mem::take(&mut self.pending) {
            self.function_body(pending)?;
        }
        self.refuse_left()?;
        if self.is_models() {
            self.model_records = self.types.records.len();
        }
        Ok(())
    }

    /// What is known after a part, without the part.
    fn between_parts(self) -> Analyser<'static> {
        Analyser {
            part: None,
            types: self.types,
            scopes: self.scopes,
            functions: self.functions,
            globals: self.globals,
            linked_functions: self.linked_functions,
            linked_globals: self.linked_globals,
            literals: self.literals,
            model_typedefs: self.model_typedefs,
            model_records: self.model_records,
            auto_type: self.auto_type,
            addressed_labels: self.addressed_labels,
            parameters: Vec::new(),
            body: None,
            taken: Vec::new(),
            defined: self.defined,
            pending: Vec::new(),
        }
    }

    fn finish(self) -> Unit {
        let mut unit = Unit {
            types: self.types.list,
            records: self.types.records,
            functions: self.functions,
            globals: self.globals,
        };
        complete_tentative(&mut unit);
        unit
    }

    fn is_models(&self) -> bool {
        self.part.is_some_and(|part| part.origin == Origin::Models)
    }

    fn span<T>(&self, node: &Node<T>) -> Span {
        self.place(node.span)
    }

    fn place(&self, span: lang_c::span::Span) -> Span {
        self.part.map_or(Span::NONE, |part| part.places.span(span.start, span.end))
    }

    fn error<T>(&self, span: Span, message: impl Into<String>) -> Result<T> {
        Err(diagnostic(Kind::Type, span, message))
    }

    fn refuse<T>(&self, span: Span, message: impl Into<String>) -> Result<T> {
        Err(diagnostic(Kind::Unsupported, span, message))
    }

    fn too_large<T>(&self, span: Span, message: impl Into<String>) -> Result<T> {
        Err(diagnostic(Kind::TooLarge, span, message))
    }
}

/// A global that stays `int a[];` has one element (C11 6.9.2).
fn complete_tentative(unit: &mut Unit) {
    use super::tree::Type;
    for index in 0..unit.globals.len() {
        if let Type::Array(element, None) = unit.types[unit.globals[index].ty.index()] {
            let complete = Type::Array(element, Some(1));
            let known = unit.types.iter().position(|ty| *ty == complete);
            let id = known.unwrap_or_else(|| {
                unit.types.push(complete);
                unit.types.len() - 1
            });
            unit.globals[index].ty = TypeId(u32::try_from(id).expect("fewer than 2^32 types"));
        }
    }
}

fn diagnostic(kind: Kind, span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic { kind, message: message.into(), span, help: None, sources: Sources::default() }
}

fn make(kind: ExprKind, ty: TypeId, span: Span) -> Expr {
    Expr { kind, ty, span }
}
