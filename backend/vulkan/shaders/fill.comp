#version 450
// Writes a pattern to n words, for fills inside conditionals.
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Constants {
	uint n;
	float zero;
	uint offset; // words
	uint pattern;
};
layout(std430, set = 0, binding = 0) writeonly buffer Destination { uint destination[]; };

void main() {
	uint i = (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
	if (i < n) {
		destination[offset + i] = pattern;
	}
}
