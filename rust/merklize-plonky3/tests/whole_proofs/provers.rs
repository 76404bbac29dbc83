//! The stock prover's configuration and ours, for every device, in a module that uses one of examples/keccak; and what
//! `prove` says of where it evaluates constraints.

use std::fmt;
use std::sync::{Arc, Mutex, RwLock};
use std::thread::{self, ThreadId};

use merklize_plonky3::{Device, HAS_LIBRARY};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata};

/// None, which is Plonky3's own code; the CPU, where the library runs; and an OpenCL device where there is one.
pub fn devices() -> Vec<Option<Arc<Device>>> {
    let cpu = HAS_LIBRARY.then(|| Device::open("cpu").unwrap());
    let all = cpu.into_iter().chain(Device::open("opencl:0").ok()).map(|device| Some(Arc::new(device)));
    [None].into_iter().chain(all).collect()
}

/// Tests on devices hold it to read. The test that limits a device's memory holds it to write, and so runs alone.
pub static MEMORY: RwLock<()> = RwLock::new(());

/// What `prove` says of where constraints are evaluated, by thread.
static SAID: Mutex<Vec<(ThreadId, String)>> = Mutex::new(vec![]);

struct Listener;

impl tracing::Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("merklize")
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        struct Text(String);
        impl Visit for Text {
            fn record_debug(&mut self, _: &Field, value: &dyn fmt::Debug) {
                self.0 = format!("{value:?}");
            }
        }
        let mut text = Text(String::new());
        event.record(&mut text);
        SAID.lock().unwrap().push((thread::current().id(), text.0));
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// What `prove` said in this thread since the last call.
pub fn said() -> Vec<String> {
    let _ = tracing::subscriber::set_global_default(Listener);
    let here = thread::current().id();
    SAID.lock().unwrap().extract_if(.., |(thread, _)| *thread == here).map(|(_, text)| text).collect()
}

macro_rules! provers {
    () => {
        type Ext = crate::configs::Challenge<Val, DEGREE>;
        type StockConfig = crate::configs::Config<Val, DEGREE, Stock, Challenger>;
        type OurConfig = crate::configs::DeviceConfig<Val, DEGREE, Ours, Challenger>;

        fn parameters<M>(mmcs: M, log_blowup: usize) -> p3_fri::FriParameters<p3_commit::ExtensionMmcs<Val, Ext, M>> {
            let mut parameters = crate::configs::fri_parameters(mmcs, 3);
            parameters.log_blowup = log_blowup;
            parameters
        }

        fn stock_config(log_blowup: usize) -> StockConfig {
            let (hasher, compressor, challenger) = parts();
            let mmcs = Stock::new(hasher, compressor, 0);
            let parameters = parameters(mmcs.clone(), log_blowup);
            let pcs = merklize_plonky3::StockPcs::new(p3_dft::Radix2DitParallel::default(), mmcs, parameters);
            p3_uni_stark::StarkConfig::new(pcs, challenger)
        }

        fn our_config(device: &Option<std::sync::Arc<merklize_plonky3::Device>>, log_blowup: usize) -> OurConfig {
            let (hasher, compressor, challenger) = parts();
            let ours = Ours::new(hasher, compressor, 0, hash(), device.clone()).unwrap();
            let parameters = parameters(ours.stock().clone(), log_blowup);
            // Small, so that a device commits to folded vectors of short traces, too.
            let least_bytes = 1 << 12;
            let pcs = merklize_plonky3::MerklizePcs::with_folding(ours, parameters, least_bytes);
            p3_uni_stark::StarkConfig::new(pcs, challenger)
        }
    };
}
pub(crate) use provers;
