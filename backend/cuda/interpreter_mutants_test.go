//go:build cgo && linux

package cuda

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/kernels/spline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// mutator changes a kernel's PTX as a wrong compiler might. mutants returns the text of an entry with each place of one
// kind changed. The register %mutant is declared.
type mutator struct {
	name    string
	mutants func(entry string) []string
}

// replacing returns a mutator that replaces a pattern, in one place at a time.
func replacing(name, pattern, with string) mutator {
	p := regexp.MustCompile(pattern)
	return mutator{name, func(entry string) (mutants []string) {
		for _, site := range p.FindAllStringSubmatchIndex(entry, -1) {
			changed := string(p.ExpandString(nil, with, entry, site))
			mutants = append(mutants, entry[:site[0]]+changed+entry[site[1]:])
		}
		return mutants
	}}
}

const floatOperand = `(%f\d+|0f[0-9A-F]{8})`

// contracting fuses a product and a sum that uses it.
var contracting = mutator{"contraction", func(entry string) (mutants []string) {
	sum := regexp.MustCompile(`add\.rn\.f32 \t(%f\d+), (%f\d+), ` + floatOperand + `;`)
	for _, site := range sum.FindAllStringSubmatchIndex(entry, -1) {
		part := func(k int) string { return entry[site[2*k]:site[2*k+1]] }
		product := regexp.MustCompile(`mul\.rn\.f32 \t` + part(2) + `, ` + floatOperand + `, ` + floatOperand + `;`)
		found := product.FindAllStringSubmatch(entry[max(0, site[0]-200):site[0]], -1)
		if len(found) == 0 {
			continue
		}
		factors := found[len(found)-1]
		mutants = append(mutants, fmt.Sprintf("%sfma.rn.f32 \t%s, %s, %s, %s;%s", entry[:site[0]], part(1), factors[1],
			factors[2], part(3), entry[site[1]:]))
	}
	return mutants
}}

var mutators = []mutator{
	replacing("dropped barrier", `\tbar\.sync \t0;`, ""),
	replacing("reciprocal", `div\.rn\.f32 \t(%f\d+), `+floatOperand+`, `+floatOperand+`;`,
		"rcp.rn.f32 %mutant, $3; mul.rn.f32 $1, $2, %mutant;"),
	replacing("swapped select", `(selp\.\w+ \t%\w+), (%\w+|-?\w+), (%\w+|-?\w+), (%p\d+);`, "$1, $3, $2, $4;"),
	replacing("next word", `((?:ld|st)\.(?:global|shared)\.\w+ .*\[[%\w$]+)\]`, "$1+4]"),
	replacing("word after next", `((?:ld|st)\.(?:global|shared)\.\w+ .*\[[%\w$]+)\+4\]`, "$1+8]"),
	contracting,
}

// mutantRunner runs kernels with changed PTX, on a device of its own, which mistakes end.
type mutantRunner struct {
	t *testing.T
	e *emulator.Emulator
	d *device
}

// caught returns what the interpreter says about the launches of a mutant, or the first word that is wrong. It is empty
// if the mutant is as good as the kernel.
func (r *mutantRunner) caught(def *kernel.Def, launches []*launch) string {
	for _, l := range launches {
		for _, blocks := range []int32{0, 1} {
			if r.d == nil {
				r.e = startInterpreter(r.t, 12080)
				r.e.LimitSteps(1 << 22)
				r.d = openDevice(r.t)
			}
			n := l.n
			if def.Group {
				n = min(n, 3)
			}
			got, err := l.onDevice(r.d, def, n, blocks)
			if err != nil {
				r.close()
				return err.Error()
			}
			if difference := difference(l.onCPU(n), got); difference != "" {
				return difference
			}
		}
	}
	return ""
}

// close closes the device, which may be lost.
func (r *mutantRunner) close() {
	if r.d != nil {
		_ = r.d.Close()
		r.e.Complaint()
		r.d = nil
	}
}

// mutantsOf returns definitions of a kernel with changed PTX.
func mutantsOf(def *kernel.Def, m mutator) (mutants []*kernel.Def) {
	ptx := def.Module.PTX
	begin := strings.Index(ptx, ".entry "+def.Entry+"(")
	end := begin + strings.Index(ptx[begin:], "\n}\n")
	for _, text := range m.mutants(ptx[begin:end]) {
		mutant := *def
		text = strings.Replace(text, "{\n", "{\n\t.reg .f32 %mutant;\n", 1)
		mutant.Module = &kernel.Module{Name: "mutant", PTX: ptx[:begin] + text + ptx[end:]}
		mutants = append(mutants, &mutant)
	}
	return mutants
}

