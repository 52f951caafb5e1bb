//go:build cgo && (linux || darwin)

package vulkan

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/repulsive"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func TestRegistration(t *testing.T) {
	needDriver(t)
	for _, name := range []string{"vulkan", "vulkan:0"} {
		device, err := backend.Open(name)
		require.NoError(t, err)
		info := device.Info()
		require.Equal(t, "vulkan:0", info.Name)
		require.Equal(t, "vulkan", info.Backend)
		require.Contains(t, info.Driver, "Vulkan 1.")
		require.NotContains(t, info.Description, "\x00")
		require.Positive(t, info.MemoryBytes)
		require.NoError(t, device.Close())
	}
	_, err := backend.Open("vulkan:77")
	require.ErrorIs(t, err, backend.ErrInvalid)
	require.ErrorContains(t, err, "vulkan:0")
}

// "auto" does not open a driver that computes on the CPU.
func TestAutoLeavesSoftwareOut(t *testing.T) {
	needDriver(t)
	t.Setenv(backend.DeviceVariable, "")
	devices, err := driver{}.Devices()
	require.NoError(t, err)
	device, err := backend.Open("auto")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	require.Equal(t, devices[0].Software, device.Info().Backend != name)
}

func TestCaps(t *testing.T) {
	caps := openTest(t, backend.Options{}).Caps()
	require.True(t, caps.Capture && caps.OwnGraphs && caps.CaptureConditionals && caps.EagerConditionals &&
		caps.ExactFloat && caps.GraphRetain)
	require.False(t, caps.CheapHostPoll || caps.ForeignStreams || caps.WhileNodes)
}

func TestSettings(t *testing.T) {
	t.Setenv(cacheVariable, "off")
	t.Setenv(correctedVariable, "1")
	t.Setenv(validationVariable, "0")
	s, err := readSettings()
	require.NoError(t, err)
	require.Equal(t, settings{corrected: true}, s)
	for value, want := range map[string]float64{"": 0, "off": -1, "1": 1e6, "2500": 25e8, "1000000000": 1e15} {
		t.Setenv(workVariable, value)
		s, err = readSettings()
		require.NoError(t, err)
		require.Equal(t, want, s.work, value)
	}
	for _, value := range []string{"0", "-1", "1.5", "1000000001", "on"} {
		t.Setenv(workVariable, value)
		_, err = readSettings()
		require.EqualError(t, err, "environment: TRACKGEN_VULKAN_SUBMISSION is "+value+
			": must be 1 to 1000000000 (millions of loop iterations) or off")
	}
	t.Setenv(workVariable, "")
	t.Setenv(inexactVariable, "yes")
	_, err = readSettings()
	require.ErrorIs(t, err, backend.ErrInvalid)
	require.ErrorContains(t, err, inexactVariable)
	_, err = driver{}.Devices()
	require.ErrorIs(t, err, backend.ErrInvalid)
}

// childVariable marks a process started by inChild; its value names the state of the system to test.
const childVariable = "TRACKGEN_TEST_CHILD"

// inChild runs the test again in a child process with other environment variables. It returns false in the child.
func inChild(t *testing.T, variables ...string) bool {
	if os.Getenv(childVariable) != "" {
		return false
	}
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(append(os.Environ(), childVariable+"=1"), variables...)
	output, err := child.CombinedOutput()
	require.NoError(t, err, string(output))
	return true
}

func TestNoDriver(t *testing.T) {
	needLoader(t)
	if inChild(t, "VK_ICD_FILENAMES=/nonexistent.json", "VK_DRIVER_FILES=/nonexistent.json", validationVariable+"=0") {
		return
	}
	_, err := driver{}.Devices()
	require.ErrorIs(t, err, backend.ErrUnavailable)
	require.ErrorContains(t, err, "driver")
	_, err = backend.Open("vulkan:0")
	require.ErrorIs(t, err, backend.ErrUnavailable)
}

func TestNoValidationLayer(t *testing.T) {
	needLoader(t)
	if inChild(t, "VK_LAYER_PATH=/nonexistent", validationVariable+"=1") {
		return
	}
	_, err := backend.Open("vulkan:0")
	require.ErrorIs(t, err, backend.ErrUnavailable)
	require.ErrorContains(t, err, "vulkan-validationlayers")
}

// needLoader skips a test that runs in a process without a driver if there is not even a loader.
func needLoader(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		needDriver(t)
	}
}

func TestRequirements(t *testing.T) {
	good := func() *description {
		d := &description{hasTimeline: true, hasCompute: true}
		d.limits.MaxComputeSharedMemorySize = 16 << 10 // the least that Vulkan allows
		d.limits.MinStorageBufferOffsetAlignment = 256
		return d
	}
	require.NoError(t, requirements("vulkan:0", good()))
	for part, spoil := range map[string]func(*description){
		"timeline":               func(d *description) { d.hasTimeline = false },
		"no compute queue":       func(d *description) { d.hasCompute = false },
		"multiples of 512 bytes": func(d *description) { d.limits.MinStorageBufferOffsetAlignment = 512 },
	} {
		d := good()
		spoil(d)
		err := requirements("vulkan:0", d)
		require.ErrorIs(t, err, backend.ErrUnsupported)
		require.ErrorContains(t, err, part)
	}
}

