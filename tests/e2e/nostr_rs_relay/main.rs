// nostr-rs-relay with its defaults, keeping notes in memory: it never answers ephemeral events.
//
// Usage: relay PORT. It forgets everything when it stops.
use nostr_rs_relay::{config::Settings, server::start_server};

fn main() {
    let mut settings = Settings::default();
    settings.network.address = "127.0.0.1".to_owned();
    settings.network.port = std::env::args().nth(1).unwrap().parse().unwrap();
    settings.database.in_memory = true;
    let (_stop, stopped) = std::sync::mpsc::channel();
    start_server(&settings, stopped).unwrap();
}
