"""Makes the archive and the Debian package; `./x package` runs this.

  ./x package [--check]

target/package/regrain-VERSION-MACHINE-linux.tar.xz and regrain_VERSION_ARCH.deb (where there is dpkg-deb) hold the
same tree: the binary, Z3 beside it, manual pages, completions, documentation, licences. The binary is linked for
glibc 2.28 by Zig's linker, which comes as a Python wheel, and finds Z3 relative to itself.

--check unpacks the archive into an empty folder that is then the root of a process without environment (for the
super-user; otherwise only the environment is empty) and verifies two programs there: no Rust, no Python, no checkout.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ZIG = """ziglang==0.17.0
 --hash=sha256:97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b
 --hash=sha256:d2804f94f54f7fcf8169f4b212a619ad688a4e2e6592e976f0cf2e58e2cd8af3"""
ZIGBUILD = """cargo-zigbuild==0.24.0
 --hash=sha256:484412e39e4c6039474535ce97ee75a22bab22d58233056f8ec8a8f9034bb957
 --hash=sha256:6942e4320f7b05d8fb29e0a8ce5670bcbb3d254275100b85b5b7c86552f9a744"""

# The oldest glibc that the binary shall run with, and what Z3's wheel asks for on this machine.
GLIBC = "2.28"
MACHINE = platform.machine()
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
LIMIT_MB = 40

SAFE = "int main(void) { int x = 1; if (x != 1) __VERIFIER_error(); return 0; }\n"
UNSAFE = """typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void reach_error(void);
int x;
void *add(void *a) { int t = x; x = t + 1; return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0); pthread_create(&b, 0, add, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  if (x != 2) reach_error();
  return 0;
}
"""


def main(root, deps, unpack, args):
    """`unpack(pin, folder)` is the way of `x` to a wheel."""
    if args not in ([], ["--check"]):
        print("x: package takes --check or nothing", file=sys.stderr)
        return 2
    unpack(ZIG, deps / "zig")
    unpack(ZIGBUILD, deps / "zigbuild")
    binary = build(root, deps)
    version = subprocess.run([binary, "--version"], env=with_library(deps), stdout=subprocess.PIPE, text=True,
                             check=True).stdout.split()[1]
    out = root / "target/package"
    shutil.rmtree(out, ignore_errors=True)
    name = f"regrain-{version}-{MACHINE}-linux"
    tree = out / name
    fill(root, deps, binary, tree)
    archive = out / f"{name}.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(tree, name, filter=plain)
    print(archive)
    if shutil.which("dpkg-deb"):
        print(debian(tree, out, version))
    print(f"binary and Z3: {weight(tree):.1f} MB, archive: {archive.stat().st_size / 1e6:.1f} MB")
    return check(archive, name) if args else 0


def build(root, deps):
    """The binary, linked for an old glibc, with its debugging information."""
    zig, tool = deps / "zig/ziglang/zig", next((deps / "zigbuild").glob("*.data/scripts/cargo-zigbuild"))
    for program in (zig, tool):
        program.chmod(0o755)
    target = f"{MACHINE}-unknown-linux-gnu"
    env = dict(os.environ, CARGO_ZIGBUILD_ZIG_PATH=str(zig), REGRAIN_RUN_PATH="$ORIGIN/../lib/regrain")
    command = [str(tool), "zigbuild", "--release", "--bin", "regrain", "--target", f"{target}.{GLIBC}"]
    if subprocess.call(command, cwd=root, env=env) != 0:
        sys.exit("x: the portable binary could not be built; the message is above")
    return root / "target" / target / "release/regrain"


def with_library(deps):
    return dict(os.environ, LD_LIBRARY_PATH=str(deps / "z3/lib"))


def fill(root, deps, binary, tree):
    """The tree of the package, as below /usr."""
    put(binary, tree / "bin/regrain", 0o755)
    library = next((deps / "z3/lib").glob("libz3.so.*"))
    put(library, tree / "lib/regrain" / library.name, 0o644)
    for path in (tree / "bin/regrain", tree / "lib/regrain" / library.name):
        subprocess.run(["strip", "--strip-unneeded", str(path)], check=True)

    def told(*args):
        return subprocess.run([binary, *args], env=with_library(deps), stdout=subprocess.PIPE, check=True).stdout

    write(tree / "share/man/man1/regrain.1", told("man"))
    commands = re.findall(r"^  ([a-z]+) ", told("--help").decode(), re.MULTILINE)
    for command in commands:
        if command not in ("help", "regrain"):
            write(tree / f"share/man/man1/regrain-{command}.1", told("man", command))
    write(tree / "share/bash-completion/completions/regrain", told("completions", "bash"))
    write(tree / "share/zsh/site-functions/_regrain", told("completions", "zsh"))
    write(tree / "share/fish/vendor_completions.d/regrain.fish", told("completions", "fish"))
    documents = tree / "share/doc/regrain"
    for document in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]:
        put(root / document, documents / document, 0o644)
    for document in (path for path in (root / "docs").rglob("*") if path.suffix in (".md", ".svg", ".png", ".toml")):
        put(document, documents / document.relative_to(root), 0o644)
    write(documents / "THIRD-PARTY", licences(root).encode())


def put(source, to, mode):
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)
    to.chmod(mode)


def write(to, content):
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(content)


def licences(root):
    """What is linked in or stands beside the binary, with the texts of the licences."""
    command = ["cargo", "metadata", "--format-version", "1", "--filter-platform", f"{MACHINE}-unknown-linux-gnu"]
    told = json.loads(subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True).stdout)
    nodes = {node["id"]: node for node in told["resolve"]["nodes"]}
    pending, used = [told["resolve"]["root"]], set()
    while pending:
        package = pending.pop()
        if package not in used:
            used.add(package)
            for dependency in nodes[package]["deps"]:
                if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                    pending.append(dependency["pkg"])
    parts = ["Regrain carries the Z3 theorem prover (MIT licence, copyright Microsoft Corporation), beside the binary,\n"
             "and is linked with the packages below. CaDiCaL is part of rustsat-cadical.\n"]
    for package in sorted(told["packages"], key=lambda package: (package["name"], package["version"])):
        if package["id"] not in used or package["source"] is None:
            continue
        parts.append(f"{'=' * 78}\n{package['name']} {package['version']}: {package['license']}\n")
        folder = Path(package["manifest_path"]).parent
        for text in sorted(path for path in folder.rglob("*") if re.match(r"(?i)(licen[cs]e|copying)", path.name)):
            if text.is_file() and text.suffix not in (".rs", ".py"):
                parts.append(f"{text.relative_to(folder)}:\n\n{text.read_text(errors='replace')}")
    return "\n".join(parts)


def plain(member):
    """An entry of the archive without owner and time, so that equal trees make equal archives."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = "root"
    return member