// Whatever a compiler got wrong in the PTX of a kernel would be noticed: a mutant of each kind is caught.
func TestInterpretedMutants(t *testing.T) {
	checkMutants(t, []*kernel.Def{&centerline.BezierDef, &spline.ThroughDef, &relaxation.RelaxDef, &inflation.EvenDef,
		&selection.CompactDef}, 32, func(d backend.Device) {
		_, err := parity.Compare(t.Context(), []backend.Device{d}, tracktest.Config(track.Mixed, 40, func(c *track.Config) {
			c.Candidates, c.Relax.Sweeps, c.Road.HalfWidth = 2, 12, 0.15
			c.Mix = []track.Component{c.NewComponent(1, track.Bezier), c.NewComponent(1, track.Hull)}
		}), 11, []parity.Mode{parity.Eager, parity.Masked}, nil)
		require.NoError(t, err)
	}, nil)
}

// checkMutants requires that a mutant of each kind is caught for each kernel, except for the kinds in harmless. Up to
// tries mutants of a kind may be as good as the kernel: two barriers in a row, a select between numbers that are equal
// in every launch, an element that is read and not used.
func checkMutants(t *testing.T, defs []*kernel.Def, tries int, work func(d backend.Device),
	harmless map[string][]string) {
	launches := recordLaunches(t, defs, work)
	for _, def := range defs {
		_, name, _ := strings.Cut(def.Name, "kernels/")
		require.NotEmpty(t, launches[def], name)
		for _, m := range mutators {
			mutants := mutantsOf(def, m)
			if len(mutants) == 0 || slices.Contains(harmless[name], m.name) {
				continue
			}
			t.Run(name+"/"+m.name, func(t *testing.T) {
				r := mutantRunner{t: t}
				defer r.close()
				for try := range tries {
					// The last mutants are the most interesting ones: kernels begin with checks of their arguments.
					at := len(mutants) - 1 - try*max(1, len(mutants)/tries)
					if at < 0 {
						break
					}
					if why := r.caught(mutants[at], launches[def]); why != "" {
						t.Logf("try %d: %s", try, why)
						return
					}
				}
				t.Error("no mutant was caught")
			})
		}
	}
}

// What PTX leaves open is refused when the module is loaded, and the error names the line.
func TestInterpreterRefuses(t *testing.T) {
	startInterpreter(t, 12080)
	d := openTest(t)
	ptx := kernels.ArithmeticDef.Module.PTX
	for _, refused := range []struct{ name, from, to, want string }{
		{"approximate reciprocal", "div.rn.f32", "rcp.approx.f32", "does not know the instruction rcp.approx.f32"},
		{"approximate division", "div.rn.f32", "div.approx.f32", "does not know the instruction div.approx.f32"},
		{"sum that may be fused", "add.rn.f32", "add.f32", "does not know the instruction add.f32"},
		{"rounding to zero", "add.rn.f32", "add.rz.f32", "does not know the instruction add.rz.f32"},
		{"atomic operation on floats", "atom.global.add.u32", "atom.global.add.f32",
			"does not know the instruction atom.global.add.f32"},
		{"warp operation", "bar.sync \t0", "bar.warp.sync \t-1", "does not know the instruction bar.warp.sync"},
		{"another barrier", "bar.sync \t0", "bar.sync \t1", "a barrier other than 0"},
		{"undeclared register", "add.rn.f32 \t%f", "add.rn.f32 \t%g", "add.rn.f32 with the operand %g"},
		{"register of another size", "add.rn.f32 \t%f", "add.rn.f32 \t%rd", "a register of another size"},
		{"unknown label", "bra \t$L", "bra \t$M", "which is no label"},
		{"unknown parameter", "[k_first_param_0]", "[k_first_param_9]", "which is no parameter of 4 bytes"},
		{"directive", ".address_size 64", ".address_size 64\n.weak", "the directive .weak"},
		{"constant memory", ".address_size 64", ".address_size 64\n.const .align 4 .b8 c[4];", "a variable .const"},
		{"too much shared memory", ".address_size 64", ".address_size 64\n.shared .align 4 .b8 big[50000];",
			"more than 49152 bytes of .shared memory"},
		{"other addresses", ".address_size 64", ".address_size 32", "addresses that do not have 64 bits"},
		{"too few operands", "neg.f32 \t%f", "neg.f32 \t%f1, %f", "with another number of operands"},
		{"text that ends", "ret;", "ret", "an operand expected, not }"},
	} {
		t.Run(refused.name, func(t *testing.T) {
			require.Contains(t, ptx, refused.from)
			module := &kernel.Module{Name: "refused", PTX: strings.Replace(ptx, refused.from, refused.to, 1)}
			var defs []*kernel.Def // all, since the first place to change may be in any of them
			for _, def := range kernels.Defs {
				changed := *def
				changed.Module = module
				defs = append(defs, &changed)
			}
			err := d.Load(defs...)
			require.ErrorContains(t, err, refused.want)
			require.Regexp(t, `line \d+: `, err.Error())
		})
	}
}

