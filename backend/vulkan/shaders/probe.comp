#version 450
// Runs float operations that a device may round incorrectly; probe.go runs the same in Go.
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Constants {
	uint n;
	float zero;
};
layout(std430, set = 0, binding = 0) readonly buffer Inputs { uint inputs[]; };    // x, y, z of each case
layout(std430, set = 0, binding = 1) writeonly buffer Results { uint results[]; }; // ten of each case

void main() {
	uint i = (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
	if (i >= n) {
		return;
	}
	float x = uintBitsToFloat(inputs[3 * i]);
	float y = uintBitsToFloat(inputs[3 * i + 1]);
	float z = uintBitsToFloat(inputs[3 * i + 2]);
	precise float sum = x + y;
	precise float difference = x - y;
	precise float product = x * y;
	precise float quotient = x / y;
	precise float root = sqrt(x);
	precise float fused = product + z;
	precise float lost = y - (sum - x); // 0 if a compiler assumes real numbers
	precise float negated = zero - x;   // +0 for +0
	uint comparisons = (x < y ? 1u : 0u) | (x <= y ? 2u : 0u) | (x == y ? 4u : 0u) | (x != x ? 8u : 0u) |
		(negated == zero ? 16u : 0u) | (x > y ? 32u : 0u) | (x >= y ? 64u : 0u) | (x != y ? 128u : 0u) |
		(!(x < y) ? 256u : 0u) | (!(x <= y) ? 512u : 0u); // a NaN makes these true
	results[10 * i] = floatBitsToUint(sum);
	results[10 * i + 1] = floatBitsToUint(difference);
	results[10 * i + 2] = floatBitsToUint(product);
	results[10 * i + 3] = floatBitsToUint(fused);
	results[10 * i + 4] = floatBitsToUint(lost);
	results[10 * i + 5] = comparisons;
	results[10 * i + 6] = floatBitsToUint(float(int(inputs[3 * i])));
	results[10 * i + 7] = abs(x) < 2147483648.0 ? uint(int(x)) : 0u;
	results[10 * i + 8] = floatBitsToUint(quotient);
	results[10 * i + 9] = floatBitsToUint(root);
}
