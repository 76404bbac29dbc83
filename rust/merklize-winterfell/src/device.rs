use std::sync::{Arc, RwLock};

use merklize::{Device, Error};

static DEFAULT: RwLock<Option<Arc<Device>>> = RwLock::new(None);

/// The device of trees that are made without one, such as those of FRI's layers: the device of [`set_default_device`], else `auto`, which the environment
/// variable `MERKLIZE_DEVICE` may name.
///
/// # Errors
/// The device of the environment variable cannot be used.
pub fn default_device() -> Result<Arc<Device>, Error> {
    if let Some(device) = &*DEFAULT.read().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        return Ok(device.clone());
    }
    let device = Arc::new(Device::open("auto")?);
    Ok(DEFAULT.write().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(device).clone())
}

/// Sets the device of trees that are made without one, for the whole process.
pub fn set_default_device(device: Arc<Device>) {
    *DEFAULT.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(device);
}
