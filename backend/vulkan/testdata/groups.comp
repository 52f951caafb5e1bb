#version 450
// found[2*group] = the group, found[2*group+1] = the lanes of the workgroup, in the interface of a group kernel.
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Constants {
	uint n;
	float zero;
	uint first;
};
layout(std430, set = 0, binding = 0) writeonly buffer Found { uint found[]; };

void main() {
	uint group = first + gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
	if (group >= n) {
		return;
	}
	if (gl_LocalInvocationID.x == gl_WorkGroupSize.x - 1) {
		found[2 * group] = group;
		found[2 * group + 1] = gl_WorkGroupSize.x;
	}
}
