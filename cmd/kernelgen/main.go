// Kernelgen translates kernels, functions in a restricted subset of Go, for the backends.
//
// Usage:
//
//	kernelgen [-check] [packages]
//	kernelgen -rules
//
// Run kernelgen -help for what it reads and writes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/check"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/device"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/emit"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/race"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/toolchain"
)

// The exit codes.
const (
	exitDone    = 0
	exitRefused = 1 // a source is refused, or -check found files out of date
	exitUsage   = 2 // the command line, or the machine, is at fault
)

const usage = `Usage: kernelgen [-check] [packages]
       kernelgen -rules

Kernelgen reads the kernels of Go packages (default: the one in the current
directory; ./... works as in the go command) and writes beside them

  kernel_generated.go       for each kernel its definition, the adapter that
                            runs it on the CPU, and a typed launcher
  kernel_twin_generated.go  for each kernel its instrumented twin, which runs
                            it in a random order and finds races, indices out
                            of bounds and divisions by zero
  kernel_generated.cu       the kernels in CUDA C, which is also C++ for the
                            host, and compiled to kernel_generated.ptx
  kernel_generated.json     the manifest: hashes of sources and outputs, and
                            the versions of the compilers

and, below shaders for a package below kernels, else in its subdirectory
shaders, a package with

  NAME.comp, NAME.spv       the Vulkan shader of kernel NAME in GLSL and SPIR-V

PTX and SPIR-V are compiled by clang-19, glslangValidator and spirv-val (Debian:
clang-19, glslang-tools, spirv-tools). Where they are not installed, kernelgen
keeps what was compiled before from the same text, and fails if the text changed;
packages with //kernel:nodevice (below) need no compilers.

For CPUs with AVX2, clang-19 also makes machine code that runs eight items at a
time, with the same results, called without cgo:

  kernel_lanes_amd64.s      the machine code, and kernel_lanes_amd64.go, which
                            puts it into the definitions (kernel.Def.Vector)

A kernel that cannot be put into it runs in Go there, and a warning at its line
says why; so do all kernels of a package that changed where clang-19 is not
installed.

A kernel is a function with a directive in its doc comment:

  //kernel:thread           one call for each index of a launch; the first
                            parameter is the int32 index
  //kernel:group lanes=128  one call for each workgroup; the first parameter is
                            a kernel.Group, whose Each spreads a phase over the
                            lanes. lanes is a tuning hint from 1 to 1024

Its other parameters are slices of int32, uint32, float32, kernel.Vec2, Vec3 or
Quat, and scalars of the three number types. A kernel named relax gets the
launcher Relax and the definition RelaxDef; Defs lists all definitions. If it has
more than six of these other parameters, Relax takes them as one RelaxArgs, a
struct with a field for each.

A kernel and the helpers that it calls keep to a subset of Go that means the
same, bit for bit, on every backend; package kernel describes it, and -rules
lists its rules. A phase must be proven free of races by the shape of its
indices; where it cannot be, the directive

  //kernel:unproven         says that the author answers for it, and that the
                            tests run the instrumented twin

On a CPU, kernels run eight items at a time. The directive

  //kernel:scalar           runs one at a time, where that is faster

A kernel whose loops may be long says how long, because some drivers end long
loops without a word:

  //kernel:iterations N     bounds the iterations that all loops of one thread,
                            or of one lane of a group, make together: float64
                            arithmetic of numbers, the integer parameters, len
                            of a slice, items (of the launch), lanes (of the
                            group), and constants and functions of the package

The test that ends a loop counts as one iteration more, and a phase is a loop
over the items of a lane; package kernel/iterations has functions that count so.
Devices that end long loops refuse a launch whose bound is beyond their limit,
and twins find a kernel that makes more iterations than it says.

A kernel that begins with "if i >= list[0] { return }", for its index or g.ID and
an []int32 that it only reads, has a bound in device memory: a backend may leave
out the items beyond it, and the definition says so (kernel.Def.Bound).

The directive //kernel:nolauncher above the package clause leaves the launchers
out, for packages that package exec itself must be able to import, and
//kernel:nodevice all code for GPUs, so that the kernels run on the CPU alone.

Kernelgen does not read what it generated before, so a stale or broken file
never stands in its way. If anything is refused, it prints every refusal as
file:line:column: rule: message and writes nothing. What a compiler refuses is
printed so too, under the rule tool, at the statement that the code came from.

Flags:
  -check   write nothing; fail if a generated file is missing or out of date
  -rules   list the rules by the names that refusals have

Exit codes: 0 done, 1 refused or out of date, 2 usage or system error.
`

