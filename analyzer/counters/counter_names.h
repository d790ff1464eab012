// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// CUPTI names of the counters that formulas read directly, because they are the same on every chip
/// that has them. Counters that differ by chip come from the chip table (profile/chips/chip.h).
namespace roofscope::counter {

using std::string_view;

inline constexpr string_view kDuration = "gpu__time_duration.sum";  ///< ns
inline constexpr string_view kSmCyclesElapsed = "sm__cycles_elapsed.avg";
inline constexpr string_view kSmCyclesActiveAvg = "sm__cycles_active.avg";
inline constexpr string_view kSmCyclesActiveMax = "sm__cycles_active.max";
inline constexpr string_view kSmCyclesActiveMin = "sm__cycles_active.min";
inline constexpr string_view kSmClock = "sm__cycles_elapsed.avg.per_second";
/// Of the clusters that SMs are in; the same clock as the SMs'.
inline constexpr string_view kGpcClock = "gpc__cycles_elapsed.avg.per_second";
inline constexpr string_view kDramClock = "dram__cycles_elapsed.avg.per_second";

inline constexpr string_view kWarpsActive = "sm__warps_active.avg.per_cycle_active";
inline constexpr string_view kIssueActive = "smsp__issue_active.avg.pct_of_peak_sustained_active";
inline constexpr string_view kTensorPipe =
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
/// The half of the FP32 pipe that also does integer products.
inline constexpr string_view kFmaHeavyPipe =
    "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed";
inline constexpr string_view kIntegerPipe =
    "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed";
inline constexpr string_view kIntegerInstructions = "sm__inst_executed_pipe_alu.sum";
inline constexpr string_view kSpecialFunctionInstructions = "sm__inst_executed_pipe_xu.sum";
inline constexpr string_view kFmaInstructions = "sm__inst_executed_pipe_fma.sum";
inline constexpr string_view kFp64Instructions = "sm__inst_executed_pipe_fp64.sum";
inline constexpr string_view kLsuInstructions = "sm__inst_executed_pipe_lsu.sum";
inline constexpr string_view kSpecialFunctionPipe =
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed";
inline constexpr string_view kLsuPipe =
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed";
inline constexpr string_view kLsuWavefronts = "l1tex__data_pipe_lsu_wavefronts.sum";

inline constexpr string_view kGlobalLoadBytes = "smsp__sass_data_bytes_mem_global_op_ld.sum";
inline constexpr string_view kGlobalStoreBytes = "smsp__sass_data_bytes_mem_global_op_st.sum";
inline constexpr string_view kGlobalLoadSectors =
    "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum";
inline constexpr string_view kGlobalStoreSectors =
    "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum";
inline constexpr string_view kGlobalLoads = "smsp__sass_inst_executed_op_global_ld.sum";
inline constexpr string_view kGlobalStores = "smsp__sass_inst_executed_op_global_st.sum";
/// All instructions that access global memory.
inline constexpr string_view kGlobalInstructions = "smsp__sass_inst_executed_op_global.sum";
inline constexpr string_view kAsyncCopies = "smsp__sass_inst_executed_op_ldgsts.sum";
/// 128-byte lines that global accesses touch, one per instruction and line.
inline constexpr string_view kGlobalTags = "smsp__sass_l1tex_tags_mem_global.sum";
inline constexpr string_view kLocalSectors = "smsp__sass_sectors_mem_local.sum";
/// Loads and stores of local memory, as the hardware counts them.
inline constexpr string_view kLocalLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
inline constexpr string_view kLocalStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";
/// All global accesses: loads, stores, atomics, and asynchronous copies (which do not count as
/// loads).
inline constexpr string_view kGlobalBytes = "smsp__sass_data_bytes_mem_global.sum";
inline constexpr string_view kGlobalSectors = "smsp__sass_sectors_mem_global.sum";

/// Cycles in which something arrived at an L2 slice: a request, or sectors to write.
inline constexpr string_view kL2Arrivals = "lts__xbar2lts_cycles_active.sum";
inline constexpr string_view kL2ReadReturns = "lts__lts2xbar_cycles_active.sum";
/// Sectors that the SMs asked of the L2: reads, writes and atomics.
inline constexpr string_view kL2SectorsOfSms = "lts__t_sectors_srcunit_tex.sum";
/// Sectors that the L2 was asked to read, by any unit.
inline constexpr string_view kL2ReadSectors = "lts__t_sectors_op_read.sum";
/// Sectors that the L2 was asked to write, by any unit.
inline constexpr string_view kL2WriteSectors = "lts__t_sectors_op_write.sum";
/// Tag look-ups in the L2: one per line, each for up to four sectors.
inline constexpr string_view kL2TagRequests = "lts__t_tag_requests.sum";
inline constexpr string_view kL2TagUse = "lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed";
inline constexpr string_view kL2Sectors = "lts__t_sectors.sum";
inline constexpr string_view kL2HitRate = "lts__t_sector_hit_rate.pct";

/// Lanes of atomics that the L2 took: one in a cycle, of all slices.
inline constexpr string_view kAtomicCycles = "lts__d_atomic_input_cycles_active.sum";
inline constexpr string_view kAtomicRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum";
/// Atomics that return nothing.
inline constexpr string_view kReductionRequests =
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum";
/// Cycles in which the atomic unit of an L2 slice accepts work, in the busiest and in the average
/// slice; and the elapsed cycles.
inline constexpr string_view kAtomicCyclesMax = "lts__d_atomic_input_cycles_active.max";
inline constexpr string_view kAtomicCyclesAvg = "lts__d_atomic_input_cycles_active.avg";
inline constexpr string_view kL2CyclesMax = "lts__cycles_elapsed.max";

inline constexpr string_view kSharedLoadWavefronts =
    "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
inline constexpr string_view kSharedStoreWavefronts =
    "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
/// Bulk copies (TMA) between L2 and shared memory; counter group "tma", on chips that have them.
inline constexpr string_view kBulkReadBytes = "l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum";
inline constexpr string_view kBulkWriteBytes = "l1tex__m_l1tex2xbar_write_bytes_pipe_tma.sum";
/// Operations of the tensor cores in FP64 (group tensor).
inline constexpr string_view kTensorFp64 = "sm__ops_path_tensor_src_fp64.sum";
/// All wavefronts of shared memory, those of atomics and matrix loads included.
inline constexpr string_view kSharedWavefronts =
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum";
inline constexpr string_view kSharedInstructions = "smsp__sass_inst_executed_op_shared.sum";
/// Counted in another pass than kWarpInstructions.
inline constexpr string_view kWarpInstructionsAgain = "smsp__inst_executed.sum";
/// wgmma with at least one operand in shared memory; GH100 only.
inline constexpr string_view kSharedGmma = "smsp__sass_inst_executed_op_shared_gmma.sum";
inline constexpr string_view kSharedLoads = "smsp__sass_inst_executed_op_shared_ld.sum";
inline constexpr string_view kSharedStores = "smsp__sass_inst_executed_op_shared_st.sum";
inline constexpr string_view kSharedLoadBytes = "smsp__sass_data_bytes_mem_shared_op_ld.sum";
inline constexpr string_view kSharedStoreBytes = "smsp__sass_data_bytes_mem_shared_op_st.sum";

/// Nsight Compute's source counters: wavefronts of all shared-memory instructions, and how many
/// there would be without conflicts, computed from the addresses of each instruction.
inline constexpr string_view kSourceWavefronts = "memory_l1_wavefronts_shared";
inline constexpr string_view kSourceWavefrontsIdeal = "memory_l1_wavefronts_shared_ideal";

/// Counters per instruction (Profile::sources). Their names have no roll-up suffix.
inline constexpr string_view kSassExecuted = "smsp__sass_inst_executed";  ///< warps
inline constexpr string_view kSassThreads = "smsp__sass_thread_inst_executed_pred_on";
inline constexpr string_view kSassGlobalSectors = "smsp__sass_sectors_mem_global";
inline constexpr string_view kSassGlobalSectorsIdeal = "smsp__sass_sectors_mem_global_ideal";
inline constexpr string_view kSassLocalSectors = "smsp__sass_sectors_mem_local";
inline constexpr string_view kSassSharedWavefronts =
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared";
inline constexpr string_view kSassSharedWavefrontsIdeal =
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal";

/// Counters of Profile::overTime, counted in every interval.
inline constexpr string_view kDramReadBytes = "dram__bytes_read.sum";
inline constexpr string_view kDramWriteBytes = "dram__bytes_write.sum";
inline constexpr string_view kSmCyclesElapsedMax = "sm__cycles_elapsed.max";
inline constexpr string_view kSmInstructions = "sm__inst_executed.sum";

inline constexpr string_view kWidth8 = "smsp__sass_inst_executed_op_memory_8b.sum";
inline constexpr string_view kWidth16 = "smsp__sass_inst_executed_op_memory_16b.sum";
inline constexpr string_view kWidth32 = "smsp__sass_inst_executed_op_memory_32b.sum";
inline constexpr string_view kWidth64 = "smsp__sass_inst_executed_op_memory_64b.sum";
inline constexpr string_view kWidth128 = "smsp__sass_inst_executed_op_memory_128b.sum";

inline constexpr string_view kWarpInstructions = "smsp__sass_inst_executed.sum";
inline constexpr string_view kThreadInstructions = "smsp__sass_thread_inst_executed.sum";
inline constexpr string_view kThreadInstructionsOn = "smsp__sass_thread_inst_executed_pred_on.sum";

inline constexpr string_view kFp32Add = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";
inline constexpr string_view kFp32Mul = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum";
inline constexpr string_view kFp32Fma = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
inline constexpr string_view kFp64Add = "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum";
inline constexpr string_view kFp64Mul = "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum";
inline constexpr string_view kFp64Fma = "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum";
/// Peak thread instructions per cycle of the whole GPU; constants of the chip.
inline constexpr string_view kFp32Peak =
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained";
inline constexpr string_view kFp64Peak =
    "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained";
inline constexpr string_view kFp16Add = "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum";
inline constexpr string_view kFp16Mul = "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum";
inline constexpr string_view kFp16Fma = "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum";

}  // namespace roofscope::counter
