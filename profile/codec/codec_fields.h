// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/codec/codec_internal.h"
#include "profile/model/profile.h"

/// The JSON keys of a profile, in file order. Each is named once, for both reading and writing.
/// Internal to profile/.
namespace roofscope {

// `record`: a RecordReader or a RecordWriter.

/// The fields before FurtherReading, which is a list.
void captureFields(auto record, auto& capture) {
    record("tool", capture.tool);
    record("tool_version", capture.toolVersion);
    record("created_utc", capture.createdUtc);
    record("origin", capture.origin);
    record("strategy", capture.strategy);
    record("groups", capture.groups);
    record.ifAny("counters", capture.counters);
    record.ifAny("filters", capture.filters);
    record("per_kernel", capture.perKernel);
    record("passes", capture.passes);
    record.ifAny("timing_runs", capture.timingRuns);
}

/// The fields after FurtherReading.
void captureEndFields(auto record, auto& capture) {
    record("cache_control", capture.cacheControl);
    record("clock_control", capture.clockControl);
    record("command", capture.command);
    record.ifAny("tool_command", capture.toolCommand);
    record("exit_code", capture.exitCode);
    record("term_signal", capture.termSignal);
}

/// The fields of Snap.
void snapFields(auto record, auto& snap) {
    record("steps", snap.steps);
    record("recorded_ns", snap.recorded);
    record("process_age_ns", snap.age);
    record.ifAny("ended_early", snap.endedEarly);
}

/// All fields except the timeline parts, the clock zero, the run and the samples.
void processFields(auto record, auto& process) {
    record("pid", process.pid);
    record("host", process.host);
    record("rank", process.rank);
    record("local_rank", process.localRank);
    record("world_size", process.worldSize);
    record("cupti_path", process.cuptiPath);
    record("cupti_version", process.cuptiVersion);
    record("driver_version", process.driverVersion);
    record("launches_seen", process.launchesSeen);
    record("launches_autotuning", process.autotuningLaunches);
    record("launches_not_chosen", process.unchosenLaunches);
    record("ended_cleanly", process.endedCleanly);
    record("traced_launch_ns", process.tracedLaunch);
    record("pinned_bytes", process.pinnedBytes);
}

/// A moment that is not known has no key.
void runFields(auto record, auto& run) {
    record("start_ns", run.time.start);
    record("end_ns", run.time.end);
    record("setup_start_ns", run.setup.start);
    record("setup_end_ns", run.setup.end);
    record("first_context_ns", run.firstContext);
    record("first_launch_ns", run.firstLaunch);
    record("counted_until_ns", run.countedUntil);
}

/// All fields except name and kind; the kind decides the suffix of the other keys.
void ceilingFields(auto record, auto& ceiling) {
    const std::string suffix = rateSuffix(ceiling.kind);
    record("burst" + suffix, ceiling.burst);
    record("burst_median" + suffix, ceiling.burstMedian);
    record("sustained" + suffix, ceiling.sustained);
    record("spread_ratio", ceiling.spread);
    record("theoretical" + suffix, ceiling.theoretical);
    record("buffer_bytes", ceiling.bufferBytes);
    record("method", ceiling.method);
    record("measured_utc", ceiling.measuredUtc);
    record("sustained_sm_clock_hz", ceiling.sustainedSmClock);
    record("throttled", ceiling.throttled);
    record.ifAny("throttle_reasons", ceiling.throttleReasons);
}

void observedFields(auto record, auto& observed) {
    record("samples", observed.samples);
    record("sm_clock_lowest_hz", observed.smLowest);
    record("sm_clock_highest_hz", observed.smHighest);
    record("memory_clock_lowest_hz", observed.memoryLowest);
    record("memory_clock_highest_hz", observed.memoryHighest);
    record("throttled_samples", observed.throttledSamples);
    record.ifAny("throttled_by", observed.throttledBy);
    record("temperature_highest_c", observed.temperatureHighestC);
    record("power_highest_w", observed.powerHighestW);
}

void deviceNames(auto record, auto& device) {
    record("name", device.name);
    record.ifAny("uuid", device.uuid);
    record("chip", device.chip);
}

void deviceLimits(auto record, auto& device) {
    record("sm_count", device.smCount);
    record("warp_size", device.warpSize);
    record("max_threads_per_sm", device.maxThreadsPerSm);
    record("max_threads_per_block", device.maxThreadsPerBlock);
    record("max_blocks_per_sm", device.maxBlocksPerSm);
    record("registers_per_sm", device.registersPerSm);
    record("shared_per_sm_bytes", device.sharedPerSmBytes);
    record("shared_per_block_optin_bytes", device.sharedPerBlockOptinBytes);
    record("shared_reserved_per_block_bytes", device.sharedReservedPerBlockBytes);
    record("l2_bytes", device.l2Bytes);
    record("memory_bytes", device.memoryBytes);
    record("sm_clock_max_hz", device.smClockMax);
    record("memory_clock_max_hz", device.memoryClockMax);
}

void kernelFields(auto record, auto& kernel) {
    record("name", kernel.name);
    record("symbol", kernel.symbol);
    record("registers_per_thread", kernel.registersPerThread);
    record("static_shared_bytes", kernel.staticSharedBytes);
    record("local_bytes_per_thread", kernel.localBytesPerThread);
    record("max_threads_per_block", kernel.maxThreadsPerBlock);
    record("ptx_version", kernel.ptxVersion);
    record("binary_version", kernel.binaryVersion);
}

/// All fields except the severity.
void issueFields(auto record, auto& issue) {
    record("source", issue.source);
    record("code", issue.code);
    record("message", issue.message);
    record("advice", issue.advice);
}

/// The fields before the instructions, which are a table.
void sourceFields(auto record, auto& source) {
    record("kernel", source.kernel);
    record("launch", source.launch);
    record("files", source.files);
}

void sourceTextFields(auto record, auto& text) {
    record("file", text.file);
    record("first_line", text.firstLine);
    record("lines", text.lines);
}

void overTimeFields(auto record, auto& trace) {
    record("kernel", trace.kernel);
    record("launch", trace.launch);
}

// `table`: a TableReader or a TableWriter.

void launchColumns(auto& table) {
    table.first("kernel", &Launch::kernel);
    table.column("device", &Launch::device);
    table.column("process", &Launch::process);
    table.column("stream", &Launch::stream);
    table.extents("grid", &Launch::grid);
    table.extents("block", &Launch::block);
    table.extents("cluster", &Launch::cluster);
    table.column("dynamic_shared_bytes", &Launch::dynamicSharedBytes);
    table.column("resident_blocks_per_sm", &Launch::residentBlocksPerSm);
    table.column("range", &Launch::range);
    table.nanoseconds("duration_ns", &Launch::duration);
    table.nanoseconds("start_ns", &Launch::start);
    table.flag("from_graph", &Launch::fromGraph);
    table.flagIfAny("after_sync", &Launch::afterSync);
    table.column("arguments", &Launch::arguments);
    table.column("declared_bytes", &Launch::declaredBytes);
}

void bufferColumns(auto& table) {
    table.first("bytes", &Buffer::bytes);
    table.column("allocation", &Buffer::allocation);
    table.column("offset_bytes", &Buffer::offsetBytes);
}

void rangeMeasurementColumns(auto& table) {
    table.first("range", &RangeMeasurement::range);
    table.column("process", &RangeMeasurement::process);
    table.column("device", &RangeMeasurement::device);
    table.column("ordinal", &RangeMeasurement::ordinal);
    table.column("depth", &RangeMeasurement::depth);
    table.column("launches", &RangeMeasurement::launches);
    table.column("work", &RangeMeasurement::work);
    table.nanoseconds("duration_ns", &RangeMeasurement::duration);
    table.nanoseconds("busy_ns", &RangeMeasurement::busy);
}

void instructionColumns(auto& table) {
    table.first("offset", &Instruction::offset);
    table.column("file", &Instruction::file);
    table.column("line", &Instruction::line);
}

}  // namespace roofscope
