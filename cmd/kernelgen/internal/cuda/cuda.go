// Package cuda writes kernels as CUDA C, which is also C++ for the host, and checks the PTX that a compiler makes of it.
package cuda

import (
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// Text is the CUDA C of a package.
type Text struct {
	Code    string
	Entries []Entry
	Sources map[*source.Function]bool // what it came from
}

// Entry is a kernel in the CUDA C.
type Entry struct {
	Name        string
	LocalArrays bool // its items have arrays of their own
}

// Package returns the CUDA C of a package's kernels.
func Package(program *source.Program, p *source.Package, analysis *access.Analysis) (*Text, error) {
	unit := clike.New(clike.CUDA, program, analysis)
	text := &Text{Sources: unit.Sources}
	var entries strings.Builder
	for _, k := range p.Kernels {
		added := unit.Add(k)
		writeEntry(&entries, k, added)
		text.Entries = append(text.Entries, Entry{Name: EntryName(k), LocalArrays: added.LocalArrays})
	}
	if problems := unit.Problems(); len(problems) > 0 {
		return nil, problems
	}
	var w strings.Builder
	fmt.Fprintf(&w, "%s\n\n// The kernels of package %s.\n\n%s\n", source.Header, p.Types.Path(), prelude)
	for _, definition := range unit.Structs {
		w.WriteString(definition + "\n")
	}
	for _, definition := range unit.Functions {
		w.WriteString(definition + "\n")
	}
	w.WriteString(entries.String())
	text.Code = w.String()
	return text, nil
}

// EntryName returns the name of a kernel in its module.
func EntryName(k *source.Kernel) string { return "k_" + clike.Identifier(k.Object.Name()) }

// threadBlock is the largest block of a thread kernel.
const threadBlock = 1024

func writeEntry(w *strings.Builder, k *source.Kernel, added clike.Kernel) {
	name := EntryName(k)
	block := int32(threadBlock)
	if k.Group {
		block = k.Lanes
	}
	header, arguments := append([]string{"int kg_n"}, added.Header...), []string{"(int)kg_i"}
	for i, param := range k.Params {
		arguments = append(arguments, added.Params[i])
		if param.Buffer {
			arguments = append(arguments, added.Lengths[i])
		}
	}
	fmt.Fprintf(w, "KG_ENTRY(%d) void %s(%s) {\n", block, name, strings.Join(header, ", "))
	if k.Group {
		w.WriteString("\tfor (unsigned kg_i = KG_BLOCK; kg_i < (unsigned)kg_n; kg_i += KG_BLOCKS) {\n")
	} else {
		w.WriteString("\tfor (unsigned kg_i = KG_BLOCK * KG_LANES + KG_LANE; kg_i < (unsigned)kg_n; kg_i += KG_BLOCKS * KG_LANES) {\n")
	}
	fmt.Fprintf(w, "\t\t%s(%s);\n", added.Function, strings.Join(arguments, ", "))
	if k.Group {
		w.WriteString("\t\tKG_BARRIER();\n")
	}
	w.WriteString("\t}\n}\n\n")

	fmt.Fprintf(w, "#ifdef KG_HOST\nextern \"C\" void %s_host(int kg_first, void **kg_arguments) {\n\tkg_block = kg_first;\n\t%s(", name, name)
	for i, declaration := range header {
		if i > 0 {
			w.WriteString(", ")
		}
		kind, pointer := declaration[:strings.LastIndex(declaration, " ")], ""
		if strings.Contains(declaration, "*") {
			pointer = "*"
		}
		fmt.Fprintf(w, "*(%s %s*)kg_arguments[%d]", kind, pointer, i)
	}
	w.WriteString(");\n}\n#endif\n\n")
}
