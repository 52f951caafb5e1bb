#version 450
// x[i] = the iterations that a loop of `outer` times `inner` iterations makes, in the interface of kernel.Def.Shader.
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Constants {
	uint n;
	float zero;
	uint first;
	int outer;
	int inner;
};
layout(std430, set = 0, binding = 0) buffer X { int x[]; };

void main() {
	uint i = first + (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
	if (i >= n) {
		return;
	}
	int made = 0;
	for (int a = 0; a < outer; a++) {
		for (int b = 0; b < inner; b++) {
			made += (x[i] & 1) + 1;
		}
	}
	x[i] = made;
}
