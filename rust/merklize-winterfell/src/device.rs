use std::sync::{Arc, RwLock};

use merklize::{Device, Error, HAS_LIBRARY};

/// None: not chosen yet. Some(None): no device, so Winterfell's own code.
static DEFAULT: RwLock<Option<Option<Arc<Device>>>> = RwLock::new(None);

/// The device of trees that are made without one, such as those of FRI's layers: the device of [`set_default_device`],
/// else `auto`, which the environment variable `MERKLIZE_DEVICE` may name. `None`: Winterfell's own code, as where
/// there is no library ([`HAS_LIBRARY`](crate::HAS_LIBRARY)).
///
/// # Errors
/// The device of the environment variable cannot be used.
pub fn default_device() -> Result<Option<Arc<Device>>, Error> {
    if let Some(device) = &*DEFAULT.read().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        return Ok(device.clone());
    }
    let device = match HAS_LIBRARY {
        true => Some(Arc::new(Device::open("auto")?)),
        false => None,
    };
    Ok(DEFAULT.write().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(device).clone())
}

/// Sets the device of trees that are made without one, for the whole process. `None`: Winterfell's own code makes them.
pub fn set_default_device(device: impl Into<Option<Arc<Device>>>) {
    *DEFAULT.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(device.into());
}
