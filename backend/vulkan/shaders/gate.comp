#version 450
// Opens a conditional: it holds if the flag is not zero and the enclosing conditional holds. The workgroup counts of its
// n dispatches are those of the table, or zero.
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Constants {
	uint n;
	float zero;
	uint flagOffset; // words
	uint hasParent;
};
layout(std430, set = 0, binding = 0) readonly buffer Flag { uint flag[]; };
layout(std430, set = 0, binding = 1) readonly buffer Parent { uint parent[]; }; // word 0: whether it holds
layout(std430, set = 0, binding = 2) readonly buffer Table { uint table[]; };   // three words for each dispatch
layout(std430, set = 0, binding = 3) writeonly buffer Gate { uint gate[]; };    // whether it holds, then three words for each dispatch

void main() {
	uint i = (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
	bool holds = flag[flagOffset] != 0u;
	if (hasParent != 0u) {
		holds = holds && parent[0] != 0u;
	}
	if (i == 0) {
		gate[0] = holds ? 1u : 0u;
	}
	if (i < n) {
		for (uint k = 0; k < 3; k++) {
			gate[1 + 3 * i + k] = holds ? table[3 * i + k] : 0u;
		}
	}
}