func TestWorkgroups(t *testing.T) {
	d := openTest(t, backend.Options{})
	const groups = 3*maxGroups + 17 // in y too
	b, err := d.Alloc(8 * groups)
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	v := backend.View{Buffer: b, Bytes: 8 * groups}
	require.NoError(t, d.DefaultStream().Launch(groupsDef, backend.Launch{N: groups, Buffers: []backend.View{v},
		Block: 1024}))
	for i, found := range read(t, d, v) {
		want := int32(48) // the lanes of the definition, regardless of the hint
		if i%2 == 0 {
			want = int32(i / 2)
		}
		require.Equal(t, want, found)
	}
}

// Hints of all sizes share a few pipelines.
func TestBlockHints(t *testing.T) {
	d := openTest(t, backend.Options{})
	x := alloc(t, d, make([]int32, 300)...)
	for block := range int32(1100) {
		require.NoError(t, d.DefaultStream().Launch(affineDef, backend.Launch{N: 300, Buffers: []backend.View{x},
			Scalars: []uint32{1, 1}, Block: block}))
	}
	require.NoError(t, d.DefaultStream().Launch(affineDef, backend.Launch{N: 300, Buffers: []backend.View{x},
		Scalars: []uint32{1, 1}, Block: 1<<31 - 1}))
	require.Equal(t, int32(1101), read(t, d, x)[299])
	require.LessOrEqual(t, len(d.pipelines.compiled), 8)
}

// The findings of the probe reach the shaders as specialisation constants.
func TestSpecialisation(t *testing.T) {
	for want, change := range map[int32]func(*settings){
		3: func(s *settings) { s.finding = &finding{Exact: true, Division: true, SquareRoot: true} },
		2: func(s *settings) { s.finding = &finding{Exact: true, SquareRoot: true} },
		1: func(s *settings) { s.finding = &finding{Exact: true, Division: true} },
		0: func(s *settings) { s.corrected = true },
	} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			d := openTest(t, backend.Options{}, change)
			x := alloc(t, d, -1)
			require.NoError(t, d.DefaultStream().Launch(exactDef, backend.Launch{N: 1, Buffers: []backend.View{x}}))
			require.Equal(t, []int32{want}, read(t, d, x))
			require.True(t, d.Caps().ExactFloat)
		})
	}
}

func TestInexactDevice(t *testing.T) {
	needDriver(t)
	s, err := readSettings()
	require.NoError(t, err)
	s.finding = &finding{Example: "x+y is wrong"}
	_, err = openIndex(0, backend.Options{}, s)
	require.ErrorIs(t, err, backend.ErrUnsupported)
	require.ErrorContains(t, err, "x+y is wrong")
	require.ErrorContains(t, err, inexactVariable)
	s.inexact = true
	d, err := openIndex(0, backend.Options{}, s)
	require.NoError(t, err)
	require.False(t, d.Caps().ExactFloat)
	require.NoError(t, d.Close())
}

func TestKernelsThatCannotRun(t *testing.T) {
	d := openTest(t, backend.Options{})
	many := &kernel.Def{Name: "many", Shader: affineCode}
	for range kernel.MaxBuffers + 1 {
		many.Params = append(many.Params, buffer32("x", kernel.Read))
	}
	for part, def := range map[string]*kernel.Def{
		"no Vulkan shader": {Name: "none"},
		"not SPIR-V":       {Name: "text", Shader: []byte("void main() {} // not compiled")},
		"17 buffers":       many,
	} {
		err := d.Load(def)
		require.ErrorIs(t, err, backend.ErrUnsupported)
		require.ErrorContains(t, err, part)
	}
	require.ErrorContains(t, d.Load(&kernel.Def{Name: "cut", Shader: affineCode[:len(affineCode)-1]}), "not SPIR-V")
}

func TestDeviceLost(t *testing.T) {
	needDriver(t)
	d, err := openIndex(0, backend.Options{}, settings{})
	require.NoError(t, err)
	s, err := d.NewStream()
	require.NoError(t, err)
	b, err := d.Alloc(64)
	require.NoError(t, err)
	e, err := d.NewEvent()
	require.NoError(t, err)
	require.NoError(t, s.BeginCapture())
	g, err := s.EndCapture()
	require.NoError(t, err)
	require.ErrorIs(t, d.failed("submit", vk.ErrorDeviceLost), backend.ErrDeviceLost)
	_, err = d.Alloc(64)
	require.ErrorIs(t, err, backend.ErrDeviceLost)
	require.ErrorIs(t, s.Fill(backend.View{Buffer: b, Bytes: 64}, 1), backend.ErrDeviceLost)
	require.ErrorIs(t, s.Sync(), backend.ErrDeviceLost)
	require.ErrorIs(t, s.Replay(g), backend.ErrDeviceLost)
	require.ErrorIs(t, e.Sync(), backend.ErrDeviceLost)
	for _, closer := range []interface{ Close() error }{g, s, b, e} {
		require.NoError(t, closer.Close())
	}
	require.ErrorIs(t, d.Close(), backend.ErrDeviceLost, "all is released, and the loss is reported")
	require.NoError(t, d.Close(), "it is closed")
}

