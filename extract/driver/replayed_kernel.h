// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "collector/capture/cubin_symbols.h"
#include "extract/driver/cuda_driver.h"
#include "extract/driver/launch_description.h"

namespace roofscope::replay {

/// Thrown if a candidate does not fit the captured arguments. Its result is not wrong: there is
/// none to compare.
struct NotComparable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Thrown if a Python candidate raises an exception.
struct CandidateRaised : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class ReplayedKernel;
/// Runs a Python candidate's launches on a stream. Throws CandidateRaised.
using Launcher = std::function<void(const ReplayedKernel& candidate, Handle stream)>;

/// How a kernel is launched. A candidate may use another shape than the original.
struct LaunchShape {
    Shape grid{}, block{};
    std::optional<Shape> cluster;
    unsigned dynamicSharedBytes = 0;
    bool cooperative = false;
};

/// A loaded kernel with the arguments of the captured launch.
class ReplayedKernel {
public:
    /// The original: the kernel from the first module in which its code size is that of the
    /// captured one.
    static ReplayedKernel original(const CudaDriver& driver, const LaunchDescription& launch,
                                   const std::string& folder) {
        for (const std::string& file : launch.modules) {
            ReplayedKernel kernel(driver, launch, contents(folder + "/" + file));
            kernel.use(launch.symbol);
            if (kernel.isAsLargeAs(launch)) return kernel;
            driver.unloadModule(kernel.m_module);
        }
        throw std::runtime_error("no module holds the kernel as it was captured");
    }

    /// A candidate: the kernel with the same symbol, or else the one whose name contains `wanted`,
    /// or else the only one. Throws NotComparable if its parameters differ.
    static ReplayedKernel candidate(const CudaDriver& driver, const LaunchDescription& launch,
                                    const std::string& file, const std::string& wanted,
                                    const LaunchShape& shape) {
        ReplayedKernel kernel(driver, launch, contents(file));
        const std::vector<std::string>& kernels = kernel.m_symbols.kernels;
        std::vector<std::string> found;
        for (const std::string& symbol : kernels)
            if (wanted.empty() ? symbol == launch.symbol : symbol.find(wanted) != symbol.npos)
                found.push_back(symbol);
        if (found.empty() && wanted.empty()) found = kernels;
        if (found.size() != 1)
            throw NotComparable(found.empty() ? "the candidate has no such kernel"
                                              : "the candidate has several kernels: name one with "
                                                "a line \"// roofscope: kernel NAME\"");
        kernel.use(found.front());
        kernel.requireSameParameters();
        kernel.m_shape = shape;
        kernel.allowDynamicShared();
        return kernel;
    }

    /// A candidate that is a function and not a kernel. It uses the original's variables.
    static ReplayedKernel function(ReplayedKernel original, Launcher launcher) {
        original.m_launcher = std::move(launcher);
        return original;
    }
    [[nodiscard]] bool isFunction() const { return static_cast<bool>(m_launcher); }

    [[nodiscard]] const std::string& symbol() const { return m_symbol; }
    [[nodiscard]] const LaunchShape& shape() const { return m_shape; }
    [[nodiscard]] int attribute(int which) const {
        int value = 0;
        m_driver->functionAttribute(&value, which, m_function);
        return value;
    }

    /// The address of a captured variable; nullopt if the module has none with this name and size.
    [[nodiscard]] std::optional<DevicePointer> variable(const LaunchDescription::Region& r) const {
        DevicePointer address = 0;
        std::size_t bytes = 0;
        if (m_driver->global(&address, &bytes, m_module, r.variable.c_str()) != 0 ||
            bytes != r.bytes)
            return {};
        return address;
    }

    /// Resets the variables that were not captured to their values after loading. A candidate must
    /// not keep results from one run for the next.
    void resetOwnVariables() const {
        for (const OwnVariable& v : m_own)
            m_driver->check(m_driver->toDevice(v.address, v.initial.data(), v.initial.size()),
                            "resetting a variable");
    }

