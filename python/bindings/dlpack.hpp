#pragma once

#include <cstdint>

/// The structures in the capsules of __dlpack__, laid out as DLPack's specification says.
namespace merklize::binding::dlpack {

enum DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

struct Device {
    std::int32_t type;
    std::int32_t id;
};

enum TypeCode : std::uint8_t {
    type_int = 0,
    type_uint = 1,
    type_float = 2,
    type_opaque = 3,
    type_bfloat = 4,
    type_complex = 5,
    type_bool = 6
};

struct DataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;

    bool operator==(const DataType&) const = default;
};

struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;  ///< in items; null: C order
    std::uint64_t byte_offset;
};

struct Version {
    std::uint32_t major;
    std::uint32_t minor;
};

/// Before version 1. Capsules are named "dltensor", and "used_dltensor" once a consumer has taken the tensor.
struct Managed {
    static constexpr const char* name = "dltensor";
    static constexpr const char* used_name = "used_dltensor";

    Tensor tensor;
    void* context;
    void (*deleter)(Managed*);
};

/// Since version 1. The fields up to `deleter` have the same places in every version.
struct ManagedVersioned {
    static constexpr const char* name = "dltensor_versioned";
    static constexpr const char* used_name = "used_dltensor_versioned";
    static constexpr std::uint64_t read_only = 1, is_copied = 2;

    Version version;
    void* context;
    void (*deleter)(ManagedVersioned*);
    std::uint64_t flags;
    Tensor tensor;
};

/// Since version 1.3: functions that the type of an array has in the capsule `attribute`, beside the method __dlpack__.
/// They order no streams, so the producer's work on its current stream may still run. They return 0, or -1 with
/// Python's error set.
struct ExchangeApi {
    static constexpr const char* attribute = "__dlpack_c_exchange_api__";
    static constexpr const char* name = "dlpack_exchange_api";

    Version version;
    ExchangeApi* previous;  ///< a table of an older major version, or null
    int (*allocate)(Tensor*, ManagedVersioned**, void*, void (*)(void*, const char*, const char*));
    int (*from_object)(void*, ManagedVersioned**);
    int (*to_object)(ManagedVersioned*, void**);
    int (*borrow_from_object)(void*, Tensor*);  ///< may be null
    int (*current_stream)(DeviceType, std::int32_t, void**);
};

}  // namespace merklize::binding::dlpack
