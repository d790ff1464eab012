// Another shape: "// roofscope: grid 1 block 1"; options win.
// roofscope: nvcc -std=c++20
// roofscope: grid 64 32 block 256 shared 1024 kernel fan
  // roofscope: cluster 2 type f32 tolerance 1e-3
__global__ void fan(float* a) { a[threadIdx.x] = 0; }
