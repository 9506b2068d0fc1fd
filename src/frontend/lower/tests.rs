//! Small C programs and what becomes of them: their verdict, found by visiting all states of the program
//! before and after the passes, and the lowered program itself.

use std::path::Path;

use crate::engine::Claim;
use crate::frontend::diagnostic::Diagnostic;
use crate::frontend::load::load_text;
use crate::frontend::{DataModel, Granularity, Options, Property, Undefined};
use crate::observe::Silent;
use crate::program::pass::{PassOptions, run};
use crate::program::{MemoryModel, Program};
use crate::verify::{Engine, Settings, verify};

/// What tests include.
const HEADER: &str = concat!(
    include_str!("../models/types.h"),
    "int pthread_create(pthread_t *, const void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);",
    "void *malloc(size_t); void *calloc(size_t, size_t); void free(void *);",
    "void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t);",
    "int __VERIFIER_nondet_int(void); _Bool __VERIFIER_nondet_bool(void); unsigned char __VERIFIER_nondet_uchar(void);",
);

fn program(text: &str, options: &Options) -> Result<Program, Diagnostic> {
    load_text(Path::new("test.c"), &format!("{HEADER}\n# 1 \"test.c\"\n{text}"), options)
}

fn explored(program: &Program, options: &Options) -> String {
    let settings = Settings { memory_model: options.memory_model, ..Settings::default() };
    match verify(program, Engine::Explore, &settings, &mut Silent).expect("no fault").claim() {
        Claim::Safe(_) => "true".to_owned(),
        Claim::Unsafe(violation) => {
            format!("false: {}", program.assertions[violation.assertion.index()].text)
        }
        Claim::Unknown(reason) => {
            // The kind of trouble and the place are the engine's words.
            let summary = reason.summary.split(" at test.c").next().unwrap_or_default();
            let text = summary.split_once(": ").map_or(summary, |(_, text)| text);
            format!("unknown: {text}")
        }
    }
}

#[track_caller]
fn check_with(options: &Options, text: &str, expected: &str) {
    let raw = match program(text, options) {
        Ok(program) => program,
        Err(diagnostic) => panic!("{diagnostic}"),
    };
    assert_eq!(explored(&raw, options), expected, "before the passes");
    let passed = run(raw, &PassOptions { memory_model: options.memory_model });
    assert_eq!(explored(&passed, options), expected, "after the passes");
}

/// The verdict of a program.
#[track_caller]
fn check(text: &str, expected: &str) {
    check_with(&Options::default(), text, expected);
}

/// The verdict of statements that run alone, under both data models.
#[track_caller]
fn check_main(globals: &str, body: &str, expected: &str) {
    let text = format!("{globals}\nint main(void) {{ {body}\n return 0; }}");
    for data_model in [DataModel::Lp64, DataModel::Ilp32] {
        check_with(&Options { data_model, ..Options::default() }, &text, expected);
    }
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let diagnostic = program(text, &Options::default()).expect_err("the program is refused");
    assert_eq!(diagnostic.to_string().lines().next(), Some(expected));
}

#[track_caller]
fn snapshot(name: &str, options: &Options, text: &str) {
    let program = match program(text, options) {
        Ok(program) => program,
        Err(diagnostic) => panic!("{diagnostic}"),
    };
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!(format!("lower_{name}"), format!("{}\n----\n{program}", text.trim()))
    });
}

// ---- expressions

#[test]
fn arithmetic_and_conversions() {
    check_main(
        "",
        "int a = 7, b = -2; assert(a / b == -3 && a % b == 1 && (a ^ b) == -7 && (a << 2 >> 1) == 14);",
        "true",
    );
    check_main(
        "",
        "unsigned char c = 200; c += 100; assert(c == 44); signed char d = (signed char)200; assert(d == -56);",
        "true",
    );
    check_main("", "unsigned u = 1; assert(u - 2 > 0); assert(-1 < 1); assert(!(-1 < 1u));", "true");
    check_main(
        "",
        "_Bool b = 4; assert(b == 1); b--; assert(!b); b--; assert(b); b++; assert(b == 1);",
        "true",
    );
    check_main(
        "",
        "short s = 32767; s++; assert(s == -32768); assert(~s == 32767); assert(-s == 32768);",
        "true",
    );
}

