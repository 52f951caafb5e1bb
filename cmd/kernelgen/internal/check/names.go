package check

import (
	"fmt"
	"go/types"
	"regexp"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// reservedFile matches the names that Windows keeps for devices, whatever the extension.
var reservedFile = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)

// maxKernelName keeps the names of shaders below what file systems take.
const maxKernelName = 100

// names refuses declarations and kernels whose names the generated files need.
func (c *checker) names(p *source.Package) {
	if len(p.Kernels) == 0 {
		return
	}
	taken := map[string]string{"kernel": "an import", "twin": "an import", "math": "an import", "Defs": "the list of kernels"}
	if !p.NoLauncher {
		taken["exec"] = "an import"
	}
	if !p.NoDevice {
		taken["shaders"] = "an import"
		taken["kernelModule"], taken["kernelPTX"] = "the CUDA module", "the CUDA module"
	}
	// What the generated files say must mean what it means everywhere.
	for _, name := range types.Universe.Names() {
		taken[name] = "what Go declares under it"
	}
	report := func(object types.Object, name, purpose string) {
		c.diagnostics = append(c.diagnostics, source.Diagnostic{
			Position: c.program.Fset.Position(object.Pos()), Rule: "name",
			Message: fmt.Sprintf("the generated code needs the name %s for %s (rename %s)", name, purpose, object.Name()),
		})
	}
	for _, k := range p.Kernels {
		name := k.Object.Name()
		if !p.NoDevice && reservedFile.MatchString(name) {
			c.diagnostics = append(c.diagnostics, source.Diagnostic{
				Position: c.program.Fset.Position(k.Object.Pos()), Rule: "name",
				Message: fmt.Sprintf("the shader of kernel %s would be a file that Go embeds nowhere, because Windows reserves its name (rename %s)", name, name),
			})
		}
		if !p.NoDevice && len(name) > maxKernelName {
			c.diagnostics = append(c.diagnostics, source.Diagnostic{
				Position: c.program.Fset.Position(k.Object.Pos()), Rule: "name",
				Message: fmt.Sprintf("the name of kernel %s has %d bytes, and its shader is a file of that name (at most %d)",
					name, len(name), maxKernelName),
			})
		}
		launcher := source.LauncherName(name)
		needed := []string{launcher + "Def", name + "Go", name + "Twin"}
		if !p.NoLauncher {
			needed = append(needed, launcher)
		}
		if !p.NoLauncher && k.TakesStruct() {
			needed = append(needed, source.ArgumentsName(name))
		}
		for _, n := range needed {
			if purpose, ok := taken[n]; ok {
				report(k.Object, n, purpose)
			}
			taken[n] = "kernel " + name
		}
	}
	for _, name := range p.Types.Scope().Names() {
		if purpose, ok := taken[name]; ok {
			report(p.Types.Scope().Lookup(name), name, purpose)
		}
	}
}
