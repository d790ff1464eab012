// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The counters with known answers, by their CUPTI names.
namespace roofscope::kernels::counter {

/// Bytes requested by global instructions; within one warp instruction a byte counts once.
inline constexpr char kGlobalLoadBytes[] = "smsp__sass_data_bytes_mem_global_op_ld.sum";
inline constexpr char kGlobalStoreBytes[] = "smsp__sass_data_bytes_mem_global_op_st.sum";
/// 32-byte sectors touched by global instructions; within one warp instruction a sector counts
/// once.
inline constexpr char kGlobalLoadSectors[] =
    "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum";
inline constexpr char kGlobalStoreSectors[] =
    "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum";
/// Warp instructions.
inline constexpr char kGlobalLoads[] = "smsp__sass_inst_executed_op_global_ld.sum";
inline constexpr char kGlobalStores[] = "smsp__sass_inst_executed_op_global_st.sum";
inline constexpr char kSharedLoads[] = "smsp__sass_inst_executed_op_shared_ld.sum";
inline constexpr char kSharedStores[] = "smsp__sass_inst_executed_op_shared_st.sum";
/// Passes through the shared-memory banks: 1 per instruction without conflicts (32-bit accesses).
inline constexpr char kSharedLoadWavefronts[] =
    "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
inline constexpr char kSharedStoreWavefronts[] =
    "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
/// Bytes requested by shared loads, each once per warp instruction.
inline constexpr char kSharedLoadBytes[] = "smsp__sass_data_bytes_mem_shared_op_ld.sum";
/// Local memory, loads and stores together. A local address counts once per warp instruction: 1/32
/// of the bytes that move if all lanes access the same element. Generic accesses to another block's
/// shared memory count here as well.
inline constexpr char kLocalBytes[] = "smsp__sass_data_bytes_mem_local.sum";
inline constexpr char kLocalSectors[] = "smsp__sass_sectors_mem_local.sum";
inline constexpr char kDramReadBytes[] = "dram__bytes_read.sum";
inline constexpr char kDramWriteBytes[] = "dram__bytes_write.sum";
/// Threads that executed an fp32 add, multiply, fused multiply-add.
inline constexpr char kFp32Add[] = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";
inline constexpr char kFp32Mul[] = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum";
inline constexpr char kFp32Fma[] = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
/// The same in fp64.
inline constexpr char kFp64Add[] = "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum";
inline constexpr char kFp64Mul[] = "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum";
inline constexpr char kFp64Fma[] = "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum";
/// Threads that executed a packed fp16 fused multiply-add, which is two fused multiply-adds.
/// Compilers also use the instruction to move constants, which counts as well.
inline constexpr char kFp16Fma[] = "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum";

}  // namespace roofscope::kernels::counter
