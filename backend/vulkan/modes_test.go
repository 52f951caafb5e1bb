//go:build cgo && (linux || darwin)

package vulkan

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernel"
)

// allControls returns every combination of properties that gives other modes.
func allControls() []floatControls {
	var all []floatControls
	for bits := range 16 {
		var c floatControls
		width := width32
		if bits&8 != 0 { // the modes of all widths belong together
			width |= width16 | width64
			c.denormalsTogether, c.roundingTogether = true, true
		}
		for i, has := range []*widths{&c.denormals, &c.rounding, &c.zeros} {
			if bits&(1<<i) != 0 {
				*has = width
			}
		}
		all = append(all, c)
	}
	return all
}

func TestModesOfControls(t *testing.T) {
	names := func(c floatControls) string { return fmt.Sprint(c.modes()) }
	require.Equal(t, "[]", names(floatControls{}))
	require.Equal(t, "[]", names(floatControls{denormals: width16 | width64, rounding: width16, zeros: width64,
		denormalsTogether: true}), "kernels compute with 32 bits only")
	all := width16 | width32 | width64
	require.Equal(t, "[DenormPreserve 32 RoundingModeRTE 32 SignedZeroInfNanPreserve 32]",
		names(floatControls{denormals: all, rounding: all, zeros: all}))
	require.Equal(t, "[DenormPreserve 16 DenormPreserve 32 RoundingModeRTE 32 SignedZeroInfNanPreserve 32]",
		names(floatControls{denormals: width16 | width32, rounding: all, zeros: all, denormalsTogether: true}))
	require.Equal(t, "[DenormPreserve 32 RoundingModeRTE 16 RoundingModeRTE 32 RoundingModeRTE 64]",
		names(floatControls{denormals: all, rounding: all, roundingTogether: true}))
	for _, c := range allControls() {
		for _, other := range allControls() {
			require.Equal(t, names(c) == names(other), bytes.Equal(c.key(), other.key()), "%v and %v", c, other)
		}
	}
}

// without removes what withModes adds.
func without(t testing.TB, code []byte) []byte {
	t.Helper()
	words, err := wordsOf(code)
	require.NoError(t, err)
	kept := slices.Clone(words[:spirvWords])
	for at := spirvWords; at < len(words); at += int(words[at] >> 16) {
		instruction := words[at : at+int(words[at]>>16)]
		added := false
		for _, mode := range []executionMode{denormPreserve, roundingRTE, zerosPreserve} {
			switch instruction[0] & 0xffff {
			case opCapability:
				added = added || instruction[1] == mode.capability
			case opExtension:
				added = added || slices.Equal(instruction[1:], literal(controlsExtension))
			case opExecutionMode:
				added = added || instruction[2] == mode.mode
			}
		}
		if !added {
			kept = append(kept, instruction...)
		}
	}
	var stripped []byte
	for _, word := range kept {
		stripped = binary.LittleEndian.AppendUint32(stripped, word)
	}
	return stripped
}

// declaredBy returns the modes that a module declares.
func declaredBy(t testing.TB, code []byte) []string {
	t.Helper()
	words, err := wordsOf(code)
	require.NoError(t, err)
	h, err := headOf(words)
	require.NoError(t, err)
	declared := []string{}
	for _, mode := range []executionMode{denormPreserve, roundingRTE, zerosPreserve} {
		for _, width := range []uint32{16, 32, 64} {
			if slices.Contains(h.modes, declaredMode{h.entries[0], mode.mode, width}) {
				require.Contains(t, h.capabilities, mode.capability)
				require.True(t, h.extended || words[1] >= spirv14)
				mode.width = width
				declared = append(declared, mode.String())
			}
		}
	}
	return declared
}

// repositoryShaders returns every shader of this repository by its path.
func repositoryShaders(t testing.TB) map[string][]byte {
	t.Helper()
	shaders := make(map[string][]byte)
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != root {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".spv" {
			shaders[path], err = os.ReadFile(path)
		}
		return err
	}))
	require.Greater(t, len(shaders), 60)
	return shaders
}

