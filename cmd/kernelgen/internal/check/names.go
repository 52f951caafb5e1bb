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
	taken := takenNames(p)
	report := func(object types.Object, name, purpose string) {
		c.badName(object, "the generated code needs the name %s for %s (rename %s)", name, purpose, object.Name())
	}
	for _, k := range p.Kernels {
		name := k.Object.Name()
		if !p.NoDevice {
			c.shaderName(k)
		}
		launcher := source.LauncherName(name)
		needed := []string{launcher + "Def", name + "Go", name + "Twin", name + "Lanes", name + "Vector"}
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

// takenNames returns the names that every generated file of the package needs, with what for.
func takenNames(p *source.Package) map[string]string {
	taken := map[string]string{
		"kernel": "an import", "twin": "an import", "math": "an import", "Defs": "the list of kernels",
	}
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
	return taken
}

// shaderName refuses a kernel whose name cannot be that of the file with its shader.
func (c *checker) shaderName(k *source.Kernel) {
	name := k.Object.Name()
	if reservedFile.MatchString(name) {
		c.badName(k.Object, "the shader of kernel %s would be a file that Go embeds nowhere, "+
			"because Windows reserves its name (rename %s)", name, name)
	}
	if len(name) > maxKernelName {
		c.badName(k.Object, "the name of kernel %s has %d bytes, and its shader is a file of that name (at most %d)",
			name, len(name), maxKernelName)
	}
}

func (c *checker) badName(object types.Object, format string, arguments ...any) {
	c.diagnostics = append(c.diagnostics, source.Diagnostic{
		Position: c.program.Fset.Position(object.Pos()), Rule: "name", Message: fmt.Sprintf(format, arguments...),
	})
}
