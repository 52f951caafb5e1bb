package random

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/hostrun"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/toolchain"
	"github.com/trackgen-go/trackgen/kernel"
)

// Leg is one way to run programs. Its results are compared with those of the Go functions.
type Leg struct {
	Name string
	Run  func(t testing.TB, b *Batch) []Result // one for each program of the batch
	// Flushes says that denormals are zeros here, in whichever operations the driver's compiler has left. Programs that
	// begin with denormals are not compared then, nor words that depend on those that are computed: see Batch.flushed.
	Flushes bool
}

// Checker translates programs and runs them on all legs. The twins are a leg of their own.
type Checker struct {
	Vocabulary *source.Program
	Root       string // of this module
	Legs       []Leg

	// deadline is set while a program is shrunk: kernels run in Go first, and the legs get those that end there.
	deadline time.Time

	// Written counts the words of buffers that programs write, on legs that flush denormals, and Unsettled those of them
	// that depend on denormals.
	Written, Unsettled int
}

// Failure is a program that a leg does not run as Go does.
type Failure struct {
	Leg string
	*Difference
}

// twinLeg names the instrumented twins among the legs. They run always.
const twinLeg = "the twin"

// Check runs programs on all legs. It returns those that differ, at most one failure of each leg for a program, and how
// many programs kernelgen refused.
func (c *Checker) Check(t testing.TB, programs []Program) (failures []Failure, refused int) {
	t.Helper()
	batch, list, err := Translate(c.Vocabulary, programs)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range list {
		t.Logf("refused: %v", err)
	}
	if len(batch.Programs) == 0 {
		return nil, len(list)
	}
	results := make([][]Result, len(c.Legs))
	var functions, twins []Result
	var wait sync.WaitGroup
	wait.Go(func() { functions, twins, err = batch.RunGo(c.Root, c.deadline) })
	if !c.deadline.IsZero() {
		wait.Wait()
		if err == nil && slices.ContainsFunc(functions, endless) {
			return c.Check(t, batch.ending(functions))
		}
	}
	for i, leg := range c.Legs {
		results[i] = leg.Run(t, batch)
	}
	wait.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range batch.Programs {
		if d := Compare(p, batch.Defs[i], twins[i], functions[i]); d != nil {
			failures = append(failures, Failure{twinLeg, d})
		}
	}
	for k, leg := range c.Legs {
		for i, p := range batch.Programs {
			got := results[k][i]
			if leg.Flushes && p.Denormals {
				continue
			}
			if leg.Flushes {
				got = c.settled(batch.Defs[i], got, functions[i], batch.flushed(t)[i])
			}
			if d := Compare(p, batch.Defs[i], got, functions[i]); d != nil {
				failures = append(failures, Failure{leg.Name, d})
			}
		}
	}
	return failures, len(list)
}

func endless(r Result) bool { return errors.Is(r.Err, errEndless) }

// ending returns the programs of a batch that end.
func (b *Batch) ending(functions []Result) (list []Program) {
	for i, p := range b.Programs {
		if !endless(functions[i]) {
			list = append(list, p)
		}
	}
	return list
}

// Report returns what a failure is about, with the smallest program found that still differs on the same leg.
func (c *Checker) Report(t testing.TB, f Failure, limit time.Duration) string {
	t.Helper()
	deadline := time.Now().Add(limit)
	only := &Checker{Vocabulary: c.Vocabulary, Root: c.Root, deadline: deadline}
	for _, leg := range c.Legs {
		if leg.Name == f.Leg {
			only.Legs = []Leg{leg}
		}
	}
	last := f
	p := Shrink(c.Vocabulary, f.Program, func(list []Program) []bool {
		failed := make([]bool, len(list))
		failures, _ := only.Check(t, list)
		for _, found := range failures {
			for i, p := range list {
				if found.Program.Kernel == p.Kernel && f.like(found, failures) {
					failed[i], last = true, found
				}
			}
		}
		return failed
	}, func() bool { return time.Now().After(deadline) })
	return fmt.Sprintf("seed %d differs on %s: %v\nafter shrinking: %v\n%s", p.Seed, f.Leg, f.Difference, last.Difference,
		p.Source)
}

// like returns whether another failure is of the same kind: on the same leg, and with an error only if this one has
// one. A program with a mistake of its own, which the twin finds, is of another kind.
func (f Failure) like(other Failure, all []Failure) bool {
	if other.Leg != f.Leg || (other.Err == nil) != (f.Err == nil) {
		return false
	}
	return f.Leg == twinLeg || !slices.ContainsFunc(all, func(o Failure) bool {
		return o.Leg == twinLeg && o.Program.Kernel == other.Program.Kernel
	})
}

// Vulkan returns the leg of a Vulkan device. mutation, if there is one, changes each shader first.
func Vulkan(name string, d backend.Device, tools *toolchain.Toolchain, mutation func(string) string) Leg {
	return Leg{Name: name, Run: func(_ testing.TB, b *Batch) []Result {
		defs, failures := b.shaders(tools, mutation)
		return b.runDevice(d, defs, failures)
	}}
}

