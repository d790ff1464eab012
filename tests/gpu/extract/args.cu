__global__ void slow_scale(const float* in, float* out) { out[0] = 1; }
