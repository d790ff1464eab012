// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/measuring/capture_measurement.h"

#include <utility>

namespace roofscope::inject {
namespace {

constexpr LaunchMeasurement::Demands kCapture{.signatures = true, .symbols = true, .code = true};

}  // namespace

CaptureMeasurement::CaptureMeasurement(const MeasurementParts& parts, const CaptureMode& mode)
    : LaunchMeasurement(kCapture), m_parts(parts), m_mode(mode), m_capture(parts.driver, mode) {}

Choice CaptureMeasurement::choose(std::uint64_t signature) {
    if (m_mode.signature && *m_mode.signature != signature) return {};
    const bool wanted = m_seen++ == m_mode.ordinal;
    return {.recorded = wanted, .counted = wanted};
}

bool CaptureMeasurement::begin(BegunLaunch& launch) {
    if (!launch.anyCounted) return false;
    if (launch.launched.fromGraph) {
        refuse({.what = "the launch comes from a CUDA graph, whose arguments are not known",
                .advice = "run the program without graphs, or choose another launch"});
        return false;
    }
    if (!launch.single()) {
        refuse({.what = "a stream was being captured into a graph, so the GPU could not be asked",
                .advice = "choose another launch"});
        return false;
    }
    const KernelTable::Known* const kernel = launch.open.decisions.front().kernel;
    LaunchRequest request = launch.launched.kernels.front();
    if (!request.cluster && kernel) request.cluster = kernel->cluster;
    const auto begun =
        m_capture.begin(request, kernel ? kernel->symbol : std::string(), launch.context.gpu);
    if (begun) {
        m_open = &launch.open;
    } else {
        m_capture.cancel();
        refuse(begun.error());
    }
    return false;
}

void CaptureMeasurement::end(const EndedLaunch& launch) {
    if (std::exchange(m_open, nullptr) != &launch.open) return;
    if (const auto ended = m_capture.end(); !ended) {
        m_capture.cancel();
        refuse(ended.error());
    }
}

void CaptureMeasurement::cancel(CUcontext) {
    if (!std::exchange(m_open, nullptr)) return;
    m_capture.cancel();
    refuse({.what = "the driver refused the launch"});
}

void CaptureMeasurement::refuse(const Error& error) {
    m_parts.spool.issue(
        {.severity = Severity::Error,
         .source = "inject",
         .code = "capture-refused",
         .message = error.where.empty() ? error.what : error.where + ": " + error.what,
         .advice = error.advice});
}

}  // namespace roofscope::inject
