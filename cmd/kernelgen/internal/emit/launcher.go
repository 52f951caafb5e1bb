// Package emit writes what kernelgen generates from checked kernels.
package emit

import (
	"bytes"
	"fmt"
	"go/token"
	"hash/fnv"
	"path"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

const modulePath = "github.com/trackgen-go/trackgen"

// Device is what the definitions of a package say of its code for devices.
type Device struct {
	Shaders    string // import path of the package of shaders
	Module     string // name of the file with the PTX
	ModuleHash string
	Entry      func(k *source.Kernel) string
}

// Launchers returns the file with a package's kernel definitions, their Go adapters and, unless the package wants none,
// the typed launchers. device is nil where the kernels run on the CPU alone.
func Launchers(program *source.Program, p *source.Package, analysis *access.Analysis, device *Device) ([]byte, error) {
	var body bytes.Buffer
	var marks []mark
	scalars := false
	for _, k := range p.Kernels {
		marks = append(marks, mark{body.Len(), k.Declaration.Pos()})
		scalars = scalars || hasFloatScalar(k)
		if !p.NoLauncher {
			writeLauncher(&body, k, analysis)
		}
		writeDefinition(&body, k, analysis, device)
		writeAdapter(&body, k)
	}
	writeList(&body, p)

	var file bytes.Buffer
	fmt.Fprintf(&file, "%s\n\npackage %s\n\nimport (\n", source.Header, p.Types.Name())
	if device != nil {
		file.WriteString("_ \"embed\"\n")
	}
	if scalars {
		file.WriteString("\"math\"\n")
	}
	file.WriteString("\n")
	if !p.NoLauncher {
		fmt.Fprintf(&file, "%q\n", modulePath+"/exec")
	}
	fmt.Fprintf(&file, "%q\n", source.VocabularyPath)
	if device != nil {
		alias := "shaders "
		if path.Base(device.Shaders) == "shaders" {
			alias = ""
		}
		fmt.Fprintf(&file, "%s%q\n", alias, device.Shaders)
	}
	file.WriteString(")\n")
	if device != nil {
		fmt.Fprintf(&file, "\n//go:embed %s\nvar kernelPTX string\n\n"+
			"var kernelModule = kernel.Module{\nName: %q,\nPTX: kernelPTX,\nHash: %q,\n}\n",
			device.Module, p.Types.Path(), device.ModuleHash)
	}
	return formatted(program, source.LauncherFile, &file, &body, marks)
}

func hasFloatScalar(k *source.Kernel) bool {
	for _, param := range k.Params {
		if !param.Buffer && param.Type == kernel.Float32 {
			return true
		}
	}
	return false
}

// items is what a launch of the kernel counts.
func items(k *source.Kernel) string {
	if k.Group {
		return "groups"
	}
	return "threads"
}

func writeLauncher(w *bytes.Buffer, k *source.Kernel, analysis *access.Analysis) {
	launcher := source.LauncherName(k.Object.Name())
	// The count is called n unless the kernel uses the name.
	taken := reserve("exec", "kernel", "int", "int32", "uint32", "float32")
	var arguments []string
	if k.TakesStruct() {
		for _, field := range writeArguments(w, k, analysis) {
			arguments = append(arguments, "args."+field)
		}
	} else {
		for _, param := range k.Params {
			arguments = append(arguments, taken.take(param.Object.Name()))
		}
	}
	count := "n"
	if taken["n"] {
		count = taken.take(items(k))
	}
	context, launch := taken.take("lc"), taken.take("l")

	fmt.Fprintf(w, "\n// %s launches %s over %s %s.\n", launcher, k.Object.Name(), count, items(k))
	if text := documentation(k); text != "" {
		fmt.Fprintf(w, "//\n%s", text)
	}
	fmt.Fprintf(w, "func %s(%s *exec.LaunchContext, %s int", launcher, context, count)
	if k.TakesStruct() {
		fmt.Fprintf(w, ", args %s", source.ArgumentsName(k.Object.Name()))
	} else {
		for i, param := range k.Params {
			fmt.Fprintf(w, ", %s %s", arguments[i], launcherType(param))
		}
	}
	fmt.Fprintf(w, ") {\n%s := %s.Prepare(&%sDef, %s)\n", launch, context, launcher, count)
	for i, param := range k.Params {
		switch {
		case param.Buffer:
			fmt.Fprintf(w, "exec.Bind(%s, %s)\n", launch, arguments[i])
		case param.Type == kernel.Int32:
			fmt.Fprintf(w, "%s.Int32(%s)\n", launch, arguments[i])
		case param.Type == kernel.Uint32:
			fmt.Fprintf(w, "%s.Uint32(%s)\n", launch, arguments[i])
		default:
			fmt.Fprintf(w, "%s.Float32(%s)\n", launch, arguments[i])
		}
	}
	fmt.Fprintf(w, "%s.Launch()\n}\n", launch)
}

// launcherType returns the type of a parameter of a kernel as its launcher takes it.
func launcherType(param source.Param) string {
	if param.Buffer {
		return fmt.Sprintf("exec.Array[%s]", param.Type)
	}
	return param.Type.String()
}

var accessWords = map[kernel.Access]string{
	kernel.Read: "read", kernel.Write: "written", kernel.ReadWrite: "read and written",
}

// writeArguments writes the struct that the launcher of a kernel takes, and returns the names of its fields. Because of
// the blank field, a literal in another package must name its fields.
func writeArguments(w *bytes.Buffer, k *source.Kernel, analysis *access.Analysis) []string {
	name := k.Object.Name()
	fmt.Fprintf(w, `
// %s are the arguments of %s, named as the kernel's parameters.
// The launch refuses an array that is left out; a number that is left out is 0.
type %[1]s struct {
_ struct{} // a literal names its fields

`, source.ArgumentsName(name), source.LauncherName(name))
	fields := make([]string, len(k.Params))
	taken := names{}
	for i, param := range parameterList(k, analysis) {
		fields[i] = taken.take(fieldName(param.Name))
		fmt.Fprintf(w, "%s %s", fields[i], launcherType(k.Params[i]))
		if param.Buffer {
			fmt.Fprintf(w, " // %s", accessWords[param.Access])
		}
		w.WriteString("\n")
	}
	w.WriteString("}\n")
	return fields
}

// fieldName returns the name of the field of a parameter: the parameter's own, exported.
func fieldName(parameter string) string {
	if name := source.LauncherName(parameter); token.IsExported(name) {
		return name
	}
	return "Arg" + parameter // no letter of it has an upper case
}

// documentation returns the kernel's own doc comment without its directives.
func documentation(k *source.Kernel) string {
	text := strings.TrimRight(k.Declaration.Doc.Text(), "\n") // Text leaves directives out
	if text == "" {
		return ""
	}
	var lines strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		lines.WriteString(strings.TrimRight("// "+line, " ") + "\n")
	}
	return lines.String()
}