func TestResultErrors(t *testing.T) {
	require.NoError(t, resultError("vulkan:0", "submit", vk.Success))
	require.ErrorIs(t, resultError("vulkan:0", "submit", vk.ErrorDeviceLost), backend.ErrDeviceLost)
	require.ErrorIs(t, resultError("vulkan:0", "submit", vk.ErrorOutOfHostMemory), backend.ErrOutOfMemory)
	require.ErrorContains(t, resultError("vulkan:0", "submit", vk.ErrorFeatureNotPresent), "VkResult -8")
}

func TestLeakSites(t *testing.T) {
	needDriver(t)
	d, err := openIndex(0, backend.Options{Debug: true}, settings{})
	require.NoError(t, err)
	_, err = d.Alloc(64)
	require.NoError(t, err)
	var leak *backend.LeakError
	require.ErrorAs(t, d.Close(), &leak)
	require.Len(t, leak.Leaks, 1)
	require.Contains(t, leak.Leaks[0].Site, "device_test.go")
}

// Close while other goroutines use the device: each call succeeds or returns ErrClosed, and none accesses destroyed
// objects.
func TestCloseWhileInUse(t *testing.T) {
	needDriver(t)
	for range 5 {
		d, err := openIndex(0, backend.Options{}, settings{})
		require.NoError(t, err)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for {
					s, err := d.NewStream()
					if err == nil {
						err = useOnce(d, s)
					}
					if err != nil {
						if !errors.Is(err, backend.ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		for range 100 {
			runtime.Gosched()
		}
		if err := d.Close(); err != nil {
			require.ErrorIs(t, err, backend.ErrLeak)
		}
		group.Wait()
		require.Empty(t, ValidationMessages())
	}
}

func useOnce(d *device, s backend.Stream) error {
	b, err := d.Alloc(400)
	if err != nil {
		return err
	}
	v := backend.View{Buffer: b, Bytes: 400}
	launch := backend.Launch{N: 100, Buffers: []backend.View{v}, Scalars: []uint32{2, 1}}
	if err := s.Launch(affineDef, launch); err != nil {
		return err
	}
	if err := s.BeginCapture(); err != nil {
		return err
	}
	if err := s.Launch(affineDef, launch); err != nil {
		return err
	}
	g, err := s.EndCapture()
	if err != nil {
		return err
	}
	for _, err := range []error{s.Replay(g), g.Close(), b.Close(), s.Sync(), s.Close()} {
		if err != nil {
			return err
		}
	}
	return nil
}

// The messages of the validation layer are visible to the tests.
func TestValidationSeesMistakes(t *testing.T) {
	needDriver(t)
	s, err := readSettings()
	require.NoError(t, err)
	if !s.validation {
		t.Skip("validation is off")
	}
	d, err := openIndex(0, backend.Options{}, s)
	require.NoError(t, err)
	r, err := d.newRecording(vk.CommandBufferUsageOneTimeSubmitBit)
	require.NoError(t, err)
	d.handle.fill(r.commands(), d.nothing.block.buffer, 2, 3, 0)
	require.NoError(t, r.finish())
	r.destroy()
	require.NoError(t, d.Close())
	messages := ValidationMessages()
	require.NotEmpty(t, messages)
	require.True(t, strings.Contains(messages[0], "VUID-vkCmdFillBuffer"), messages[0])
}

// A device with the least shared memory that Vulkan allows opens, and refuses the kernels that need more before it
// compiles any: a generator that has such a kernel is refused where it is made.
func TestSharedMemory(t *testing.T) {
	d := openTest(t, backend.Options{}, func(s *settings) { s.shared = 16 << 10 })
	builtin := len(d.pipelines.compiled)
	kernels := map[string]*kernel.Def{"relax": &relaxation.RelaxDef, "grow": &repulsive.GrowDef}
	for name, def := range kernels {
		require.Greater(t, def.SharedBytes, int64(16<<10))
		var refused *backend.UnsupportedError
		require.ErrorAs(t, d.Load(affineDef, def), &refused)
		require.Equal(t, "kernel "+def.Name, refused.Op, name)
		require.Equal(t, fmt.Sprintf("it needs %d bytes of shared memory, and the device has 16384 "+
			"(maxComputeSharedMemorySize)", def.SharedBytes), refused.Reason)
	}
	require.Len(t, d.pipelines.compiled, builtin, "nothing was compiled")

	_, err := track.NewGenerator(d, tracktest.Config(track.Bezier, 3))
	require.ErrorIs(t, err, backend.ErrUnsupported)
	require.ErrorContains(t, err, relaxation.RelaxDef.Name)
	require.NoError(t, d.Load(&relaxation.RelaxLargeDef, &repulsive.StopDef), "kernels that need less run")
}