    void launch(Handle stream) const {
        if (m_launcher) return m_launcher(*this, stream);
        std::vector<void*> arguments;
        for (const auto& p : m_launch->parameters)
            arguments.push_back(const_cast<unsigned char*>(p.bytes.data()));
        LaunchAttribute attributes[2];
        LaunchConfig config{};
        std::copy(m_shape.grid.begin(), m_shape.grid.end(), config.grid);
        std::copy(m_shape.block.begin(), m_shape.block.end(), config.block);
        config.sharedBytes = m_shape.dynamicSharedBytes;
        config.stream = stream;
        config.attributes = attributes;
        if (m_shape.cooperative) {
            LaunchAttribute& attribute = attributes[config.attributeCount++];
            attribute = {};
            attribute.id = kAttributeCooperative;
            attribute.flag = 1;
        }
        if (m_shape.cluster) {
            LaunchAttribute& attribute = attributes[config.attributeCount++];
            attribute = {};
            attribute.id = kAttributeCluster;
            std::copy(m_shape.cluster->begin(), m_shape.cluster->end(), attribute.shape);
        }
        m_driver->check(m_driver->launch(&config, m_function, arguments.data(), nullptr),
                        "launching the kernel");
    }

private:
    struct OwnVariable {
        DevicePointer address = 0;
        std::vector<unsigned char> initial;
    };
    /// CUfunction_attribute.
    enum {
        kShared = 1,
        kLocal = 3,
        kRegisters = 4,
        kMaxDynamic = 8,
        kCarveout = 9,
        kNonportableCluster = 14
    };
    static constexpr unsigned kDefaultDynamicShared = 48 * 1024;

    ReplayedKernel(const CudaDriver& driver, const LaunchDescription& launch,
                   const std::vector<unsigned char>& cubin)
        : m_driver(&driver),
          m_launch(&launch),
          m_shape{launch.grid, launch.block, launch.cluster, launch.dynamicSharedBytes,
                  launch.cooperative},
          m_symbols(capture::cubinSymbols(cubin.data(), cubin.size())) {
        driver.check(driver.loadModule(&m_module, cubin.data()), "loading the module");
        for (const std::string& name : m_symbols.variables) {
            const auto isThis = [&](const auto& region) { return region.variable == name; };
            if (std::any_of(launch.regions.begin(), launch.regions.end(), isThis)) continue;
            OwnVariable own;
            std::size_t bytes = 0;
            if (driver.global(&own.address, &bytes, m_module, name.c_str()) != 0) continue;
            own.initial.resize(bytes);
            driver.check(driver.toHost(own.initial.data(), own.address, bytes),
                         "reading a variable");
            m_own.push_back(std::move(own));
        }
    }

    static std::vector<unsigned char> contents(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        std::vector<unsigned char> bytes{std::istreambuf_iterator<char>(file), {}};
        if (bytes.empty()) throw std::runtime_error(path + ": cannot be read");
        // The driver trusts the length in a cubin's header, so check it first.
        const auto symbols = capture::cubinSymbols(bytes.data(), bytes.size());
        if (symbols.kernels.empty()) throw std::runtime_error(path + ": holds no kernel");
        return bytes;
    }

    void use(const std::string& symbol) {
        m_driver->check(m_driver->function(&m_function, m_module, symbol.c_str()),
                        "finding the kernel " + symbol);
        m_symbol = symbol;
        const auto set = [&](int which, const std::optional<int>& value) {
            if (value) m_driver->setFunctionAttribute(m_function, which, *value);
        };
        set(kMaxDynamic, m_launch->maxDynamicSharedBytes);
        set(kCarveout, m_launch->sharedCarveout);
        set(kNonportableCluster, m_launch->nonportableCluster);
    }

    void allowDynamicShared() const {
        if (m_shape.dynamicSharedBytes > kDefaultDynamicShared)
            m_driver->setFunctionAttribute(m_function, kMaxDynamic,
                                           static_cast<int>(m_shape.dynamicSharedBytes));
    }

    [[nodiscard]] bool isAsLargeAs(const LaunchDescription& launch) const {
        const auto same = [&](int which, const std::optional<int>& value) {
            return !value || attribute(which) == *value;
        };
        return same(kRegisters, launch.registers) && same(kShared, launch.staticSharedBytes) &&
               same(kLocal, launch.localBytes);
    }

    void requireSameParameters() const {
        const auto& expected = m_launch->parameters;
        for (std::size_t i = 0; i <= expected.size(); ++i) {
            std::size_t offset = 0, bytes = 0;
            const bool exists = m_driver->parameterInfo(m_function, i, &offset, &bytes) == 0;
            if (i == expected.size()
                    ? exists
                    : !exists || offset != expected[i].offset || bytes != expected[i].bytes.size())
                throw NotComparable(
                    "the candidate's parameters differ from the original's, from "
                    "number " +
                    std::to_string(i) + " on");
        }
    }

    const CudaDriver* m_driver;
    const LaunchDescription* m_launch;
    LaunchShape m_shape;
    capture::CubinSymbols m_symbols;
    std::string m_symbol;
    Handle m_module = nullptr, m_function = nullptr;
    std::vector<OwnVariable> m_own;
    Launcher m_launcher;  ///< set if this is a function
};

}  // namespace roofscope::replay