// parameterList returns the parameters of a kernel as its definition has them.
func parameterList(k *source.Kernel, analysis *access.Analysis) []kernel.Param {
	sets := analysis.Of(k.Function)
	list := make([]kernel.Param, len(k.Params))
	for i, param := range k.Params {
		list[i] = kernel.Param{Name: param.Object.Name(), Type: param.Type, Buffer: param.Buffer}
		if !param.Buffer {
			continue
		}
		list[i].Access = sets[param.Object]
		if list[i].Access == 0 {
			list[i].Access = kernel.Read // only its length is used
		}
	}
	return list
}

func definitionName(k *source.Kernel) string {
	return k.Object.Pkg().Path() + "." + k.Object.Name()
}

// abi returns the hash by which all implementations of a kernel agree on its parameters.
func abi(k *source.Kernel, parameters []kernel.Param) uint64 {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%s\ngroup %t\n", definitionName(k), k.Group)
	for _, param := range parameters {
		fmt.Fprintf(hash, "%s %s buffer %t access %d\n", param.Name, param.Type, param.Buffer, param.Access)
	}
	return hash.Sum64()
}

// Definition returns the definition of a kernel without its implementations.
func Definition(k *source.Kernel, analysis *access.Analysis) *kernel.Def {
	parameters := parameterList(k, analysis)
	return &kernel.Def{
		Name: definitionName(k), Group: k.Group, Lanes: k.Lanes, Params: parameters, Bound: bound(k, analysis),
		ABI: abi(k, parameters),
	}
}

