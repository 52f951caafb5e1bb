//go:build cgo && (linux || darwin)

package vulkan

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/bench/producers"
	"github.com/trackgen-go/trackgen/internal/required"
)

// The compiled shaders match their sources, if the compiler that generated them is installed.
func TestShadersAreCompiled(t *testing.T) {
	compiler := required.Program(t, "glslangValidator")
	version, err := exec.Command(compiler, "--version").Output()
	require.NoError(t, err)
	if !strings.Contains(string(version), "11:12.0.0") {
		required.Skip(t, required.Tools, "the shaders are compiled by glslang 12.0.0, and this is %s", version)
	}
	for _, pattern := range []string{"shaders/*.comp", "testdata/*.comp"} {
		sources, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, sources)
		for _, source := range sources {
			fresh := filepath.Join(t.TempDir(), "fresh.spv")
			output, err := exec.Command(compiler, "-V", "--target-env", "vulkan1.2", "-o", fresh, source).CombinedOutput()
			require.NoError(t, err, string(output))
			want, err := os.ReadFile(fresh)
			require.NoError(t, err)
			got, err := os.ReadFile(strings.TrimSuffix(source, ".comp") + ".spv")
			require.NoError(t, err)
			require.Equal(t, want, got, "%s: run go generate", source)
			if validator, err := exec.LookPath("spirv-val"); err == nil {
				output, err := exec.Command(validator, "--target-env", "vulkan1.2", fresh).CombinedOutput()
				require.NoError(t, err, string(output))
			}
		}
	}
}

// workgroupBytes returns the size of the variables of a shader that the invocations of a workgroup share.
func workgroupBytes(t *testing.T, module []byte) int64 {
	t.Helper()
	const (
		typeBool, typeInt, typeFloat, typeVector, typeArray = 20, 21, 22, 23, 28
		typeStruct, typePointer, constant, variable         = 30, 32, 43, 59
		workgroup                                           = 4
	)
	words := make([]uint32, len(module)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(module[4*i:])
	}
	sizes, constants, total := map[uint32]int64{}, map[uint32]int64{}, int64(0)
	for i := spirvHeader / 4; i < len(words); i += int(words[i] >> 16) {
		w := words[i : i+int(words[i]>>16)]
		switch w[0] & 0xffff {
		case typeBool, typeInt, typeFloat: // all numbers of kernels have 32 bits
			sizes[w[1]] = 4
		case constant:
			constants[w[2]] = int64(w[3])
		case typeVector:
			sizes[w[1]] = sizes[w[2]] * int64(w[3])
		case typeArray:
			sizes[w[1]] = sizes[w[2]] * constants[w[3]]
		case typeStruct:
			for _, member := range w[2:] {
				sizes[w[1]] += sizes[member]
			}
		case typePointer:
			sizes[w[1]] = sizes[w[3]]
		case variable:
			if w[3] == workgroup {
				require.NotZero(t, sizes[w[1]], "type %d of a shared variable is not known", w[1])
				total += sizes[w[1]]
			}
		}
	}
	return total
}

// Definitions say how much shared memory their shaders use.
func TestSharedBytes(t *testing.T) {
	shared := 0
	for _, def := range producers.Defs() {
		require.Equal(t, workgroupBytes(t, def.Shader), def.SharedBytes, def.Name)
		if def.SharedBytes > 0 {
			shared++
		}
	}
	require.Greater(t, shared, 8)
}