// spirv-val accepts every shader of the repository with every combination of modes for 32 bits, and the shaders of this
// package with those for all widths too. Nothing else in them changes.
func TestModesAreValid(t *testing.T) {
	if testing.Short() {
		t.Log("in short mode, spirv-val checks only the combinations that have all three modes")
	}
	directory := t.TempDir()
	labels := make(map[string]string) // by file
	for path, code := range repositoryShaders(t) {
		for _, c := range allControls() {
			patched, err := withModes(code, c.modes())
			require.NoError(t, err, path)
			require.Equal(t, code, without(t, patched), path)
			require.Equal(t, fmt.Sprint(c.modes()), fmt.Sprint(declaredBy(t, patched)), path)
			again, err := withModes(patched, c.modes())
			require.NoError(t, err)
			require.Equal(t, patched, again, "modes that are there are not repeated")
			own := strings.HasPrefix(path, "../../backend/vulkan/shaders")
			if c.denormalsTogether && !own || testing.Short() && len(c.modes()) < 3 {
				continue
			}
			file := filepath.Join(directory, fmt.Sprint(len(labels)))
			labels[file] = fmt.Sprint(path, " with ", c.modes())
			require.NoError(t, os.WriteFile(file, patched, 0o600))
		}
	}
	validator := required.Program(t, "spirv-val")
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for file, label := range labels {
		slots <- struct{}{}
		group.Go(func() {
			output, err := exec.Command(validator, "--target-env", "vulkan1.2", file).CombinedOutput()
			assert.NoError(t, err, "%s: %s", label, output)
			<-slots
		})
	}
	group.Wait()
}

// module returns a module of the given instructions, each without its first word's length.
func module(version uint32, instructions ...[]uint32) []byte {
	words := []uint32{spirvMagic, version, 0, 100, 0}
	for _, instruction := range instructions {
		words = append(words, uint32(len(instruction))<<16|instruction[0])
		words = append(words, instruction[1:]...)
	}
	var code []byte
	for _, word := range words {
		code = binary.LittleEndian.AppendUint32(code, word)
	}
	return code
}

var (
	shaderCapability = []uint32{opCapability, 1}
	oneModel         = []uint32{opMemoryModel, 0, 1}
	oneEntry         = []uint32{opEntryPoint, 5, 7, 'm', 8}
	otherEntry       = []uint32{opEntryPoint, 5, 9, 'n'}
	localSize        = []uint32{opExecutionMode, 7, 17, 1, 1, 1}
	void             = []uint32{19, 2}
)

func TestModesOfModules(t *testing.T) {
	mode := func(m executionMode) executionMode { m.width = 32; return m }
	both := []executionMode{mode(denormPreserve), mode(zerosPreserve)}
	extension := append([]uint32{opExtension}, literal(controlsExtension)...)
	denorms, zeros := []uint32{opCapability, 4464}, []uint32{opCapability, 4466}
	for name, m := range map[string]struct{ code, want []byte }{
		"new": {module(0x10300, shaderCapability, oneModel, oneEntry, localSize, void),
			module(0x10300, shaderCapability, denorms, zeros, extension, oneModel, oneEntry, localSize,
				[]uint32{opExecutionMode, 7, 4459, 32}, []uint32{opExecutionMode, 7, 4461, 32}, void)},
		"no capability, no mode": {module(0x10300, oneModel, oneEntry),
			module(0x10300, denorms, zeros, extension, oneModel, oneEntry,
				[]uint32{opExecutionMode, 7, 4459, 32}, []uint32{opExecutionMode, 7, 4461, 32})},
		"two entry points": {module(0x10300, oneModel, oneEntry, otherEntry),
			module(0x10300, denorms, zeros, extension, oneModel, oneEntry, otherEntry,
				[]uint32{opExecutionMode, 7, 4459, 32}, []uint32{opExecutionMode, 9, 4459, 32},
				[]uint32{opExecutionMode, 7, 4461, 32}, []uint32{opExecutionMode, 9, 4461, 32})},
		"partly there": {module(0x10300, zeros, extension, oneModel, oneEntry, []uint32{opExecutionMode, 7, 4461, 32}),
			module(0x10300, zeros, denorms, extension, oneModel, oneEntry, []uint32{opExecutionMode, 7, 4461, 32},
				[]uint32{opExecutionMode, 7, 4459, 32})},
		"SPIR-V 1.4 needs no extension": {module(0x10400, oneModel, oneEntry),
			module(0x10400, denorms, zeros, oneModel, oneEntry, []uint32{opExecutionMode, 7, 4459, 32},
				[]uint32{opExecutionMode, 7, 4461, 32})},
		"another width flushes": {module(0x10300, oneModel, oneEntry, []uint32{opExecutionMode, 7, 4460, 16}),
			module(0x10300, denorms, zeros, extension, oneModel, oneEntry, []uint32{opExecutionMode, 7, 4460, 16},
				[]uint32{opExecutionMode, 7, 4459, 32}, []uint32{opExecutionMode, 7, 4461, 32})},
	} {
		got, err := withModes(m.code, both)
		require.NoError(t, err, name)
		require.Equal(t, m.want, got, name)
		got, err = withModes(m.code, nil)
		require.NoError(t, err, name)
		require.Equal(t, m.code, got, name)
	}
}