#[test]
fn side_effects_are_sequenced() {
    check_main("int g;", "int i = 3; int j = i++ * 10 + i; assert(i == 4 && (j == 34 || j == 33));", "true");
    check_main(
        "int g;",
        "g = 5; int old = g--; assert(old == 5 && g == 4); assert(++g == 5); assert((g = 7, g + 1) == 8);",
        "true",
    );
    check_main(
        "int g; int f(void) { g++; return 0; }",
        "if (f() && f()) g = 9; assert(g == 1); if (f() || f()) g = 9; assert(g == 3);",
        "true",
    );
    check_main(
        "int g;",
        "int x = g ? g++ : (g += 2); assert(x == 2 && g == 2); x = g ?: 5; assert(x == 2);",
        "true",
    );
    check_main(
        "",
        "int a = 1, b = 2; int m = a > b ? a : b; assert(m == 2); int t = ({ int k = a; a = 5; k; }); assert(t == 1 && a == 5);",
        "true",
    );
}

#[test]
fn what_c_leaves_undefined_is_not_hidden() {
    check_main("", "int z = 0; int x = 5; x = x / z;", "unknown: division by zero");
    check_main("", "int z = 0; int x = 5; x %= z;", "unknown: division by zero");
    let shift = "unknown: shift by a negative or too large amount";
    check_main("", "int n = __VERIFIER_nondet_uchar(); int x = 1 << n;", shift);
    check_main("", "int n = __VERIFIER_nondet_uchar() % 31; int x = 1 << n; assert(x > 0);", "true");
    check_main("", "void (*f)(void) = 0; f();", "unknown: call through a pointer that is not a function");
}

