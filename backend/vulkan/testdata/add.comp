#version 450
// sum[i] = a[i] + b[i], in the interface of kernel.Def.Shader.
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Constants {
	uint n;
	float zero;
	uint first;
};
layout(std430, set = 0, binding = 0) readonly buffer A { int a[]; };
layout(std430, set = 0, binding = 1) readonly buffer B { int b[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Sum { int sum[]; };

void main() {
	uint i = first + (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
	if (i < n) {
		sum[i] = a[i] + b[i];
	}
}
