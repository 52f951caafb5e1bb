#version 450
// Opens a conditional: it is taken if the flag is not zero and the enclosing conditional is taken. The workgroup counts
// of its n dispatches are those of the table, fewer if the bound limits the items, or zero if it is not taken.
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Constants {
	uint n;
	float zero;
	uint flagOffset; // words
	uint hasParent;
	uint boundOffset; // words
};
layout(std430, set = 0, binding = 0) readonly buffer Flag { uint flag[]; };
layout(std430, set = 0, binding = 1) readonly buffer Parent { uint parent[]; }; // word 0: whether it is taken
// For each dispatch: x, y, items per workgroup or 0, and the workgroups of the launch in earlier dispatches.
layout(std430, set = 0, binding = 2) readonly buffer Table { uint table[]; };
// Whether it is taken, then x, y and z of each dispatch.
layout(std430, set = 0, binding = 3) writeonly buffer Gate { uint gate[]; };
layout(std430, set = 0, binding = 4) readonly buffer Bound { int bound[]; };

const uint maxGroups = 65535; // in one dimension

void main() {
	uint i = (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
	bool holds = flag[flagOffset] != 0u;
	if (hasParent != 0u) {
		holds = holds && parent[0] != 0u;
	}
	if (i == 0) {
		gate[0] = holds ? 1u : 0u;
	}
	if (i >= n) {
		return;
	}
	uint x = table[4 * i], y = table[4 * i + 1], perGroup = table[4 * i + 2], before = table[4 * i + 3];
	if (perGroup != 0u) {
		uint items = uint(max(bound[boundOffset], 0));
		uint needed = items / perGroup + (items % perGroup != 0u ? 1u : 0u);
		uint groups = min(x * y, needed - min(needed, before));
		y = (groups + maxGroups - 1u) / maxGroups;
		x = y != 0u ? (groups + y - 1u) / y : 0u;
	}
	gate[1 + 3 * i] = holds ? x : 0u;
	gate[2 + 3 * i] = holds ? y : 0u;
	gate[3 + 3 * i] = holds ? 1u : 0u;
}