// Text that is no PTX is refused: a driver does not load it, and what it means is not known.
func TestInterpreterRefusesWhatIsNoPTX(t *testing.T) {
	startInterpreter(t, 12080)
	d := openTest(t)
	whole, _ := handText("")
	for _, refused := range []struct{ name, from, to, want string }{
		{"number too large", "ret;", "mov.u64 %rd2, 99999999999999999999; ret;", "a number expected"},
		{"float with another letter", "ret;", "mov.f32 %f1, 0f3F80000G; ret;", "a number expected"},
		{"no registers", "%rs<8>", "%rs<0>", "a number of registers outside 1 to 65536: 0"},
		{"more registers than a number of 32 bits", "%rs<8>", "%rs<4294967297>", "a number of registers outside"},
		{"register twice", "ret;", ".reg .b32 %r<2>; ret;", "the name %r a second time"},
		{"shared variable twice", "ret;", ".shared .b8 s[4]; ret;", "the name s a second time"},
		{"parameter twice", "length", "items", "the name items a second time"},
		{"array of registers", "%rs<8>", "x[4]", "an array .reg"},
		{"parameter with several values", "length", "length[4]", "an array .param"},
		{"alignment of 0", ".align 4 .b8 t", ".align 0 .b8 t", "an alignment outside 1 to 256: 0"},
		{"alignment of 3", ".align 4 .b8 t", ".align 3 .b8 t", "no power of two"},
		{"label twice", "ret;", "a: bra a; a: ret;", "the label a a second time"},
		{"list of operands", "ret;", "add.s32 %r3, {%r1, %r2}; ret;", "add.s32 with a list"},
		{"address as a result", "ret;", "ld.global.u32 [%r3], [%rd1]; ret;", "without a register for its result"},
		{"integer for a float", "ret;", "add.rn.f32 %f1, %f2, 1; ret;", "a constant of another type"},
		{"float for an integer", "ret;", "add.s32 %r3, %r1, 0f3F800000; ret;", "a constant of another type"},
		{"no size of addresses", ".address_size 64", "", "without .version, .target and .address_size"},
		{"module variable twice", ".visible", ".global .b32 g;\n.global .b32 g;\n.visible", "the name g a second time"},
		{"kernel twice", ".visible", ".visible .entry k_hand() { ret; }\n.visible", "the kernel k_hand a second time"},
	} {
		t.Run(refused.name, func(t *testing.T) {
			require.Contains(t, whole, refused.from)
			err := d.Load(handDef(strings.Replace(whole, refused.from, refused.to, 1)))
			require.ErrorContains(t, err, refused.want)
			require.Regexp(t, `line \d+: `, err.Error())
		})
	}
}

// Damaged text is refused or loaded, and breaks nothing.
func TestInterpreterReadsDamagedText(t *testing.T) {
	startInterpreter(t, 12080)
	d := openTest(t)
	whole, _ := handText("\tbar.sync 0;\n\tld.shared.v2.u32 {%r3, %r4}, [s+8];\n" +
		"\t{ .reg .b32 x; mov.b64 {x, %r5}, %rd1; }\n")
	r := rand.New(rand.NewPCG(3, 4))
	refused := 0
	for range 1000 {
		text := []byte(whole)
		switch at := r.IntN(len(text)); r.IntN(3) {
		case 0:
			text = text[:at]
		case 1:
			text = slices.Delete(text, at, min(at+1+r.IntN(20), len(text)))
		default:
			text[at] = " {}()[],;:@%.<>09a"[r.IntN(18)]
		}
		if err := d.Load(handDef(string(text))); err != nil {
			var failed *Error
			require.ErrorAs(t, err, &failed, "%s", text)
			refused++
		}
	}
	require.Greater(t, refused, 500)
}
