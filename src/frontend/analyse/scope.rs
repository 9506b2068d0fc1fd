//! Names in scope: ordinary identifiers and tags, in nested blocks (C11 6.2.1, 6.2.3).
//!
//! Invariant: the outermost scope is the file's and is never left.

use rustc_hash::FxHashMap;

use crate::frontend::tree::{FunctionId, GlobalId, LocalId, RecordId, TypeId};

/// What an identifier stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entity {
    /// A type, and the alignment in bytes that `aligned` gave its name.
    Typedef(TypeId, Option<u64>),
    Local(LocalId),
    Global(GlobalId),
    Function(FunctionId),
    /// An enumeration constant with its value and type.
    Constant(i128, TypeId),
}

/// What a tag stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    /// An enumeration; incomplete ones have the type that most of them get.
    Enum(TypeId),
}

#[derive(Clone, Default)]
struct Scope {
    names: FxHashMap<String, Entity>,
    tags: FxHashMap<String, Tag>,
}

/// The scopes that are open.
#[derive(Clone)]
pub(super) struct Scopes {
    scopes: Vec<Scope>,
}

impl Scopes {
    pub fn new() -> Scopes {
        Scopes { scopes: vec![Scope::default()] }
    }

    pub fn enter(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub fn leave(&mut self) {
        assert!(self.scopes.len() > 1, "the file's scope is never left");
        self.scopes.pop();
    }

    pub fn is_file(&self) -> bool {
        self.scopes.len() == 1
    }

    pub fn name(&self, name: &str) -> Option<Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name)).copied()
    }

    /// The name in the innermost scope alone.
    pub fn name_here(&self, name: &str) -> Option<Entity> {
        self.innermost().names.get(name).copied()
    }

    pub fn name_in_file(&self, name: &str) -> Option<Entity> {
        self.scopes[0].names.get(name).copied()
    }

    pub fn tag(&self, name: &str) -> Option<Tag> {
        self.scopes.iter().rev().find_map(|scope| scope.tags.get(name)).copied()
    }

    pub fn tag_here(&self, name: &str) -> Option<Tag> {
        self.innermost().tags.get(name).copied()
    }

    pub fn set_name(&mut self, name: &str, entity: Entity) {
        self.innermost_mut().names.insert(name.to_owned(), entity);
    }

    pub fn set_name_in_file(&mut self, name: &str, entity: Entity) {
        self.scopes[0].names.insert(name.to_owned(), entity);
    }

    pub fn set_tag(&mut self, name: &str, tag: Tag) {
        self.innermost_mut().tags.insert(name.to_owned(), tag);
    }

    fn innermost(&self) -> &Scope {
        self.scopes.last().expect("the file's scope is never left")
    }

    fn innermost_mut(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("the file's scope is never left")
    }
}
