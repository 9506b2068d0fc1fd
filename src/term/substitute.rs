//! Substitution, rebuilding, and copying from one pool to another.

use rustc_hash::{FxHashMap, FxHashSet};

use super::pool::{Node, Pool, TermId, VarId};

impl Pool {
    /// The term with each variable replaced by what `f` gives for it; `None` keeps the variable.
    pub fn substitute(
        &mut self,
        term: TermId,
        mut f: impl FnMut(&mut Pool, VarId) -> Option<TermId>,
    ) -> TermId {
        self.rewrite(term, |pool, id| match *pool.node(id) {
            Node::Var(var) => f(pool, var),
            _ => None,
        })
    }

    /// The term rebuilt bottom-up. `f` sees each original subterm once and may give its replacement; `None`
    /// rebuilds it from its children's replacements.
    pub fn rewrite(
        &mut self,
        term: TermId,
        mut f: impl FnMut(&mut Pool, TermId) -> Option<TermId>,
    ) -> TermId {
        let mut below = Vec::new();
        self.visit(&[term], |id, _| below.push(id));
        below.sort_unstable();
        // Children come before their parents, and the term itself last.
        let mut images: Vec<TermId> = Vec::with_capacity(below.len());
        for &id in &below {
            let new = match f(self, id) {
                Some(new) => new,
                None => {
                    self.rebuild(id, |child| images[below.binary_search(&child).expect("a child is below")])
                }
            };
            images.push(new);
        }
        images.pop().expect("a term is below itself")
    }

    /// A copy of another pool's term. `images` remembers the copies of one pool's terms; `var` names the
    /// variables.
    pub fn import(
        &mut self,
        from: &Pool,
        term: TermId,
        images: &mut FxHashMap<TermId, TermId>,
        var: impl Fn(VarId) -> VarId,
    ) -> TermId {
        let mut missing = FxHashSet::default();
        let mut stack = vec![term];
        while let Some(id) = stack.pop() {
            if !images.contains_key(&id) && missing.insert(id) {
                from.node(id).push_children(&mut stack);
            }
        }
        let mut missing: Vec<TermId> = missing.into_iter().collect();
        missing.sort_unstable();
        for id in missing {
            let new = match from.node(id) {
                Node::Var(old) => self.var(var(*old)),
                node => self.build(node, |child| images[&child]),
            };
            images.insert(id, new);
        }
        images[&term]
    }

    fn rebuild(&mut self, id: TermId, image: impl Fn(TermId) -> TermId) -> TermId {
        if self.node(id).all_children(|child| image(child) == child) {
            return id;
        }
        let node = self.node(id).clone();
        match node {
            Node::Add(..) if self.word(id).overflows() => self.sum_of_images(id, image),
            _ => self.build(&node, image),
        }
    }

    /// A node with its children replaced, in normal form.
    fn build(&mut self, node: &Node, image: impl Fn(TermId) -> TermId) -> TermId {
        match node {
            Node::Bool(_) | Node::Const(..) | Node::Var(_) | Node::Fill(..) => self.intern(node.clone()),
            Node::Not(a) => self.not(image(*a)),
            Node::And(list) => {
                let list: Vec<_> = list.iter().map(|t| image(*t)).collect();
                self.and(&list)
            }
            Node::Or(list) => {
                let list: Vec<_> = list.iter().map(|t| image(*t)).collect();
                self.or(&list)
            }
            Node::Eq(a, b) => self.eq(image(*a), image(*b)),
            Node::Le(a, b) => self.le(image(*a), image(*b)),
            Node::Ite(c, a, b) => self.ite(image(*c), image(*a), image(*b)),
            Node::Add(a, b) => self.add(image(*a), image(*b)),
            Node::Mul(a, b) => self.mul(image(*a), image(*b)),
            Node::Div(a, b) => self.div(image(*a), image(*b)),
            Node::Rem(a, b) => self.rem(image(*a), image(*b)),
            Node::Shl(a, b) => self.shl(image(*a), image(*b)),
            Node::Shr(a, b) => self.shr(image(*a), image(*b)),
            Node::BitAnd(a, b) => self.bit_and(image(*a), image(*b)),
            Node::BitOr(a, b) => self.bit_or(image(*a), image(*b)),
            Node::BitXor(a, b) => self.bit_xor(image(*a), image(*b)),
            Node::Cast(a, word) => self.cast(image(*a), *word),
            Node::Float(op, a, b) => self.float(*op, image(*a), image(*b)),
            Node::FloatCompare(order, a, b) => self.float_compare(*order, image(*a), image(*b)),
            Node::FloatMap(operation, a, to) => self.float_map(*operation, image(*a), *to),
            Node::Select(a, b) => self.select(image(*a), image(*b)),
            Node::Store(a, b, c) => self.store(image(*a), image(*b), image(*c)),
        }
    }
}
