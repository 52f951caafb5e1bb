package main

// rule is one rule of the kernel language.
type rule struct{ name, text string }

// rules are the rules by the names that refusals have, for the help text.
var rules = []rule{
	{"assignment", "variables, elements and fields are assigned; the index of a kernel and g.ID are not"},
	{"branch", "break and continue leave the innermost loop; there are no labels and no goto"},
	{"builtin", "int32(len(x)), and min and max of integers, are all of the builtin functions"},
	{"call", "calls are of declared functions and value methods with known source, outside the standard library; " +
		"several results are assigned to variables"},
	{"closure", "functions are declared and called, and are no values"},
	{"comparison", "numbers and bools are compared"},
	{"conversion", "int32, uint32 and float32 are converted to; a float becomes an integer by kernel.ToInt32"},
	{"directive", "//kernel:thread or //kernel:group lanes=N, and perhaps //kernel:iterations N, //kernel:scalar and " +
		"//kernel:unproven, in the doc comment of a function"},
	{"effect", "a call that writes a slice is a statement, or the whole right side of an assignment to variables"},
	{"expression", "literals, variables, elements, fields, operators, calls and struct literals"},
	{"group", "g.ID and range g.Each(n) are the only uses of a group"},
	{"group-scope", "code outside of phases writes no memory; range g.Each(1) is a phase of one item"},
	{"helper", "helpers have a body, fixed types and a fixed number of parameters"},
	{"kernel", "a kernel is an unexported function without results; its index or group comes first, then slices of " +
		"numbers and vectors, and scalars"},
	{"limit", "32 KiB of shared arrays, 16 slices, 29 scalars, 128 KiB of SPIR-V, 200 expressions and statements in " +
		"each other; a warning for functions past 5000 nodes, where Go stops inlining"},
	{"list", "slices are parameters; slices and arrays are indexed by int32 and passed on as x[:], and are no values"},
	{"literal", "literals and constants are numbers and bools"},
	{"load", "the go command can load the package"},
	{"loop", "for, and range over an int32; a loop around phases has a header of variables only"},
	{"name", "the names of what is generated are left free: Relax, RelaxArgs, RelaxDef, relaxGo and relaxTwin for a " +
		"kernel relax, Defs, kernelModule and kernelPTX, and kernel, twin, exec, math and shaders; kernels have " +
		"names of at most 100 bytes that CUDA C tells apart"},
	{"phase", "for i := range g.Each(n) at group scope; inside, no phase, return or break of the phase, and no " +
		"assignment to the group's variables"},
	{"pointer", "there are no pointers"},
	{"product", "a float product stands in float32(x * y), or is an operand of *, / or a comparison, so that nothing " +
		"fuses it with a sum"},
	{"race", "in a phase, an item alone touches what it writes: its own element or row, or the other half of a " +
		"double buffer"},
	{"recursion", "no function calls itself, directly or not"},
	{"shared", "arrays of a group are declared in the outermost block of the kernel, without values; they are zero " +
		"at the start"},
	{"shift", "a shift count is a constant from 0 to 31, or masked: x << (n & 31)"},
	{"statement", "assignments, declarations of variables and constants, if, for, switch, return and calls"},
	{"switch", "on an integer with constant cases, or without a tag and then without break; no fallthrough"},
	{"syntax", "the source is Go"},
	{"tool", "the compilers accept what is made of the source; what else they say is a mistake of kernelgen's, or of " +
		"the machine's"},
	{"twin", "what kernels use of another package is exported, constants apart"},
	{"type", "bool, int32, uint32, float32, structs of them, and fixed arrays of up to two dimensions"},
	{"variable", "package-level constants and types are used, variables are not"},
	{"zero", "no +0.0, 0.0-x or x*0.0: some compilers fold them and lose the sign of zero"},
}