def debian(tree, out, version):
    stage = out / "deb"
    shutil.copytree(tree, stage / "usr")
    size = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file()) // 1024
    control = f"""Package: regrain
Version: {version}
Architecture: {DEBIAN.get(MACHINE, MACHINE)}
Maintainer: Regrain developers <regrain@localhost>
Section: devel
Priority: optional
Installed-Size: {size}
Depends: libc6 (>= {GLIBC}), libstdc++6 (>= 7), libgcc-s1 | libgcc1
Recommends: gcc | clang
Description: verifier for concurrent C programs
 Proves that no interleaving of the threads violates an assertion, or prints
 a schedule that does.
"""
    write(stage / "DEBIAN/control", control.encode())
    package = out / f"regrain_{version}_{DEBIAN.get(MACHINE, MACHINE)}.deb"
    command = ["dpkg-deb", "--root-owner-group", "--build", str(stage), str(package)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    shutil.rmtree(stage)
    return package


def check(archive, name):
    """Unpacks the archive where there is nothing else, and verifies programs there."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        with tarfile.open(archive) as tar:
            tar.extractall(place / "opt", filter="data")
        (place / "tmp").mkdir()
        (place / "tmp/safe.i").write_text(SAFE)
        (place / "tmp/unsafe.i").write_text(UNSAFE)
        old = needed_glibc(place / "opt" / name / "bin/regrain")
        expect("the binary runs with glibc " + GLIBC, old <= version_of(GLIBC))
        expect(f"binary and Z3 are smaller than {LIMIT_MB} MB", weight(place / "opt" / name) < LIMIT_MB)
        command, here = enclosed(place, f"/opt/{name}/bin/regrain")
        for program, code, verdict in [("safe", 0, "Verdict: true"), ("unsafe", 10, "Verdict: false(unreach-call)")]:
            done = alone([*command, "verify", f"{here}/tmp/{program}.i"])
            expect(f"{program}.i: {verdict}", done.returncode == code and done.stdout.splitlines()[-1] == verdict)
        told = alone([*command, "--version"]).stdout
        expect("the version names the solvers", "Z3" in told and "CaDiCaL" in told)
    return 0


def alone(command):
    return subprocess.run(command, env={}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def weight(tree):
    """Megabytes of the binary and its library."""
    parts = [tree / "bin/regrain", *(tree / "lib/regrain").iterdir()]
    return sum(path.stat().st_size for path in parts) / 1e6


def enclosed(place, binary):
    """A command whose root is the place, with the libraries of the system that every Linux has; and its idea of the
    place. The loader finds out through /proc where the binary is."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return [str(place) + binary], str(place)
    told = subprocess.run(["ldd", str(place) + binary], stdout=subprocess.PIPE, text=True, check=True).stdout
    for library in re.findall(r"(/\S+\.so\S*)", told):
        if not library.startswith(str(place)):
            put(library, place / library.lstrip("/"), 0o755)
    (place / "proc").mkdir()
    inside = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    return [shutil.which("unshare"), "--mount", "/bin/sh", "-c", inside, str(place), binary], ""


def needed_glibc(binary):
    told = subprocess.run(["readelf", "-V", str(binary)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return max(map(version_of, re.findall(r"GLIBC_([0-9.]+)", told)))


def version_of(text):
    return tuple(map(int, text.split(".")))


def expect(what, holds):
    print(("yes: " if holds else "NO: ") + what)
    if not holds:
        sys.exit(1)