// withoutCompilers says what works on a machine without compilers, after the refusals of what does not.
const withoutCompilers = `kernelgen: nothing is written. Without the compilers it generates packages whose kernels have not changed since they
were compiled, and packages with //kernel:nodevice above the package clause, whose kernels run on the CPU alone.
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(arguments []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("kernelgen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage) }
	check := flags.Bool("check", false, "")
	list := flags.Bool("rules", false, "")
	for _, argument := range arguments {
		if argument == "-h" || argument == "-help" || argument == "--help" {
			flags.SetOutput(stdout)
		}
	}
	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitDone
		}
		return exitUsage
	}
	if *list {
		for _, r := range rules {
			fmt.Fprintf(stdout, "%-12s %s\n", r.name, r.text)
		}
		return exitDone
	}
	patterns := flags.Args()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	files, err := generate(".", patterns, func(string) bool { return true })
	var refusals source.Diagnostics
	if errors.As(err, &refusals) {
		for _, refusal := range refusals {
			refusal.Position.Filename = shorten(refusal.Position.Filename)
			fmt.Fprintln(stderr, refusal)
		}
		if refusals.Refused() {
			if errors.Is(err, toolchain.ErrMissing) {
				fmt.Fprint(stderr, withoutCompilers)
			}
			return exitCode(refusals)
		}
	} else if err != nil {
		fmt.Fprintln(stderr, "kernelgen:", err)
		return exitUsage
	}
	return update(files, *check, stderr)
}

// exitCode says whether sources are refused, or a tool failed for what is no fault of theirs.
func exitCode(refusals source.Diagnostics) int {
	for _, cause := range refusals.Unwrap() {
		var failure *toolchain.Error
		if errors.Is(cause, toolchain.ErrMissing) || errors.As(cause, &failure) && !failure.Refused() {
			return exitUsage
		}
	}
	return exitRefused
}

// generate returns the generated files of the packages. An error that is source.Diagnostics may hold only warnings.
// Machine code of the packages that reuse names is not compiled again where the same compiler has made it of the same
// texts.
func generate(dir string, patterns []string, reuse func(path string) bool) ([]emit.File, error) {
	program, err := source.Load(dir, patterns, nil)
	if err != nil {
		return nil, err
	}
	tools, err := toolchain.Find()
	if err != nil && !errors.Is(err, toolchain.ErrMissing) {
		return nil, err
	}
	forLanes, err := toolchain.FindLanes()
	if err != nil && !errors.Is(err, toolchain.ErrMissing) {
		return nil, err
	}
	compilers := device.Compilers{Devices: tools, Lanes: forLanes, Reuse: reuse}
	return translate(program, func(p *source.Package, analysis *access.Analysis) ([]emit.File, *emit.Device, error) {
		return device.Package(program, p, analysis, compilers)
	})
}

// forDevices returns the files of a package for GPUs, and what its Go files say of them.
type forDevices func(*source.Package, *access.Analysis) ([]emit.File, *emit.Device, error)

// hostOnly leaves GPUs out.
func hostOnly(*source.Package, *access.Analysis) ([]emit.File, *emit.Device, error) {
	return nil, nil, nil
}

// translate checks the kernels of a program and returns the generated files.
func translate(program *source.Program, devices forDevices) ([]emit.File, error) {
	analysis := access.New(program)
	diagnostics := check.Program(program, analysis)
	if !diagnostics.Refused() {
		diagnostics = append(diagnostics, race.Program(program)...)
	}
	if diagnostics.Refused() {
		return nil, diagnostics
	}
	var files []emit.File
	for _, p := range program.Packages {
		compiled, device, err := devices(p, analysis)
		var found source.Diagnostics
		if err != nil && !errors.As(err, &found) {
			return nil, err
		}
		diagnostics = append(diagnostics, found...)
		if found.Refused() {
			continue
		}
		generated, err := emit.Package(program, p, analysis, device)
		var refused source.Diagnostics
		if err != nil && !errors.As(err, &refused) {
			return nil, err
		}
		diagnostics = append(diagnostics, refused...)
		files = append(append(files, generated...), compiled...)
	}
	if diagnostics.Refused() {
		return nil, diagnostics
	}
	if len(diagnostics) > 0 {
		return files, diagnostics
	}
	return files, nil
}

// update writes the files that are not current, or with check only names them.
func update(files []emit.File, check bool, stderr io.Writer) int {
	code := exitDone
	for _, file := range files {
		current, err := file.Current()
		if err == nil && !current {
			if check {
				fmt.Fprintf(stderr, "kernelgen: %s is out of date (run kernelgen without -check)\n", shorten(file.Path))
				code = max(code, exitRefused)
				continue
			}
			err = file.Write()
		}
		if err != nil {
			fmt.Fprintln(stderr, "kernelgen:", err)
			code = exitUsage
		}
	}
	return code
}

// shorten returns a path relative to the working directory where that is shorter.
func shorten(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	if relative, err := filepath.Rel(dir, path); err == nil && len(relative) < len(path) {
		return relative
	}
	return path
}
