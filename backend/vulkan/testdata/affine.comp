#version 450
// x[i] = factor*x[i] + term, in the interface of kernel.Def.Shader.
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Constants {
	uint n;
	float zero;
	uint first;
	int factor;
	int term;
};
layout(std430, set = 0, binding = 0) buffer X { int x[]; };

void main() {
	uint i = first + (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
	if (i < n) {
		x[i] = factor * x[i] + term;
	}
}
