#version 450
// Which arithmetic the specialisation constants choose: bit 0 native division, bit 1 native square root.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool nativeDivision = true;
layout(constant_id = 2) const bool nativeRoot = true;
layout(push_constant) uniform Constants {
	uint n;
	float zero;
	uint first;
};
layout(std430, set = 0, binding = 0) writeonly buffer Native { uint native[]; };

void main() {
	uint i = first + gl_GlobalInvocationID.x;
	if (i < n) {
		native[i] = (nativeDivision ? 1u : 0u) | (nativeRoot ? 2u : 0u);
	}
}