#[test]
fn aggregates_by_value() {
    check_main(
        r#"struct s{int a; struct {char c; long d;} in; int arr[3];};"#,
        r#"struct s x={1,{2,3},{4,5,6}}, y; y=x; y.arr[1]=9; assert(x.arr[1]==5&&y.arr[1]==9&&y.in.d==3&&y.in.c==2); struct s *q=&y; q->a++; assert(y.a==2); struct s z=*q; assert(z.a==2&&z.arr[2]==6);"#,
        "true",
    );
    check_main(
        r#"struct p{int x,y;}; struct p mk(int a,int b){struct p r; r.x=a; r.y=b; return r;} int sum(struct p q){q.x++; return q.x+q.y;}"#,
        r#"struct p a=mk(1,2); assert(sum(a)==4&&a.x==1); assert(mk(5,6).y==6); struct p b = a.x ? mk(7,8) : a; assert(b.y==8);"#,
        "true",
    );
    check_main(
        r#"int g[3][4];"#,
        r#"for(int i=0;i<3;i++)for(int j=0;j<4;j++)g[i][j]=i*10+j; assert(g[2][3]==23&&g[0][2]==2); int *p=&g[1][0]; assert(p[2]==12); int s=0; for(int i=0;i<12;i++) s+=(&g[0][0])[i]; assert(s==138);"#,
        "true",
    );
    check_main(
        r#"struct e{int k; int v[2];} t[3];"#,
        r#"for(int i=0;i<3;i++){t[i].k=i; for(int j=0;j<2;j++) t[i].v[j]=10*i+j;} assert(t[2].k==2&&t[1].v[1]==11); struct e*p=t; p++; assert(p->v[0]==10); p=&t[2]; assert(p-t==2&&p[-1].k==1);"#,
        "true",
    );
    check_main(
        r#""#,
        r#"int a[4]={1,2}; assert(a[3]==0&&a[1]==2); struct {int x; int y;} s={.y=4}; assert(s.x==0&&s.y==4); int k=3; int b[3]={k,k+1}; assert(b[1]==4&&b[2]==0);"#,
        "true",
    );
    check_main(
        r#"struct p{int x,y;}; int f(struct p*q){return q->x+q->y;}"#,
        r#"assert(f(&(struct p){3,4})==7); struct p a=(struct p){.y=9}; assert(a.x==0&&a.y==9);"#,
        "true",
    );
    check_main(
        r#""#,
        r#"for(int i=0;i<3;i++){int a[2]={0}; a[0]+=i; assert(a[0]==i&&a[1]==0); int z=0; int*q=&z; *q+=1; assert(z==1);}"#,
        "true",
    );
    check_main(
        r#"struct b{unsigned a:3; int s:4; unsigned c:25;};"#,
        r#"struct b x={0}; x.a=9; assert(x.a==1); x.s=7; x.s++; assert(x.s==-8); x.c=5; assert(x.a==1&&x.c==5);"#,
        "true",
    );
    check_main(r#"enum c{A,B=5,C}; enum c g;"#, r#"g=C; assert(g==6&&A==0);"#, "true");
}

#[test]
fn pointers_and_bounds() {
    check_main(
        r#"int a[3];"#,
        r#"int i=__VERIFIER_nondet_int(); if(i>=0&&i<=3) a[i]=1;"#,
        "unknown: access outside of `a`",
    );
    check_main(
        r#"int a[3];"#,
        r#"int i=__VERIFIER_nondet_uchar(); if(i<3) {a[i]=1; assert(a[i]==1);}"#,
        "true",
    );
    check_main(
        r#""#,
        r#"int *p=0; if(__VERIFIER_nondet_bool()) *p=1;"#,
        "unknown: dereference of a null pointer",
    );
    check_main(
        r#"int x,y;"#,
        r#"int *p=__VERIFIER_nondet_bool()?&x:&y; *p=5; assert(x+y==5); int **q=&p; **q=7; assert(*p==7);"#,
        "true",
    );
    check_main(
        r#"int x,y;"#,
        r#"int *p=__VERIFIER_nondet_bool()?&x:&y; *p=5; assert(x==5);"#,
        "false: x == 5",
    );
    check_main(
        r#"int x; int*f(void){return &x;}"#,
        r#"*f()=3; assert(x==3); (*f())++; assert(x==4); f()[0]+=2; assert(x==6);"#,
        "true",
    );
    check_main(
        r#"struct s{int a,b;} u,v;"#,
        r#"struct s*p=&u; if(__VERIFIER_nondet_bool())p=&v; p->b=3; int*q=&p->b; assert(*q==3); assert(u.b+v.b==3); assert(p==&u||p==&v);"#,
        "true",
    );
    check_main(
        r#"struct l{struct l*n,*p;}; struct l head={&head,&head}; struct it{int v; struct l k;} a,b;"#,
        r#"a.v=1; b.v=2; a.k.n=head.n; head.n->p=&a.k; a.k.p=&head; head.n=&a.k; struct it*i=(struct it*)((char*)head.n-__builtin_offsetof(struct it,k)); assert(i->v==1);"#,
        "true",
    );
    check_main(
        r#"int x;"#,
        r#"unsigned long a=(unsigned long)&x; int*p=(int*)a; *p=4; assert(x==4); p=(int*)(a|1); p=(int*)((unsigned long)p & ~1ul); *p=5; assert(x==5);"#,
        "true",
    );
    check_main(
        r#"const char*s="hi"; char b[]="abc";"#,
        r#"assert(s[0]==104&&s[2]==0); assert(b[1]==98&&sizeof b==4); b[1]=0; assert(b[1]==0); const char*t="hi"; assert(t[1]==105);"#,
        "true",
    );
    check_main(
        r#"int a(int x){return x+1;} int b(int x){return x*2;} int (*t[2])(int)={a,b}; typedef int (*F)(int); int ap(F f,int x){return f(x);}"#,
        r#"assert(ap(a,3)==4&&ap(b,3)==6); int i=__VERIFIER_nondet_bool(); int r=t[i](5); assert(r==6||r==10); F f=i?a:b; assert(f(1)==2);"#,
        "true",
    );
}

#[test]
fn the_heap() {
    check_main(
        r#"struct n{int v; struct n*next;};"#,
        r#"struct n*h=0; for(int i=0;i<3;i++){struct n*c=malloc(sizeof(struct n)); c->v=i; c->next=h; h=c;} int s=0; for(struct n*c=h;c;c=c->next)s=s*10+c->v; assert(s==210); while(h){struct n*d=h->next; free(h); h=d;}"#,
        "true",
    );
    check_main(
        r#""#,
        r#"int*p=malloc(sizeof(int)); *p=3; free(p); int y=*p;"#,
        "unknown: access outside of `malloc@2` or after it was freed",
    );
    check_main(
        r#""#,
        r#"int*p=malloc(4); free(p); free(p);"#,
        "unknown: `free` of something that is not a live heap object",
    );
    check_main(
        r#""#,
        r#"int*p=calloc(4,sizeof(int)); assert(p[3]==0); p[2]=5; assert(p[2]==5); free(p);"#,
        "true",
    );
    check_main(r#""#, r#"int*p=malloc(4); assert(*p==0);"#, "false: *p == 0");
    check_main(
        r#""#,
        r#"int n=__VERIFIER_nondet_uchar()%4; int*p=malloc(n*sizeof(int)); p[n]=1;"#,
        "unknown: access outside of `malloc@2`",
    );
    check_main(
        r#"void*g; struct q{int a; int b;};"#,
        r#"g=malloc(8); struct q*s=g; s->a=1; s->b=2; assert(((struct q*)g)->b==2);"#,
        "true",
    );
}

#[test]
fn bytes_of_scalars() {
    check_main(
        r#"union u{int i; unsigned w; unsigned char c[4]; struct {short lo,hi;} h;};"#,
        r#"union u x; x.i=-1; assert(x.w==0xffffffffu); x.w=0x01020304; assert(x.c[0]==4&&x.c[3]==1&&x.h.hi==0x0102); x.c[1]=0xff; assert(x.w==0x0102ff04);"#,
        "true",
    );
    check_main(
        r#""#,
        r#"int x=0x01020304; char*p=(char*)&x; assert(p[1]==3); p[3]=0; assert(x==0x00020304);"#,
        "true",
    );
    check_main(
        r#"struct s{int a; char b[5]; long c;};"#,
        r#"struct s x; memset(&x,0,sizeof x); assert(x.a==0&&x.b[4]==0&&x.c==0); int a[10]; memset(a,0xff,sizeof a); assert(a[7]==-1); struct s y; x.c=77; memcpy(&y,&x,sizeof x); assert(y.c==77);"#,
        "true",
    );
}

#[test]
fn control_flow() {
    check_main(
        r#"int f(int x){int r=0; switch(x){case 1: r+=1; case 2: r+=2; break; case 5 ... 7: r=5; break; default: r=-1; } return r;}"#,
        r#"assert(f(1)==3&&f(2)==2&&f(6)==5&&f(4)==-1); int v=__VERIFIER_nondet_uchar(); if(v>=5&&v<=7)assert(f(v)==5);"#,
        "true",
    );
    check_main(
        r#""#,
        r#"int i=0; again: i++; if(i<5) goto again; assert(i==5); for(int k=0;;k++){ if(k==3) goto out; } out: assert(i==5); int s=0; do { s++; if(s==2) continue; if (s>3) break; } while(s<10); assert(s==4);"#,
        "true",
    );
    check_main(
        r#"int fact(int n){return n<=1?1:n*fact(n-1);} int fib(int n){ if(n<2) return n; return fib(n-1)+fib(n-2);}"#,
        r#"assert(fact(5)==120); assert(fib(7)==13);"#,
        "true",
    );
    check_main(
        r#"int f(int n){return n==0?0:1+f(n-1);}"#,
        r#"int n=__VERIFIER_nondet_uchar(); assert(f(n)==n);"#,
        "unknown: `f` calls itself more than 8 times; raise --unwind",
    );
    check_main(
        r#"int next(void){static int n=5; return n++;}"#,
        r#"assert(next()==5); assert(next()==6); static int z; assert(z==0);"#,
        "true",
    );
    check_main(
        r#""#,
        r#"long x=__VERIFIER_nondet_bool()?3000000000l:1; switch(x){case 1: x=2; break; case 3000000000l: x=3; } assert(x==2||x==3);"#,
        "true",
    );
}

#[test]
fn what_is_not_initialised_is_anything() {
    check_main(r#""#, r#"int x; assert(x==0);"#, "false: x == 0");
    check_main(r#""#, r#"int a[2]; assert(a[1]==0);"#, "false: a[1] == 0");
}

#[test]
fn atomic_operations() {
    check_main(
        r#"_Atomic int a; _Atomic int b; _Atomic(long*) ap; long l;"#,
        r#"a=3; a+=2; a++; assert(a==6); assert(__atomic_fetch_add(&b, 4, 5) == 0&&b==4); int e=5; assert(!__atomic_compare_exchange_n(&b,&e,9,0,5,5)&&e==4); assert(__atomic_compare_exchange_n(&b,&e,9,0,5,5)&&b==9); assert(__atomic_exchange_n(&b,1,5)==9); ap=&l; *ap=3; assert(l==3); assert(__sync_val_compare_and_swap(&l,3,8)==3&&l==8);"#,
        "true",
    );
}

#[test]
fn threads() {
    check(
        r#"_Thread_local int k; int r; void*w(void*a){k=(int)(long)a; assert(k==(int)(long)a); return &k==0?0:a;} int main(){pthread_t t[2]; k=9; for(int i=0;i<2;i++)pthread_create(t+i,0,w,(void*)(long)(i+1)); void*v; for(int i=0;i<2;i++){pthread_join(t[i],&v); assert((long)v==i+1);} assert(k==9); return 0;}"#,
        "true",
    );
    check(
        r#"struct a{int in; int out;}; void*w(void*p){struct a*q=p; q->out=q->in*2; return 0;} int main(){pthread_t t[3]; struct a s[3]; for(int i=0;i<3;i++){s[i].in=i; pthread_create(&t[i],0,w,&s[i]);} for(int i=0;i<3;i++)pthread_join(t[i],0); for(int i=0;i<3;i++) assert(s[i].out==2*i); return 0;}"#,
        "true",
    );
    check(
        r#"void*w(void*p){int*q=p; *q+=1; return q;} int main(){pthread_t t; int*x=malloc(sizeof*x); *x=4; pthread_create(&t,0,w,x); void*r; pthread_join(t,&r); assert(*(int*)r==5); free(x); return 0;}"#,
        "true",
    );
    check(
        r#"int x; void*w(void*p){int t=x; x=t+1; return 0;} int main(){pthread_t a,b; pthread_create(&a,0,w,0); pthread_create(&b,0,w,0); pthread_join(a,0); pthread_join(b,0); assert(x==2); return 0;}"#,
        "false: x == 2",
    );
    check(
        r#"int x; void*c(void*p){x++; return 0;} void*w(void*p){pthread_t t; pthread_create(&t,0,c,0); pthread_join(t,0); return 0;} int main(){pthread_t t; pthread_create(&t,0,w,0); pthread_join(t,0); assert(x==1); return 0;}"#,
        "true",
    );
    check(
        r#"int ok; pthread_t t; void*w(void*p){ok=pthread_equal(pthread_self(),t); return 0;} int main(){pthread_create(&t,0,w,0); pthread_join(t,0); assert(ok); return 0;}"#,
        "true",
    );
    check(
        r#"void*w(void*p){ pthread_exit((void*)7); return 0;} int main(){pthread_t t; void*r; pthread_create(&t,0,w,0); pthread_join(t,&r); assert(r==(void*)7); return 0;}"#,
        "true",
    );
    check(
        r#"int x; void*a(void*p){x=1;return 0;} void*b(void*p){x=2;return 0;} int main(){pthread_t t; void*(*f)(void*)=__VERIFIER_nondet_bool()?a:b; pthread_create(&t,0,f,0); pthread_join(t,0); assert(x==1||x==2); return 0;}"#,
        "true",
    );
    check(
        r#"int x; void __VERIFIER_atomic_inc(void){int t=x; x=t+1;} void*w(void*p){__VERIFIER_atomic_inc(); return 0;} int main(){pthread_t a,b; pthread_create(&a,0,w,0); pthread_create(&b,0,w,0); pthread_join(a,0); pthread_join(b,0); assert(x==2); return 0;}"#,
        "true",
    );
}

#[test]
fn statements_in_threads_of_their_own() {
    check(
        r#"int x; int d; void w(int a){x=a; d=1;} int main(){ int k=3; __CPROVER_ASYNC_1: w(k); k=5; __VERIFIER_assume(d); assert(x==3); return 0;}"#,
        "true",
    );
    check(
        r#"int d; int main(){ int k=3; __CPROVER_ASYNC_1: { int q=k; k=q+1; d=1; } k=7; __VERIFIER_assume(d); assert(k==7); return 0;}"#,
        "false: k == 7",
    );
}

#[test]
fn library_objects() {
    check(
        r#"pthread_mutex_t m={0}; pthread_cond_t c={0}; int r,d; void*w(void*p){pthread_mutex_lock(&m); d=5; r=1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0;} int main(){pthread_t a; pthread_create(&a,0,w,0); pthread_mutex_lock(&m); while(!r) pthread_cond_wait(&c,&m); assert(d==5); pthread_mutex_unlock(&m); return 0;}"#,
        "true",
    );
    check(
        r#"pthread_mutex_t m[2]; int x[2]; void*w(void*p){int i=(int)(long)p; pthread_mutex_lock(&m[i%2]); x[i%2]++; pthread_mutex_unlock(&m[i%2]); return 0;} int main(){pthread_t t[3]; for(int i=0;i<3;i++)pthread_create(&t[i],0,w,(void*)(long)i); for(int i=0;i<3;i++)pthread_join(t[i],0); assert(x[0]==2&&x[1]==1); return 0;}"#,
        "true",
    );
    check(
        r#"struct o{pthread_mutex_t m; int v;}; void*w(void*p){struct o*q=p; pthread_mutex_lock(&q->m); q->v++; pthread_mutex_unlock(&q->m); return 0;} int main(){pthread_t t[2]; struct o*q=malloc(sizeof*q); pthread_mutex_init(&q->m,0); q->v=0; for(int i=0;i<2;i++)pthread_create(&t[i],0,w,q); for(int i=0;i<2;i++)pthread_join(t[i],0); assert(q->v==2); return 0;}"#,
        "true",
    );
    check(
        r#"pthread_mutex_t m; int x; void lk(pthread_mutex_t*l){pthread_mutex_lock(l);} void*w(void*p){lk(&m); x++; pthread_mutex_unlock(&m); return 0;} int main(){pthread_t t[2]; for(int i=0;i<2;i++)pthread_create(&t[i],0,w,0); for(int i=0;i<2;i++)pthread_join(t[i],0); assert(x==2); return 0;}"#,
        "true",
    );
    check(
        r#"pthread_key_t k; int bad; void*w(void*p){pthread_setspecific(k,p); if(pthread_getspecific(k)!=p) bad=1; return 0;} int main(){pthread_t t[2]; pthread_key_create(&k,0); for(long i=0;i<2;i++)pthread_create(&t[i],0,w,(void*)(i+1)); for(int i=0;i<2;i++)pthread_join(t[i],0); assert(!bad); return 0;}"#,
        "true",
    );
}

#[test]
fn creation_in_loops() {
    let worker = "int x; pthread_t t; void *w(void *a) { return 0; }";
    let once = "while (__VERIFIER_nondet_bool()) pthread_create(&t, 0, w, 0);";
    let text = format!("{worker} int main(void) {{ {once} return 0; }}");
    let options = Options { unroll: 2, ..Options::default() };
    check_with(
        &options,
        &text,
        "unknown: a loop that creates threads runs more than 2 times; raise --unwind",
    );
    let goto = "int i = 0; again: pthread_create(&t, 0, w, 0); if (++i < 2) goto again;";
    let text = format!("{worker} int main(void) {{ {goto} return 0; }}");
    check(&text, "unknown: a loop made with `goto` creates a thread again; use a `for` or `while` loop");
    let heap = "struct n { struct n *next; } *h; int main(void) { while (__VERIFIER_nondet_bool()) {
        struct n *c = malloc(sizeof *c); c->next = h; h = c; } return 0; }";
    check_with(&options, heap, "unknown: an allocation runs more than 2 times; raise --unwind");
}

#[test]
fn statements_are_steps_where_asked() {
    let text = "int x; void *w(void *a) { x = x + 1; return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); x++; pthread_join(t, 0); assert(x == 2); return 0; }";
    check(text, "false: x == 2");
    check_with(&Options { granularity: Granularity::Statement, ..Options::default() }, text, "true");
    // A call inside an expression has steps of its own.
    let text = "int x, y; int f(void) { x = 1; x = 0; return 0; } void *w(void *a) { y = f(); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); assert(!x); return 0; }";
    check_with(&Options { granularity: Granularity::Statement, ..Options::default() }, text, "false: !x");
}

#[test]
fn orders_of_atomic_stores_matter_under_weak_memory() {
    let text = |store: &str, load: &str| {
        format!(
            "int x, y, a, b; void *w(void *p) {{ {store} a = y; return 0; }}
            int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); {load} b = x; pthread_join(t, 0);
            assert(a || b); return 0; }}"
        )
    };
    let relaxed = text("__atomic_store_n(&x, 1, 0);", "__atomic_store_n(&y, 1, 0);");
    let strong = text("__atomic_store_n(&x, 1, 5);", "__atomic_store_n(&y, 1, 5);");
    let fenced = text("x = 1; __sync_synchronize();", "y = 1; __atomic_thread_fence(5);");
    check(&relaxed, "true");
    for memory_model in [MemoryModel::Tso, MemoryModel::Pso] {
        let options = Options { memory_model, ..Options::default() };
        check_with(&options, &relaxed, "false: a || b");
        check_with(&options, &strong, "true");
        check_with(&options, &fenced, "true");
    }
    let message = |order: u32| {
        format!(
            "int d, f; void *w(void *p) {{ d = 1; __atomic_store_n(&f, 1, {order}); return 0; }}
            int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); if (f) assert(d); return 0; }}"
        )
    };
    let options = Options { memory_model: MemoryModel::Pso, ..Options::default() };
    check_with(&options, &message(0), "false: d");
    check_with(&options, &message(3), "true");
}

