use core::ffi::c_void;
use core::fmt;
use core::ptr;

use merklize_sys as sys;

use crate::error::{c_text, check, Result};
use crate::handle::handle;
use crate::types::DeviceInfo;

handle! {
    /// An opened device. Any number of threads may use one at once.
    Device: merklize_device, merklize_device_free
}
// SAFETY: merklize.h, "Threads": any number of threads may use a device at once.
unsafe impl Send for Device {}
unsafe impl Sync for Device {}

impl Device {
    /// Opens a device by name: `auto`, `cpu`, `cuda:0`, `opencl:1`, or several as one: `cuda:all`.
    ///
    /// ```
    /// use merklize::{Device, ErrorKind};
    ///
    /// assert_eq!(Device::open("cpu")?.info().backend, "cpu");
    /// assert_eq!(Device::open("cuda:99").unwrap_err().kind(), ErrorKind::Unavailable);
    /// # Ok::<(), merklize::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument`: an unknown name. `Unavailable`: a known device that cannot be used here; the text says why.
    pub fn open(name: &str) -> Result<Self> {
        let name = c_text("device", name)?;
        // SAFETY: a text and a place for the handle.
        Self::make("Device::open", |out| unsafe { sys::merklize_device_open(name.as_ptr(), out) })
    }

    /// Why the device of this name cannot be used here; `None` if it can. An unknown name has its reason, too.
    ///
    /// # Errors
    /// A name with a zero byte.
    pub fn why_unavailable(name: &str) -> Result<Option<String>> {
        let (name, mut length) = (c_text("device", name)?, 0);
        // SAFETY: no place is needed to measure.
        check("Device::why_unavailable", || unsafe {
            sys::merklize_why_unavailable(name.as_ptr(), ptr::null_mut(), 0, &mut length)
        })?;
        let mut why = vec![0; length + 1];
        // SAFETY: a place for the text and its zero byte.
        check("Device::why_unavailable", || unsafe {
            sys::merklize_why_unavailable(name.as_ptr(), why.as_mut_ptr(), why.len(), ptr::null_mut())
        })?;
        // SAFETY: it ends with a zero byte.
        let why = unsafe { crate::error::text(why.as_ptr()) };
        Ok((!why.is_empty()).then_some(why))
    }

    /// The devices that can be used, best first. The first call looks for devices and may open drivers.
    pub fn list() -> Result<Vec<DeviceInfo>> {
        let mut count = 0;
        // SAFETY: places for results.
        check("Device::list", || unsafe { sys::merklize_device_count(&mut count) })?;
        (0..count)
            .map(|index| {
                let mut info = sys::merklize_device_info::default();
                check("Device::list", || unsafe { sys::merklize_device_describe(index, &mut info) })?;
                Ok(DeviceInfo::from_c(&info))
            })
            .collect()
    }

    /// Facts of this device.
    pub fn info(&self) -> DeviceInfo {
        let mut info = sys::merklize_device_info::default();
        // SAFETY: a live handle and a struct: it cannot fail.
        let status = unsafe { sys::merklize_device_get_info(self.as_c(), &mut info) };
        assert_eq!(status, sys::MERKLIZE_OK, "an opened device describes itself");
        DeviceInfo::from_c(&info)
    }

    /// Bounds the memory of the device that this process takes through the library: what calls, trees and commitments
    /// use, [`Buffer`]s, and what is kept for later calls, which is freed first. Not counted are page-locked host
    /// memory and the driver's own. A call that would need more works in pieces or on the host where it can, as on a
    /// device that is full. What is in use stays when a limit is set. The limit holds for all handles to the device.
    ///
    /// - `bytes`: 0: no limit.
    ///
    /// ```
    /// use merklize::{Device, ErrorKind};
    ///
    /// if let Ok(gpu) = Device::open("cuda:0") {
    ///     gpu.set_memory_limit(8 << 30)?;
    ///     assert_eq!(gpu.memory_limit()?, 8 << 30);
    /// }
    /// assert_eq!(Device::open("cpu")?.set_memory_limit(8 << 30).unwrap_err().kind(), ErrorKind::Unavailable);
    /// # Ok::<(), merklize::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Unavailable`: the CPU; several devices as one: set the limit of each.
    pub fn set_memory_limit(&self, bytes: u64) -> Result<()> {
        // SAFETY: a live handle.
        check("Device::set_memory_limit", || unsafe { sys::merklize_device_set_memory_limit(self.as_c(), bytes) })
    }

    /// The limit in bytes; 0: none.
    ///
    /// # Errors
    /// Those of opening the device.
    pub fn memory_limit(&self) -> Result<u64> {
        let mut bytes = 0;
        // SAFETY: a live handle and a place for the answer.
        check("Device::memory_limit", || unsafe { sys::merklize_device_get_memory_limit(self.as_c(), &mut bytes) })?;
        Ok(bytes)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.info().id)
    }
}

handle! {
    /// Memory of a device, aligned to 256 bytes. It lives as long as any handle to its bytes.
    ///
    /// Any number of threads may use one at once. The caller orders reads and writes: bytes that are read while they
    /// are written have undefined values, but no undefined behaviour follows.
    Buffer: merklize_buffer, merklize_buffer_free
}
// SAFETY: merklize.h, "Threads".
unsafe impl Send for Buffer {}
unsafe impl Sync for Buffer {}

impl Buffer {
    /// New memory of a device; its content is undefined.
    ///
    /// # Errors
    /// `Unavailable`: the CPU, whose memory is host memory. `OutOfMemory`.
    pub fn new(device: &Device, bytes: u64) -> Result<Self> {
        // SAFETY: a live handle.
        Self::make("Buffer::new", |out| unsafe { sys::merklize_buffer_create(device.as_c(), bytes, out) })
    }

