// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/codec/codec.h"
#include "profile/codec/codec_internal.h"
#include "profile/codec/json_cursor.h"
#include "profile/codec/json_writer.h"
#include "profile/model/cpu_samples.h"

/// Process::cpuSamples ↔ JSON. Internal to profile/.
namespace roofscope {

void writeCpuSamples(json::Writer& writer, const CpuSamples& samples);
/// Throws json::BadValue.
[[nodiscard]] CpuSamples readCpuSamples(const json::Cursor& at, const ReadLimits& limits);

/// The first fault in the samples of a process.
[[nodiscard]] Problem cpuSamplesProblem(const CpuSamples& samples, std::uint32_t process,
                                        const Timeline& timeline);

}  // namespace roofscope
