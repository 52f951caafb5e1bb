// Package cuda writes kernels as CUDA C, which is also C++ for the host, and checks the PTX that a compiler makes of
// it.
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
	clike.Text
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
	entries := map[*source.Kernel]clike.Kernel{}
	for _, k := range p.Kernels {
		added := unit.Add(k)
		entries[k] = added
		text.Entries = append(text.Entries, Entry{Name: EntryName(k), LocalArrays: added.LocalArrays})
	}
	if problems := append(unit.Problems(), sameEntries(program, p)...); len(problems) > 0 {
		return nil, problems
	}
	var w clike.Page
	fmt.Fprintf(&w, "%s\n\n// The kernels of package %s.\n\n%s\n", source.Header, p.Types.Path(), prelude)
	for _, definition := range unit.Structs {
		w.Add(definition)
		w.WriteString("\n")
	}
	for _, definition := range unit.Functions {
		w.Add(definition)
		w.WriteString("\n")
	}
	for _, k := range p.Kernels {
		w.Add(entry(k, entries[k]))
	}
	text.Text = w.Text()
	return text, nil
}

// sameEntries refuses kernels whose names CUDA C cannot tell apart: letters beyond ASCII become their code there.
func sameEntries(program *source.Program, p *source.Package) source.Diagnostics {
	var list source.Diagnostics
	first := map[string]*source.Kernel{}
	for _, k := range p.Kernels {
		if other, ok := first[EntryName(k)]; ok {
			list = append(list, source.Diagnostic{
				Position: program.Fset.Position(k.Object.Pos()), Rule: "name",
				Message: fmt.Sprintf("kernels %s and %s are both %s in CUDA C (rename one)",
					other.Object.Name(), k.Object.Name(), EntryName(k)),
			})
			continue
		}
		first[EntryName(k)] = k
	}
	return list
}

// EntryName returns the name of a kernel in its module.
func EntryName(k *source.Kernel) string { return "k_" + clike.Identifier(k.Object.Name()) }

// threadBlock is the largest block of a thread kernel.
const threadBlock = 1024

// entry returns the entry of a kernel, for devices and for the host.
func entry(k *source.Kernel, added clike.Kernel) clike.Text {
	var w strings.Builder
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
	fmt.Fprintf(&w, "KG_ENTRY(%d) void %s(%s) {\n", block, name, strings.Join(header, ", "))
	if k.Group {
		w.WriteString("\tfor (unsigned kg_i = KG_BLOCK; kg_i < (unsigned)kg_n; kg_i += KG_BLOCKS) {\n")
	} else {
		w.WriteString("\tfor (unsigned kg_i = KG_BLOCK * KG_LANES + KG_LANE; kg_i < (unsigned)kg_n; " +
			"kg_i += KG_BLOCKS * KG_LANES) {\n")
	}
	fmt.Fprintf(&w, "\t\t%s(%s);\n", added.Function, strings.Join(arguments, ", "))
	if k.Group {
		w.WriteString("\t\tKG_BARRIER();\n")
	}
	w.WriteString("\t}\n}\n\n")

	fmt.Fprintf(&w, "#ifdef KG_HOST\nextern \"C\" void %s_host(int kg_first, void **kg_arguments) {\n"+
		"\tkg_block = kg_first;\n\t%[1]s(", name)
	for i, declaration := range header {
		if i > 0 {
			w.WriteString(", ")
		}
		kind, pointer := declaration[:strings.LastIndex(declaration, " ")], ""
		if strings.Contains(declaration, "*") {
			pointer = "*"
		}
		fmt.Fprintf(&w, "*(%s %s*)kg_arguments[%d]", kind, pointer, i)
	}
	w.WriteString(");\n}\n#endif\n\n")
	return clike.TextFrom(k.Declaration.Pos(), w.String())
}