    /// New memory with a copy of `data`.
    ///
    /// # Errors
    /// As [`Buffer::new`].
    pub fn from_slice(device: &Device, data: &[u8]) -> Result<Self> {
        let buffer = Self::new(device, data.len() as u64)?;
        buffer.upload(0, data, None)?;
        Ok(buffer)
    }

    /// Bytes `first .. first + bytes` of the same memory.
    ///
    /// # Errors
    /// Bytes outside.
    pub fn slice(&self, first: u64, bytes: u64) -> Result<Self> {
        // SAFETY: a live handle.
        Self::make("Buffer::slice", |out| unsafe { sys::merklize_buffer_slice(self.as_c(), first, bytes, out) })
    }

    /// The whole memory, for a call that reads it.
    pub(crate) fn view(&self) -> sys::merklize_view {
        sys::merklize_view { buffer: self.as_c().cast_const(), ..Default::default() }
    }

    /// The whole memory, for a call that writes it.
    pub(crate) fn output(&mut self) -> sys::merklize_output {
        sys::merklize_output { buffer: self.as_c(), ..Default::default() }
    }

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        // SAFETY: a live handle.
        unsafe { sys::merklize_buffer_size(self.as_c()) }
    }

    /// True if the memory has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies host memory to bytes `first ..`, and waits for the copy.
    ///
    /// # Errors
    /// Bytes outside; memory for reading only.
    pub fn upload(&self, first: u64, data: &[u8], stream: Option<&Stream>) -> Result<()> {
        let stream = stream.map_or(ptr::null(), |stream| stream.as_c().cast_const());
        // SAFETY: a live handle, and `data` is read for the call.
        check("Buffer::upload", || unsafe {
            sys::merklize_buffer_upload(self.as_c(), first, data.as_ptr().cast(), data.len(), stream)
        })
    }

    /// Copies bytes `first ..` to host memory, and waits for the copy.
    ///
    /// # Errors
    /// Bytes outside.
    pub fn download(&self, first: u64, data: &mut [u8], stream: Option<&Stream>) -> Result<()> {
        let stream = stream.map_or(ptr::null(), |stream| stream.as_c().cast_const());
        // SAFETY: a live handle, and `data` is written for the call.
        check("Buffer::download", || unsafe {
            sys::merklize_buffer_download(self.as_c(), first, data.as_mut_ptr().cast(), data.len(), stream)
        })
    }
}

handle! {
    /// A queue of a device, which runs its commands in order. One thread at a time uses it.
    Stream: merklize_stream, merklize_stream_free
}
// SAFETY: merklize.h, "Threads": one thread at a time, any thread. So it is not Sync.
unsafe impl Send for Stream {}

impl Stream {
    /// A new queue.
    ///
    /// # Errors
    /// `Unavailable`: the CPU has no queues.
    pub fn new(device: &Device) -> Result<Self> {
        // SAFETY: a live handle.
        Self::make("Stream::new", |out| unsafe { sys::merklize_stream_create(device.as_c(), out) })
    }

    /// A queue of the caller: a `CUstream` or `cudaStream_t` (1 is CUDA's default stream), a `cl_command_queue` or a
    /// `sycl::queue*`.
    ///
    /// # Safety
    /// `native` is such a queue of this device and outlives the handle.
    ///
    /// # Errors
    /// As [`Stream::new`]; a null pointer.
    pub unsafe fn wrap(device: &Device, native: *mut c_void) -> Result<Self> {
        // SAFETY: the caller's promise.
        Self::make("Stream::wrap", |out| unsafe { sys::merklize_stream_wrap(device.as_c(), native, out) })
    }

    /// Waits for everything that was enqueued.
    ///
    /// # Errors
    /// Those of the commands that failed.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: a live handle.
        check("Stream::synchronize", || unsafe { sys::merklize_stream_synchronize(self.as_c()) })
    }

    /// The point after everything that is enqueued so far; never waits.
    ///
    /// # Errors
    /// The driver's.
    pub fn record(&self) -> Result<Event> {
        // SAFETY: a live handle.
        Event::make("Stream::record", |out| unsafe { sys::merklize_stream_record(self.as_c(), out) })
    }

    /// Commands enqueued from now on begin after the event. The host does not wait.
    ///
    /// # Errors
    /// An event of another device.
    pub fn wait(&self, event: &Event) -> Result<()> {
        // SAFETY: live handles.
        check("Stream::wait", || unsafe { sys::merklize_stream_wait(self.as_c(), event.as_c()) })
    }
}

handle! {
    /// A point in the order of a queue. It needs its stream no longer. Any number of threads may use one at once.
    Event: merklize_event, merklize_event_free
}
// SAFETY: merklize.h, "Threads".
unsafe impl Send for Event {}
unsafe impl Sync for Event {}

impl Event {
    /// Waits on the host until the point is reached.
    ///
    /// # Errors
    /// Those of the commands before the point; a word of the input that is not below the modulus of a field hash.
    pub fn wait(&self) -> Result<()> {
        // SAFETY: a live handle.
        check("Event::wait", || unsafe { sys::merklize_event_wait(self.as_c()) })
    }

    /// True if the point is reached; never waits.
    ///
    /// # Errors
    /// As [`Event::wait`].
    pub fn is_reached(&self) -> Result<bool> {
        let mut reached = 0;
        // SAFETY: a live handle and a place for the answer.
        check("Event::is_reached", || unsafe { sys::merklize_event_query(self.as_c(), &mut reached) })?;
        Ok(reached != 0)
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.len())
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream")
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Event")
    }
}
