//! Random sequential programs, each determined by its seed: integers of all types, records, unions,
//! bit-fields, arrays, pointers, calls and loops, and at the end a checksum of everything.
//!
//! What is undefined is rare but not impossible; the sanitizers of the native compiler find it. No expression
//! has two side effects, so that the order of evaluation does not matter. Names have a prefix, so that many
//! programs fit into one file.

use super::ast::{
    Case, Expr, Field, Function, Init, Int, Keyword, Place, Program, Record, Side, Stmt, Type, Variable,
};
use super::features::{Feature, Features};
use super::statements::{assign, variable};
use crate::random::Random;

/// Elements of an array; a power of two, so that indices can be masked.
const LEN: usize = 4;

/// Something of integer type that can be read and written.
#[derive(Clone, Debug)]
struct Cell {
    place: Place,
    ty: Int,
    /// Whether it has an address.
    addressable: bool,
}

struct Generator {
    random: Random,
    features: Features,
    prefix: String,
    program: Program,
    /// What is alive for ever, and what is alive in the function that is being made.
    globals: Vec<Cell>,
    locals: Vec<Cell>,
    /// Functions that may be called: name, parameters.
    callable: Vec<(String, Vec<Int>)>,
    /// Whole records of one type that can be assigned to each other.
    wholes: Vec<Vec<Place>>,
    names: u32,
}

/// The program of a seed; [`entry`] is its entry, which returns the checksum.
pub fn sequential(seed: u64, size: usize, features: Features) -> Program {
    let mut generator = Generator {
        features,
        random: Random::new(seed ^ 0x5e9_0e47),
        prefix: format!("p{seed}_"),
        program: Program::default(),
        globals: Vec::new(),
        locals: Vec::new(),
        callable: Vec::new(),
        wholes: Vec::new(),
        names: 0,
    };
    generator.declare();
    for _ in 0..generator.random.below(3) {
        generator.function();
    }
    generator.entry(size, &entry(seed));
    generator.program
}

/// The name of the function that returns the checksum.
pub fn entry(seed: u64) -> String {
    format!("p{seed}_run")
}

impl Generator {
    fn one_in(&mut self, count: usize) -> bool {
        self.random.below(count) == 0
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{}{stem}{}", self.prefix, self.names)
    }

    fn int(&mut self) -> Int {
        self.random.pick(&Int::ALL)
    }

    /// A number of a type: small, at an edge, or any.
    fn constant(&mut self, ty: Int) -> i128 {
        let bits = ty.bits();
        let (least, greatest) = match (ty.is_signed(), bits) {
            (_, 1) => (0, 1),
            (true, bits) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            (false, bits) => (0, (1i128 << bits) - 1),
        };
        let value = match self.random.below(8) {
            0 => least,
            1 => greatest,
            2 => greatest - 1,
            3 => i128::from(self.random.next()) & greatest,
            _ => self.random.below(10) as i128 - 2,
        };
        value.clamp(least, greatest)
    }

    fn number(&mut self) -> Expr {
        let ty = self.int();
        let value = self.constant(ty);
        match self.one_in(3) {
            true => Expr::Given(value, ty),
            false => Expr::Number(value, ty),
        }
    }

