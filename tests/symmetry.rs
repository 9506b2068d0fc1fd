//! Threads that nobody can tell apart are found in C programs, and those that differ in something are not.

use regrain::frontend::{Options, load};
use regrain::program::symmetry::groups;

use crate::command::Scratch;

/// The names of the threads of each group.
fn grouped(name: &str, text: &str) -> Vec<Vec<String>> {
    let scratch = Scratch::new(&format!("symmetry-{name}")).with("program.c", text);
    let program = load(&scratch.path("program.c"), &Options::default())
        .unwrap_or_else(|diagnostic| panic!("{name}: {}", diagnostic.message));
    let name = |group: &regrain::program::symmetry::Group| {
        group.members.iter().map(|member| program.thread(member.thread).name.clone()).collect()
    };
    groups(&program).iter().map(name).collect()
}

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdint.h>\nint x, y, a[4];\n\
                    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n";

/// Three threads that run `body`, and what `main` does before they are created, between, and after.
fn three(body: &str, create: [&str; 3], join: &str) -> String {
    format!(
        "{HEAD}void *w(void *arg) {{ {body} return 0; }}\nint main(void) {{ pthread_t t[3];\n{}\n{join} }}\n",
        create.join("\n")
    )
}

const CREATE: [&str; 3] =
    ["pthread_create(&t[0], 0, w, 0);", "pthread_create(&t[1], 0, w, 0);", "pthread_create(&t[2], 0, w, 0);"];
const JOIN: &str = "for (int i = 0; i < 3; i++) pthread_join(t[i], 0); assert(x <= 3);";
const ADD: &str = "int t = x; x = t + 1;";

#[test]
fn threads_that_do_the_same_are_alike() {
    let all = vec![vec!["w".to_owned(), "w#2".to_owned(), "w#3".to_owned()]];
    assert_eq!(grouped("add", &three(ADD, CREATE, JOIN)), all);
    let locked = "pthread_mutex_lock(&m); int t = x; x = t + 1; pthread_mutex_unlock(&m);";
    assert_eq!(grouped("locked", &three(locked, CREATE, JOIN)), all, "who holds the mutex is not asked");
    assert_eq!(grouped("detached", &three("assert(x < 5); x++;", CREATE, "")), all);
    let same_argument = CREATE.map(|create| create.replace("w, 0", "w, &y"));
    let body = "int *p = arg; *p = *p + 1; assert(*p <= 3);";
    assert_eq!(grouped("argument", &three(body, same_argument.each_ref().map(|it| &**it), "")), all);
    let loops = "for (int i = 0; i < 2; i++) { if (x < 2) x = x + y; else y = x - y; } assert(x < 100);";
    assert_eq!(grouped("loops", &three(loops, CREATE, JOIN)), all);
}

#[test]
fn arguments_that_differ_are_seen() {
    let numbered = [0, 1, 2].map(|i| format!("pthread_create(&t[{i}], 0, w, (void *)(intptr_t){i});"));
    let numbered = numbered.each_ref().map(|it| &**it);
    let body = "int id = (intptr_t)arg; if (id) x = x + id; else y = x;";
    assert_eq!(grouped("ids", &three(body, numbered, JOIN)), Vec::<Vec<String>>::new());
    let two = [CREATE[0], numbered[1], CREATE[2]];
    assert_eq!(grouped("two", &three(body, two, JOIN)), [["w", "w#3"]]);
    let unused = three(ADD, numbered, JOIN);
    assert_eq!(grouped("unused", &unused), [["w", "w#2", "w#3"]], "an argument that is not looked at");
}

#[test]
fn an_identity_that_is_asked_for_is_seen() {
    let body = "pthread_t self = pthread_self(); int t = x; if (y == 0) y = self; if (y == self) x = t + 1;";
    assert_eq!(grouped("self", &three(body, CREATE, JOIN)), Vec::<Vec<String>>::new());
    let recursive = "pthread_mutexattr_t k; pthread_mutexattr_init(&k); \
                     pthread_mutexattr_settype(&k, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &k);";
    let body = "pthread_mutex_lock(&m); pthread_mutex_lock(&m); int t = x; x = t + 1; \
                pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);";
    let create = [&format!("{recursive}{}", CREATE[0]), CREATE[1], CREATE[2]];
    assert_eq!(grouped("recursive", &three(body, create, JOIN)), Vec::<Vec<String>>::new());
}

#[test]
fn a_creator_that_treats_them_differently_is_seen() {
    let between = [CREATE[0], "pthread_join(t[0], 0); x = 2;", CREATE[1]];
    assert_eq!(grouped("joined", &three(ADD, between, "assert(x < 9);")), Vec::<Vec<String>>::new());
    let between = [CREATE[0], CREATE[1], "int r = x; y = r; pthread_create(&t[2], 0, w, 0);"];
    let late = grouped("late", &three("int t = x; x = t + y;", between, JOIN));
    assert!(!late.concat().contains(&"w#3".to_owned()), "{late:?}: it begins after something was read");
    let one = "pthread_join(t[1], 0); assert(x >= 1);";
    assert_eq!(grouped("one", &three(ADD, CREATE, one)), [["w", "w#3"]]);
    let in_turn =
        "pthread_join(t[0], 0); x = 7; pthread_join(t[1], 0); pthread_join(t[2], 0); assert(x < 9);";
    let in_turn = grouped("in_turn", &three(ADD, CREATE, in_turn));
    assert!(!in_turn.concat().contains(&"w".to_owned()), "{in_turn:?}");
}

#[test]
fn what_they_do_to_memory_is_seen() {
    let other = format!(
        "{HEAD}void *v(void *arg) {{ int t = x; x = t + 2; return 0; }}\n\
         void *w(void *arg) {{ int t = x; x = t + 1; return 0; }}\n\
         int main(void) {{ pthread_t t[3]; pthread_create(&t[0], 0, v, 0); {} {} {JOIN} }}\n",
        CREATE[1], CREATE[2]
    );
    assert_eq!(grouped("other", &other), [["w", "w#2"]]);
    let slots = [0, 1, 2].map(|i| format!("pthread_create(&t[{i}], 0, w, &a[{i}]);"));
    let slots = slots.each_ref().map(|it| &**it);
    let body = "int *mine = arg; *mine = x; x = *mine + 1;";
    let weighed = "for (int i = 0; i < 3; i++) pthread_join(t[i], 0); assert(a[0] + 2 * a[1] < 20);";
    assert_eq!(grouped("weighed", &three(body, slots, weighed)), Vec::<Vec<String>>::new());
    let first = "for (int i = 0; i < 3; i++) pthread_join(t[i], 0); assert(a[0] < 20 && x < 20);";
    assert_eq!(grouped("first", &three(body, slots, first)), [["w#2", "w#3"]]);
}