func TestModulesThatCannotHaveModes(t *testing.T) {
	mode := denormPreserve
	mode.width = 32
	good := module(0x10300, shaderCapability, oneModel, oneEntry, localSize, void)
	for want, code := range map[string][]byte{
		"0 bytes":                           nil,
		"19 bytes":                          good[:19],
		"must be 0x07230203":                append([]byte{7, 0x23, 2, 3}, good[4:]...),
		"has 3 words":                       good[:20+8+4],
		"has 0 words":                       append(bytes.Clone(good), 0, 0, 0, 0),
		"has 1 words":                       module(0x10300, []uint32{opCapability}),
		"has 2 words":                       module(0x10300, oneModel, oneEntry, []uint32{opExecutionMode, 7}),
		"not in the order":                  module(0x10300, oneModel, shaderCapability, oneEntry),
		"has 0 memory models":               module(0x10300, oneEntry),
		"has 2 memory models":               module(0x10300, oneModel, oneModel, oneEntry),
		"no entry point":                    module(0x10300, oneModel, void),
		"the opposite of DenormPreserve 32": module(0x10300, oneModel, oneEntry, []uint32{opExecutionMode, 7, 4460, 32}),
	} {
		_, err := withModes(code, []executionMode{mode})
		require.ErrorContains(t, err, want)
	}
}

// Whatever a module holds, it gets its modes or an error; the modes can be taken away again.
func FuzzModes(f *testing.F) {
	for _, code := range [][]byte{probeCode, gateCode, affineCode[:200], nil,
		module(0x10300, shaderCapability, oneModel, oneEntry, otherEntry, localSize, void)} {
		f.Add(code, uint8(7))
	}
	controls := allControls()
	f.Fuzz(func(t *testing.T, code []byte, combination uint8) {
		modes := controls[int(combination)%len(controls)].modes()
		before := bytes.Clone(code)
		patched, err := withModes(code, modes)
		require.Equal(t, before, code)
		if err != nil {
			return
		}
		again, err := withModes(patched, modes)
		require.NoError(t, err)
		require.Equal(t, patched, again)
		require.Equal(t, without(t, code), without(t, patched))
	})
}

// offered returns the float controls of the device that tests open.
func offered(t testing.TB) floatControls {
	t.Helper()
	needDriver(t)
	instance, devices, err := list(settings{})
	require.NoError(t, err)
	what := instance.describe(devices[0])
	if what.driverName == "llvmpipe" {
		all := width16 | width32 | width64
		require.Equal(t, floatControls{rounding: all, zeros: all}, what.controls)
	}
	return what.controls
}

// Every pipeline of a device has the modes that the device offers, or that a test says it does.
func TestPipelinesHaveModes(t *testing.T) {
	for name, controls := range map[string]floatControls{
		"offered": offered(t), "none": {}, "zeros": {zeros: width32},
		"all but denormals": {zeros: width32, rounding: width32},
	} {
		t.Run(name, func(t *testing.T) {
			modules := 0
			d := openTest(t, backend.Options{}, func(s *settings) {
				if s.cache = ""; name != "offered" {
					s.controls = &controls
				}
				s.modules = func(code []byte) {
					modules++
					require.Equal(t, fmt.Sprint(controls.modes()), fmt.Sprint(declaredBy(t, code)))
				}
			})
			require.NoError(t, d.Load(affineDef, addDef, groupsDef))
			require.Equal(t, 4, modules, "that of the probe and three others")
		})
	}
}

// The modes reach the driver: the validation layer objects to one that the driver does not offer.
func TestDriverGetsModes(t *testing.T) {
	controls := offered(t)
	s, err := readSettings()
	require.NoError(t, err)
	if controls.denormals&width32 != 0 || !s.validation {
		t.Skip("the driver offers every mode, or there is no validation")
	}
	controls.denormals = width32
	s.controls, s.cache, s.finding = &controls, "", &exactFinding
	d, err := openIndex(0, backend.Options{}, s)
	require.NoError(t, err)
	require.NoError(t, d.Load(affineDef))
	require.NoError(t, d.Close())
	require.Contains(t, strings.Join(ValidationMessages(), "\n"), "shaderDenormPreserveFloat32")
}

// A kernel whose module cannot have the modes is refused, and nothing is given to the driver.
func TestMalformedModulesAreRefused(t *testing.T) {
	d := openTest(t, backend.Options{})
	long := bytes.Clone(affineCode)
	binary.LittleEndian.PutUint32(long[len(long)-4:], 9<<16|56) // the last instruction has 9 words, of which 8 are missing
	for _, code := range [][]byte{affineCode[:4*spirvWords], long, module(0x10300, oneModel, shaderCapability, oneEntry)} {
		err := d.Load(&kernel.Def{Name: "cut", Shader: code, Params: affineDef.Params})
		require.ErrorIs(t, err, backend.ErrUnsupported)
		require.ErrorContains(t, err, "SPIR-V: ")
	}
}
