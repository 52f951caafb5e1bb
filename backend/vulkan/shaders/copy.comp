#version 450
// Copies n words, the last of them under a mask. Copies inside conditionals use it, because transfer commands would not
// be skipped there, and so do views whose alignment cannot be bound.
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Constants {
	uint n;
	float zero;
	uint sourceOffset;      // words
	uint destinationOffset; // words
	uint lastMask;          // bits of the last word to copy
};
layout(std430, set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(std430, set = 0, binding = 1) buffer Destination { uint destination[]; };

void main() {
	uint i = (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
	if (i >= n) {
		return;
	}
	uint word = source[sourceOffset + i];
	if (i == n - 1 && lastMask != 0xffffffffu) {
		word = (word & lastMask) | (destination[destinationOffset + i] & ~lastMask);
	}
	destination[destinationOffset + i] = word;
}