var typeConstants = map[kernel.Type]string{
	kernel.Int32: "kernel.Int32", kernel.Uint32: "kernel.Uint32", kernel.Float32: "kernel.Float32",
	kernel.TypeVec2: "kernel.TypeVec2", kernel.TypeVec3: "kernel.TypeVec3", kernel.TypeQuat: "kernel.TypeQuat",
}

var accessConstants = map[kernel.Access]string{
	kernel.Read: "kernel.Read", kernel.Write: "kernel.Write", kernel.ReadWrite: "kernel.ReadWrite",
}

func writeDefinition(w *bytes.Buffer, k *source.Kernel, analysis *access.Analysis, device *Device) {
	name := source.LauncherName(k.Object.Name())
	parameters := parameterList(k, analysis)
	fmt.Fprintf(w, "\n// %sDef defines the kernel %s.\nvar %[1]sDef = kernel.Def{\nName: %[3]q,\n",
		name, k.Object.Name(), definitionName(k))
	if k.Group {
		fmt.Fprintf(w, "Group: true,\nLanes: %d,\n", k.Lanes)
		if shared := sharedBytes(k); shared > 0 {
			fmt.Fprintf(w, "SharedBytes: %d,\n", shared)
		}
	}
	if len(parameters) > 0 {
		w.WriteString("Params: []kernel.Param{\n")
		for _, param := range parameters {
			fmt.Fprintf(w, "{Name: %q, Type: %s", param.Name, typeConstants[param.Type])
			if param.Buffer {
				fmt.Fprintf(w, ", Buffer: true, Access: %s", accessConstants[param.Access])
			}
			w.WriteString("},\n")
		}
		w.WriteString("},\n")
	}
	if first := bound(k, analysis); first != 0 {
		fmt.Fprintf(w, "Bound: %d,\n", first)
	}
	writeIterations(w, k)
	fmt.Fprintf(w, "ABI: 0x%016x,\nGo: %sGo,\nTwin: %sTwin,\n", abi(k, parameters), k.Object.Name(), k.Object.Name())
	if device != nil {
		fmt.Fprintf(w, "Shader: shaders.%s,\nModule: &kernelModule,\nEntry: %q,\n", name, device.Entry(k))
	}
	w.WriteString("}\n")
}

func writeAdapter(w *bytes.Buffer, k *source.Kernel) {
	name := k.Object.Name()
	taken := reserve("kernel", "math", "int32", "uint32", "float32", name)
	parameters := make([]string, len(k.Params))
	for i, param := range k.Params {
		parameters[i] = taken.take(param.Object.Name())
	}
	first, last, args, index := taken.take("first"), taken.take("last"), taken.take("args"), taken.take("i")

	fmt.Fprintf(w, "\nfunc %sGo(%s, %s int32, %s *kernel.Args) {\n", name, first, last, args)
	buffers, scalars := 0, 0
	for i, param := range k.Params {
		fmt.Fprintf(w, "%s := ", parameters[i])
		if param.Buffer {
			fmt.Fprintf(w, "kernel.Slice[%s](%s, %d)\n", param.Type, args, buffers)
			buffers++
			continue
		}
		fmt.Fprintf(w, "%s\n", scalar(param.Type, fmt.Sprintf("%s.Scalars[%d]", args, scalars)))
		scalars++
	}
	fmt.Fprintf(w, "for %s := %s; %s < %s; %s++ {\n%s(", index, first, index, last, index, name)
	if k.Group {
		fmt.Fprintf(w, "kernel.Group{ID: %s}", index)
	} else {
		w.WriteString(index)
	}
	for _, parameter := range parameters {
		w.WriteString(", " + parameter)
	}
	w.WriteString(")\n}\n}\n")
}

// scalar returns the expression that reads a scalar of type t from its bit pattern.
func scalar(t kernel.Type, bits string) string {
	switch t {
	case kernel.Int32:
		return "int32(" + bits + ")"
	case kernel.Float32:
		return "math.Float32frombits(" + bits + ")"
	}
	return bits
}

func writeList(w *bytes.Buffer, p *source.Package) {
	w.WriteString("\n// Defs lists the kernels of the package.\nvar Defs = []*kernel.Def{\n")
	for _, k := range p.Kernels {
		fmt.Fprintf(w, "&%sDef,\n", source.LauncherName(k.Object.Name()))
	}
	w.WriteString("}\n")
}