    fn declare(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            let (name, ty) = (self.fresh("g"), self.int());
            let value = self.constant(ty);
            let init = self.one_in(2).then_some(Init::Value(Expr::Number(value, ty)));
            self.program.globals.push(Variable { name: name.clone(), ty: Type::Int(ty), storage: "", init });
            self.globals.push(Cell { place: Place::name(&name), ty, addressable: true });
        }
        if self.one_in(2) {
            self.array();
        }
        for _ in 0..self.random.below(3) {
            self.record();
        }
    }

    fn array(&mut self) {
        let (name, ty) = (self.fresh("a"), self.int());
        let values = (0..self.random.below(LEN + 1)).map(|_| self.constant(ty)).collect::<Vec<_>>();
        let list = values.into_iter().map(|value| Init::Value(Expr::Number(value, ty))).collect::<Vec<_>>();
        let init = (!list.is_empty()).then_some(Init::List(list));
        self.program.globals.push(Variable {
            name: name.clone(),
            ty: Type::Int(ty).array(LEN),
            storage: "",
            init,
        });
        for index in 0..LEN as i128 {
            let place = Place::name(&name).element(Expr::int(index));
            self.globals.push(Cell { place, ty, addressable: true });
        }
    }

    /// A record and one or two variables of its type.
    fn record(&mut self) {
        let keyword = self.random.pick(&[Keyword::Struct, Keyword::Struct, Keyword::Union]);
        let name = self.fresh("r");
        let attribute = self.random.pick(&["", "", "", "packed", "aligned(8)"]);
        let attribute = if keyword == Keyword::Union { "" } else { attribute };
        let (keyword, attribute) = match self.features.has(Feature::Layout) {
            true => (keyword, attribute),
            false => (Keyword::Struct, ""),
        };
        let (mut fields, mut cells) = (Vec::new(), Vec::new());
        for number in 0..2 + self.random.below(3) {
            self.field(&format!("f{number}"), keyword, attribute, &mut fields, &mut cells);
        }
        self.program.records.push(Record { keyword, name: name.clone(), fields, attribute });
        let ty = match keyword {
            Keyword::Struct => format!("struct {name}"),
            Keyword::Union => format!("union {name}"),
        };
        let mut wholes = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let object = self.fresh("s");
            let global = Variable { name: object.clone(), ty: Type::named(&ty), storage: "", init: None };
            self.program.globals.push(global);
            for cell in &cells {
                let place = within(&cell.place, &object);
                self.globals.push(Cell { place, ..cell.clone() });
            }
            wholes.push(Place::name(&object));
        }
        self.wholes.push(wholes);
    }

    /// A field and what can be reached in it; places begin with an object without a name.
    fn field(
        &mut self,
        name: &str,
        keyword: Keyword,
        attribute: &'static str,
        fields: &mut Vec<Field>,
        cells: &mut Vec<Cell>,
    ) {
        let object = Place::name("");
        let mut ty = self.int();
        if keyword == Keyword::Union && ty == Int::Bool {
            ty = Int::UChar;
        }
        let place = object.field(name);
        match self.random.below(5) {
            0 if self.features.has(Feature::Layout) => {
                let ty = match keyword {
                    Keyword::Union => self.random.pick(&[Int::UInt, Int::Int, Int::UShort]),
                    Keyword::Struct => self.random.pick(&[
                        Int::UInt,
                        Int::Int,
                        Int::UShort,
                        Int::UChar,
                        Int::Bool,
                        Int::ULong,
                    ]),
                };
                let bits = 1 + self.random.below(ty.bits().min(31) as usize) as u32;
                fields.push(Field { name: name.to_owned(), ty: Type::Int(ty), bits: Some(bits) });
                cells.push(Cell { place, ty, addressable: false });
            }
            1 => {
                let len = if keyword == Keyword::Union { 4 } else { 2 };
                fields.push(Field { name: name.to_owned(), ty: Type::Int(ty).array(len), bits: None });
                for index in 0..len as i128 {
                    let place = place.clone().element(Expr::int(index));
                    cells.push(Cell { place, ty, addressable: attribute != "packed" });
                }
            }
            _ => {
                fields.push(Field { name: name.to_owned(), ty: Type::Int(ty), bits: None });
                cells.push(Cell { place, ty, addressable: attribute != "packed" });
            }
        }
    }

    fn cell(&mut self) -> Cell {
        let count = self.globals.len() + self.locals.len();
        let index = self.random.below(count);
        let mut cell = self.locals.iter().chain(&self.globals).nth(index).expect("it is below").clone();
        if let Place::Element(array, _) = &cell.place
            && matches!(**array, Place::Name(_))
            && self.one_in(2)
        {
            let by = self.leaf();
            let index =
                Expr::binary("&", Expr::Cast(Type::Int(Int::UInt), Box::new(by)), Expr::int(LEN as i128 - 1));
            cell.place = (**array).clone().element(index);
        }
        cell
    }

    fn leaf(&mut self) -> Expr {
        if self.one_in(3) {
            return self.number();
        }
        let count = self.globals.len() + self.locals.len();
        let index = self.random.below(count);
        let cell = self.locals.iter().chain(&self.globals).nth(index).expect("it is below");
        cell.place.clone().read()
    }

    fn expr(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.one_in(5) {
            return match self.one_in(4) {
                true => self.cell().place.read(),
                false => self.leaf(),
            };
        }
        let left = self.expr(depth - 1);
        match self.random.below(16) {
            0..=3 => {
                let right = self.expr(depth - 1);
                let operator = self.random.pick(&["+", "-", "*"]);
                Expr::binary(operator, self.tame(left), right)
            }
            4 | 5 => Expr::binary(self.random.pick(&["&", "|", "^"]), left, self.expr(depth - 1)),
            6 => self.division(left, depth),
            7 | 8 => self.shift(left),
            9 | 10 => {
                let operator = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                Expr::binary(operator, left, self.expr(depth - 1))
            }
            11 => Expr::binary(self.random.pick(&["&&", "||"]), left, self.expr(depth - 1)),
            12 => {
                let (then, otherwise) = (self.expr(depth - 1), self.expr(depth - 1));
                Expr::Choice(Box::new(left), Box::new(then), Box::new(otherwise))
            }
            13 => {
                let operator = self.random.pick(&["-", "~", "!", "+"]);
                Expr::Unary(operator, Box::new(if operator == "-" { self.tame(left) } else { left }))
            }
            14 => match self.program.records.last().filter(|_| self.random.below(4) == 0) {
                Some(record) => {
                    let keyword = if record.keyword == Keyword::Struct { "struct" } else { "union" };
                    Expr::SizeOf(Type::named(&format!("{keyword} {}", record.name)))
                }
                None => left,
            },
            _ => Expr::Cast(Type::Int(self.int()), Box::new(left)),
        }
    }

    /// An operand whose arithmetic mostly wraps around.
    fn tame(&mut self, operand: Expr) -> Expr {
        match self.random.below(8) {
            0 => operand,
            choice => {
                let ty = if choice < 5 { Int::UInt } else { Int::ULong };
                Expr::Cast(Type::Int(ty), Box::new(operand))
            }
        }
    }

    fn division(&mut self, left: Expr, depth: u32) -> Expr {
        let operator = self.random.pick(&["/", "%"]);
        let right = match self.one_in(2) {
            true => Expr::Number(
                1 + self.random.below(9) as i128,
                self.random.pick(&[Int::Int, Int::UInt, Int::Long]),
            ),
            false => Expr::binary("|", self.expr(depth - 1), Expr::int(1)),
        };
        Expr::binary(operator, left, right)
    }

    fn shift(&mut self, left: Expr) -> Expr {
        let by = self.leaf();
        let by = Expr::binary("&", by, Expr::int(self.random.pick(&[3, 7, 15, 31])));
        match self.one_in(2) {
            true => Expr::binary(">>", left, by),
            false => Expr::binary("<<", self.tame(left), by),
        }
    }

    fn block(&mut self, depth: u32) -> Vec<Stmt> {
        (0..1 + self.random.below(2)).map(|_| self.stmt(depth)).collect()
    }

    fn stmt(&mut self, depth: u32) -> Stmt {
        match self.random.below(if depth == 0 { 8 } else { 18 }) {
            0..=3 => {
                let (cell, value) = (self.cell(), self.expr(2));
                assign(cell.place, value)
            }
            4 | 5 => {
                let (cell, value) = (self.cell(), self.expr(1));
                let operator = self.random.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
                Stmt::Expr(Expr::Assign(operator, cell.place, Box::new(self.tame(value))))
            }
            6 => {
                let (cell, side) = (self.cell(), self.random.pick(&[Side::Before, Side::After]));
                let old = cell.ty != Int::Bool || self.features.has(Feature::BoolSteps);
                let side = if old { side } else { Side::Before };
                Stmt::Expr(Expr::Step(self.random.pick(&["++", "--"]), cell.place, side))
            }
            7 => {
                let by = Expr::int(self.random.below(8) as i128);
                let cell = self.cell();
                Stmt::Expr(Expr::Assign(self.random.pick(&["<<=", ">>="]), cell.place, Box::new(by)))
            }
            8 | 9 => {
                let (condition, then) = (self.expr(2), self.block(depth - 1));
                let otherwise = if self.one_in(2) { self.block(depth - 1) } else { Vec::new() };
                Stmt::If(condition, then, otherwise)
            }
            10 => Stmt::For(self.fresh("i"), 1 + self.random.below(4) as u32, self.block(depth - 1)),
            11 => self.switch(depth),
            12 => Stmt::Skip(self.expr(1), self.fresh("l"), self.block(depth - 1)),
            13 | 14 => self.pointer(depth),
            15 => self.whole(),
            16 => self.local(depth),
            _ => self.call(),
        }
    }

    fn switch(&mut self, depth: u32) -> Stmt {
        let value = Expr::binary("&", self.expr(1), Expr::int(3));
        let mut cases = Vec::new();
        for label in [Some(0), Some(1), Some(2), None] {
            let mut body = self.block(depth - 1);
            if !self.one_in(3) {
                body.push(Stmt::Break);
            }
            if !self.one_in(4) {
                cases.push(Case { label, body });
            }
        }
        Stmt::Switch(value, cases)
    }

    /// A pointer to something, used while it is known.
    fn pointer(&mut self, depth: u32) -> Stmt {
        let fitting: Vec<Cell> =
            self.locals.iter().chain(&self.globals).filter(|cell| cell.addressable).cloned().collect();
        let cell = fitting[self.random.below(fitting.len())].clone();
        let name = self.fresh("p");
        let declared = variable(&name, Type::Int(cell.ty).pointer(), Expr::Address(cell.place));
        let place = Place::Target(Box::new(Place::name(&name).read()));
        self.locals.push(Cell { place: place.clone(), ty: cell.ty, addressable: false });
        let used = assign(place, self.expr(1));
        let rest = self.block(depth - 1);
        self.locals.pop();
        Stmt::Block([declared, used].into_iter().chain(rest).collect())
    }

    /// A local variable for a few statements.
    fn local(&mut self, depth: u32) -> Stmt {
        let (name, ty) = (self.fresh("v"), self.int());
        let value = self.expr(1);
        self.locals.push(Cell { place: Place::name(&name), ty, addressable: true });
        let rest = self.block(depth - 1);
        let kept = assign(self.globals[0].place.clone(), Place::name(&name).read());
        self.locals.pop();
        let declared = variable(&name, Type::Int(ty), value);
        Stmt::Block([declared].into_iter().chain(rest).chain([kept]).collect())
    }

    /// A record as a whole: assigned, copied, cleared.
    fn whole(&mut self) -> Stmt {
        let Some(group) = (!self.wholes.is_empty()).then(|| self.random.below(self.wholes.len())) else {
            return self.stmt(0);
        };
        let group = self.wholes[group].clone();
        let [one, other] = [0, 1].map(|_| group[self.random.below(group.len())].clone());
        let record = &self.program.records.last().expect("there is one").name;
        debug_assert!(!record.is_empty());
        match self.random.below(3) {
            _ if one == other => {
                let size = Expr::Unary("sizeof", Box::new(one.clone().read()));
                Stmt::Expr(Expr::call("memset", vec![Expr::Address(one), Expr::int(0), size]))
            }
            0 => {
                let size = Expr::Unary("sizeof", Box::new(one.clone().read()));
                Stmt::Expr(Expr::call("memcpy", vec![Expr::Address(one), Expr::Address(other), size]))
            }
            _ => assign(one, other.read()),
        }
    }

    fn call(&mut self) -> Stmt {
        if self.callable.is_empty() {
            return self.stmt(0);
        }
        let index = self.random.below(self.callable.len());
        let (name, parameters) = self.callable[index].clone();
        let arguments = parameters.iter().map(|_| self.expr(1)).collect();
        let target = self.cell_without_index();
        assign(target.place, Expr::Call(name, arguments))
    }

    /// A cell whose place the callee cannot change.
    fn cell_without_index(&mut self) -> Cell {
        let index = self.random.below(self.globals.len());
        self.globals[index].clone()
    }

    /// A function of a few parameters.
    fn function(&mut self) {
        let (name, result) = (self.fresh("f"), self.int());
        let mut parameters = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let (name, ty) = (self.fresh("x"), self.int());
            self.locals.push(Cell { place: Place::name(&name), ty, addressable: true });
            parameters.push((Type::Int(ty), name));
        }
        let mut body = self.block(1);
        if self.one_in(2) {
            let early = Stmt::If(self.expr(1), vec![Stmt::Return(Some(self.expr(1)))], Vec::new());
            body.push(early);
        }
        body.push(Stmt::Return(Some(self.expr(2))));
        let types = parameters.iter().map(|_| Int::Int).collect();
        self.locals.clear();
        self.program.functions.push(Function { name: name.clone(), result: Some(result), parameters, body });
        self.callable.push((name, types));
    }

    /// The function that does everything and returns the checksum.
    fn entry(&mut self, size: usize, name: &str) {
        let mut body = Vec::new();
        for _ in 0..self.random.below(3) {
            let (local, ty) = (self.fresh("v"), self.int());
            let value = self.number();
            body.push(variable(&local, Type::Int(ty), value));
            self.locals.push(Cell { place: Place::name(&local), ty, addressable: true });
        }
        for _ in 0..1 + self.random.below(size) {
            let stmt = self.stmt(2);
            body.push(stmt);
        }
        body.push(variable("sum", Type::Int(Int::ULong), Expr::Number(0, Int::ULong)));
        for cell in self.locals.iter().chain(&self.globals) {
            let scaled = Expr::binary("*", Place::name("sum").read(), Expr::Number(31, Int::ULong));
            let added = Expr::Cast(Type::Int(Int::ULong), Box::new(cell.place.clone().read()));
            body.push(assign(Place::name("sum"), Expr::binary("+", scaled, added)));
        }
        body.push(Stmt::Return(Some(Place::name("sum").read())));
        self.program.functions.push(Function {
            name: name.to_owned(),
            result: Some(Int::ULong),
            parameters: Vec::new(),
            body,
        });
    }
}

/// A place of a nameless object, as one of this object.
fn within(place: &Place, object: &str) -> Place {
    match place {
        Place::Name(_) => Place::name(object),
        Place::Field(of, name) => within(of, object).field(name),
        Place::Element(of, index) => within(of, object).element((**index).clone()),
        Place::Target(_) => place.clone(),
    }
}