#[test]
fn properties_decide_what_a_violation_is() {
    let text = "void reach_error(void) { assert(0); } int main(void) { int x = __VERIFIER_nondet_bool();
        assert(x != 5); if (x) { ERROR: reach_error(); } assert(x); return 0; }";
    let with = |property: Property| Options { property, ..Options::default() };
    check_with(&with(Property::Assertions), text, "false: reach_error()");
    check_with(&with(Property::UnreachCall("reach_error".to_owned())), text, "false: reach_error()");
    check_with(&with(Property::UnreachLabel("ERROR".to_owned())), text, "false: ERROR:");
    check_with(&with(Property::UnreachCall("elsewhere".to_owned())), text, "false: 0");
}

#[test]
fn unknown_functions() {
    let text = "int mystery(int); int main(void) { int x = mystery(1); assert(x == 0); return 0; }";
    refused(text, "test.c:1:44: error: `mystery` has no body");
    check_with(&Options { undefined: Undefined::Havoc, ..Options::default() }, text, "false: x == 0");
    check_with(&Options { undefined: Undefined::Ignore, ..Options::default() }, text, "true");
}

#[test]
fn what_is_refused_says_where() {
    refused(
        "int main(void) { long double d; d = 1; return 0; }",
        "test.c:1:33: error: `long double` is not supported",
    );
    refused("int x;", "error: there is no function `main`");
    refused(
        "int main(void) { __VERIFIER_atomic_end(); return 0; }",
        "test.c:1:18: error: the end of an atomic section that does not begin",
    );
}

#[test]
fn the_lowered_program_as_text() {
    snapshot(
        "counter",
        &Options::default(),
        "int x; void *w(void *a) { x = x + (int)(long)a; return 0; }
int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, w, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  assert(x == 1);
  return 0;
}",
    );
    snapshot(
        "pointers",
        &Options::default(),
        "struct s { int k; struct s *next; } u, v; int a[10];
int main(void) {
  struct s *p = __VERIFIER_nondet_bool() ? &u : &v;
  p->next = &u;
  if (p->next->k < 10) a[p->k] = 3;
  struct s *h = malloc(sizeof *h);
  h->k = 1;
  free(h);
  return 0;
}",
    );
    let options =
        Options { memory_model: MemoryModel::Pso, granularity: Granularity::Statement, ..Options::default() };
    snapshot(
        "sections",
        &options,
        "int x, y; _Atomic int z;
int main(void) {
  __VERIFIER_atomic_begin(); x++; y = x && z; __VERIFIER_atomic_end();
  x = y + z;
  z = 1;
  __atomic_fetch_add(&x, 2, 5);
  return 0;
}",
    );
}