// CUDA returns the leg of the PTX on devices that open opens and the leg closes, another one after each failure.
// mutation, if there is one, changes the PTX first. A program with an instruction that an emulated device does not know
// fails, and the others of its batch run without it.
func CUDA(
	name string, open func(testing.TB) backend.Device, tools *toolchain.Toolchain, mutation func(string) string,
) Leg {
	return Leg{Name: name, Run: func(t testing.TB, b *Batch) []Result {
		text, err := b.ptx(tools)
		if err != nil {
			t.Fatal(err)
		}
		if mutation != nil {
			text = mutation(text)
		}
		results := make([]Result, len(b.Defs))
		refused := map[string]error{}
		var device backend.Device
		for i := 0; i < len(b.Defs); i++ {
			def := b.inModule(i, text)
			if err := refused[def.Entry]; err != nil {
				results[i] = Result{Err: err}
				continue
			}
			if device == nil {
				device = open(t)
			}
			results[i] = launch(device, def, b.Programs[i])
			if results[i].Err == nil {
				continue
			}
			rest, left := withoutRefused(text, results[i].Err.Error())
			for _, name := range left {
				refused[name] = results[i].Err
			}
			if err := device.Close(); err != nil && len(left) == 0 {
				results[i].Err = errors.Join(results[i].Err, err)
			}
			if len(left) > 0 {
				text = rest
				i-- // again, without those
			}
			device = nil
		}
		if device != nil {
			if err := device.Close(); err != nil {
				t.Error(err)
			}
		}
		return results
	}}
}

// refusedPTX matches the error of an emulated device for PTX that it cannot run.
var refusedPTX = regexp.MustCompile(`ptxas fatal: line (\d+): (the interpreter does not know the instruction ([\w.]+))?`)

// ptxEntry matches a kernel in PTX.
var ptxEntry = regexp.MustCompile(`(?ms)^\.visible \.entry (\w+).*?^\}\n`)

// withoutRefused returns PTX without the kernels that a device refuses with an error: the one with the line that it
// names, and all with an instruction that it does not know. left are their names.
func withoutRefused(ptx, message string) (rest string, left []string) {
	found := refusedPTX.FindStringSubmatch(message)
	if found == nil {
		return ptx, nil
	}
	line, _ := strconv.Atoi(found[1])
	instruction := regexp.MustCompile(`(?m)\s` + regexp.QuoteMeta(found[3]) + `\s`)
	var text strings.Builder
	end := 0
	for _, at := range ptxEntry.FindAllStringSubmatchIndex(ptx, -1) {
		first := 1 + strings.Count(ptx[:at[0]], "\n")
		inside := first <= line && line < first+strings.Count(ptx[at[0]:at[1]], "\n")
		if inside || found[3] != "" && instruction.MatchString(ptx[at[0]:at[1]]) {
			text.WriteString(ptx[end:at[0]])
			end = at[1]
			left = append(left, ptx[at[2]:at[3]])
		}
	}
	return text.String() + ptx[end:], left
}

// Host returns the leg of the CUDA C, compiled for the host with flags. mutation, if there is one, changes it first.
func Host(name string, mutation func(string) string, flags ...string) Leg {
	return Leg{Name: name, Run: func(t testing.TB, b *Batch) []Result {
		code := b.CUDA
		if mutation != nil {
			code = mutation(code)
		}
		return b.runHost(build(t, code, flags))
	}}
}

// Lanes returns the leg of the kernels in lanes, compiled with flags. mutation, if there is one, changes each text
// first.
func Lanes(name string, mutation func(string) string, flags ...string) Leg {
	return Leg{Name: name, Run: func(t testing.TB, b *Batch) []Result {
		texts, err := b.lanes()
		if err != nil {
			t.Fatal(err)
		}
		if mutation != nil {
			for _, text := range texts {
				text.Code = mutation(text.Code)
			}
		}
		return b.runHost(hostrun.BuildLanes(t, t.TempDir(), texts, flags...))
	}}
}

// build builds CUDA C for the host.
func build(t testing.TB, code string, flags []string) *hostrun.Runner {
	dir := t.TempDir()
	path := filepath.Join(dir, "kernels.cu")
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	return hostrun.BuildIn(t, dir, path, flags...)
}

// flushed returns the results of the CUDA C on a processor that flushes denormals: as the compiler simplifies it, and
// with each operation of floats, also x*1, x-0 and those of constants. A word that both have in common with the Go
// function does not depend on denormals.
func (b *Batch) flushed(t testing.TB) [][]Result {
	if b.flushing == nil {
		b.flushing = make([][]Result, len(b.Programs))
		for _, flags := range [][]string{nil, {"-O0", "-fsignaling-nans"}} {
			runner, ok := build(t, b.CUDA, flags).Flushing(t)
			if !ok {
				t.Skip("NOT TESTED on a device that flushes denormals: this processor cannot")
			}
			for i, result := range b.runHost(runner) {
				b.flushing[i] = append(b.flushing[i], result)
			}
		}
	}
	return b.flushing
}

// settled returns a result with the words of want in place of those that depend on denormals, in which one of flushed
// differs from want.
func (c *Checker) settled(def *kernel.Def, got, want Result, flushed []Result) Result {
	for _, r := range append(flushed, got, want) {
		if r.Err != nil {
			return r
		}
	}
	var result Result
	for _, param := range def.Params {
		if !param.Buffer {
			continue
		}
		k := len(result.Buffers)
		words, written := slices.Clone(got.Buffers[k]), param.Access&kernel.Write != 0
		for i, w := range want.Buffers[k] {
			unsettled := slices.ContainsFunc(flushed, func(r Result) bool { return r.Buffers[k][i] != w })
			if written {
				c.Written++
			}
			if unsettled {
				c.Unsettled++
				words[i] = w
			}
		}
		result.Buffers = append(result.Buffers, words)
	}
	return result
}
