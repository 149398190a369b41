//! Finds the exact version of rskafka in Cargo.lock: the library does not tell it at run time.

fn main() {
    println!("cargo:rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").expect("Cargo.lock");
    let (_, rest) = lock
        .split_once("name = \"rskafka\"\nversion = \"")
        .expect("rskafka in Cargo.lock");
    let (version, _) = rest.split_once('"').expect("a version");
    println!("cargo:rustc-env=RSKAFKA_VERSION={version}");
}
