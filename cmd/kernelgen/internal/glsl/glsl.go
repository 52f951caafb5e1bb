// Package glsl writes kernels as Vulkan compute shaders in GLSL.
package glsl

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

// threadBlock is the default workgroup size of thread kernels.
const threadBlock = 64

// Shader returns the text of a kernel's shader, with the interface that kernel.Def describes, and the functions of the
// source that it came from.
func Shader(
	program *source.Program, k *source.Kernel, analysis *access.Analysis,
) (clike.Text, map[*source.Function]bool, error) {
	unit := clike.New(clike.GLSL, program, analysis)
	added := unit.Add(k)
	if problems := unit.Problems(); len(problems) > 0 {
		return clike.Text{}, nil, problems
	}
	var w clike.Page
	lanes := int32(threadBlock)
	if k.Group {
		lanes = k.Lanes
	}
	fmt.Fprintf(&w, "%s\n\n// %s of package %s.\n#version 450\n\n", source.Header, k.Object.Name(),
		k.Object.Pkg().Path())
	fmt.Fprintf(&w, "layout(local_size_x = %d, local_size_x_id = 0) in;\n", lanes)
	w.WriteString("#define KG_LANE int(gl_LocalInvocationID.x)\n#define KG_LANES int(gl_WorkGroupSize.x)\n")
	w.WriteString("#define KG_BARRIER() groupMemoryBarrier(); barrier()\n\n")
	w.WriteString("layout(push_constant) uniform Constants {\n\tint kg_n;\n" +
		"\tfloat kg_zero; // +0, which no compiler knows\n\tuint kg_first; // item of the dispatch\n")
	for i, param := range k.Params {
		if !param.Buffer {
			fmt.Fprintf(&w, "\t%s %s;\n", scalarTypes[param.Type], added.Params[i])
		}
	}
	w.WriteString("};\n\n")
	for _, text := range unit.Structs {
		w.Add(text)
		w.WriteString("\n")
	}
	buffers(&w, unit, k, added)
	for _, text := range unit.Shared {
		w.Add(text)
	}
	if len(unit.Shared) > 0 {
		w.WriteString("\n")
	}
	for _, text := range prelude(unit.Uses) {
		w.WriteString(text + "\n")
	}
	for _, text := range unit.Functions {
		w.Add(text)
		w.WriteString("\n")
	}
	w.Add(mainFunction(k, added))
	return w.Text(), unit.Sources, nil
}

// buffers declares the slices that a kernel takes.
func buffers(w *clike.Page, unit *clike.Unit, k *source.Kernel, added clike.Kernel) {
	binding := 0
	for i, param := range k.Params {
		if !param.Buffer {
			continue
		}
		element := scalarTypes[param.Type]
		if element == "" {
			slice := param.Object.Type().Underlying().(*types.Slice)
			element = unit.TypeName(slice.Elem())
		}
		w.Add(clike.TextFrom(param.Object.Pos(),
			fmt.Sprintf("layout(std430, set = 0, binding = %d) %sbuffer B%d { %s %s[]; };\n",
				binding, qualifier(k, added.Access[i], added.Rewritten[i]), binding, element, added.Params[i])))
		binding++
	}
	if binding > 0 {
		w.WriteString("\n")
	}
}

var scalarTypes = map[kernel.Type]string{kernel.Int32: "int", kernel.Uint32: "uint", kernel.Float32: "float"}

// qualifier returns what a kernel does with a buffer. The items of a group may read, and write again, what others wrote
// before a barrier.
func qualifier(k *source.Kernel, mode kernel.Access, rewritten bool) string {
	switch {
	case mode&kernel.Write == 0:
		return "readonly "
	case mode == kernel.Write && rewritten:
		return "coherent writeonly "
	case mode == kernel.Write:
		return "writeonly "
	case k.Group:
		return "coherent "
	}
	return ""
}

// mainFunction returns the entry of a shader.
func mainFunction(k *source.Kernel, added clike.Kernel) clike.Text {
	var w strings.Builder
	w.WriteString("void main() {\n\tuint kg_item = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;\n")
	if !k.Group {
		w.WriteString("\tkg_item = kg_item * gl_WorkGroupSize.x + gl_LocalInvocationID.x;\n")
	}
	w.WriteString("\tkg_item += kg_first;\n\tif (kg_item >= uint(kg_n)) {\n\t\treturn;\n\t}\n")
	arguments := []string{"int(kg_item)"}
	for i, param := range k.Params {
		if !param.Buffer {
			arguments = append(arguments, added.Params[i])
		}
	}
	fmt.Fprintf(&w, "\t%s(%s);\n}\n", added.Function, strings.Join(arguments, ", "))
	return clike.TextFrom(k.Declaration.Pos(), w.String())
}
