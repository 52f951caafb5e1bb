//go:build cgo && (linux || darwin)

package vulkan

import (
	_ "embed"
	"fmt"
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernel"
)

// packages names the packages that the tests need.
const packages = "Debian: apt-get install mesa-vulkan-drivers libvulkan1 vulkan-validationlayers"

func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "trackgen-vulkan-")
	if err != nil {
		panic(err)
	}
	for variable, value := range map[string]string{
		validationVariable: "1",
		cacheVariable:      directory,
		"LP_NUM_THREADS":   "0", // lavapipe then runs on the queue's thread, which is faster for small work
	} {
		if _, set := os.LookupEnv(variable); !set {
			if err := os.Setenv(variable, value); err != nil {
				panic(err)
			}
		}
	}
	code := m.Run()
	if messages := ValidationMessages(); len(messages) > 0 {
		fmt.Println("messages of the validation layer after the tests:", messages)
		code = 1
	}
	if err := goleak.Find(); err != nil {
		fmt.Println(err)
		code = 1
	}
	if err := os.RemoveAll(directory); err != nil {
		fmt.Println(err)
	}
	os.Exit(code)
}

// needDriver skips the test if no driver is installed, or fails it if one is required.
func needDriver(t testing.TB) {
	t.Helper()
	if _, err := (driver{}).Devices(); err != nil {
		required.Skip(t, required.Vulkan, "there is no Vulkan: %v (%s)", err, packages)
	}
}

// openTest opens a device that must have no leaks and no validation messages by the end of the test.
func openTest(t testing.TB, options backend.Options, change ...func(*settings)) *device {
	t.Helper()
	needDriver(t)
	s, err := readSettings()
	require.NoError(t, err)
	for _, f := range change {
		f(&s)
	}
	d, err := openIndex(0, options, s)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, d.Close())
		require.Empty(t, ValidationMessages())
	})
	return d
}

// alloc allocates a buffer of int32 for the test.
func alloc(t testing.TB, d *device, values ...int32) backend.View {
	t.Helper()
	b, err := d.Alloc(int64(4 * len(values)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	v := backend.View{Buffer: b, Bytes: int64(4 * len(values))}
	write(t, d, v, values...)
	return v
}

func hostOf(t testing.TB, d *device, bytes int64) (backend.HostBuffer, []int32) {
	t.Helper()
	h, err := d.AllocHost(bytes)
	require.NoError(t, err)
	return h, unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(h.Bytes()))), bytes/4)
}

func write(t testing.TB, d *device, v backend.View, values ...int32) {
	t.Helper()
	h, host := hostOf(t, d, v.Bytes)
	copy(host, values)
	require.NoError(t, d.DefaultStream().Upload(v, h, 0))
	require.NoError(t, d.DefaultStream().Sync())
	require.NoError(t, h.Close())
}

func read(t testing.TB, d *device, v backend.View) []int32 {
	t.Helper()
	h, host := hostOf(t, d, v.Bytes)
	require.NoError(t, d.DefaultStream().Download(h, 0, v))
	require.NoError(t, d.DefaultStream().Sync())
	values := append([]int32(nil), host...)
	require.NoError(t, h.Close())
	return values
}

func part(v backend.View, offset, bytes int64) backend.View {
	return backend.View{Buffer: v.Buffer, Offset: v.Offset + offset, Bytes: bytes}
}

func newStream(t testing.TB, d *device) backend.Stream {
	t.Helper()
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

//go:embed testdata/affine.spv
var affineCode []byte

//go:embed testdata/add.spv
var addCode []byte

//go:embed testdata/groups.spv
var groupsCode []byte

//go:embed testdata/exact.spv
var exactCode []byte

func buffer32(name string, access kernel.Access) kernel.Param {
	return kernel.Param{Name: name, Type: kernel.Int32, Buffer: true, Access: access}
}

var (
	affineDef = &kernel.Def{Name: "vulkan.affine", Shader: affineCode, Params: []kernel.Param{
		buffer32("x", kernel.ReadWrite), {Name: "factor", Type: kernel.Int32}, {Name: "term", Type: kernel.Int32}}}
	addDef = &kernel.Def{Name: "vulkan.add", Shader: addCode, Params: []kernel.Param{
		buffer32("a", kernel.Read), buffer32("b", kernel.Read), buffer32("sum", kernel.Write)}}
	groupsDef = &kernel.Def{Name: "vulkan.groups", Shader: groupsCode, Group: true, Lanes: 48, Params: []kernel.Param{
		buffer32("found", kernel.Write)}}
	exactDef = &kernel.Def{Name: "vulkan.exact", Shader: exactCode,
		Params: []kernel.Param{buffer32("native", kernel.Write)}}
)

// affine emits x = factor*x + term.
func affine(t testing.TB, s backend.Stream, x backend.View, factor, term int32) {
	t.Helper()
	require.NoError(t, s.Launch(affineDef, backend.Launch{N: int32(x.Bytes / 4), Buffers: []backend.View{x},
		Scalars: []uint32{uint32(factor), uint32(term)}}))
}

// add emits sum = a + b.
func add(t testing.TB, s backend.Stream, a, b, sum backend.View) {
	t.Helper()
	require.NoError(t, s.Launch(addDef, backend.Launch{N: int32(sum.Bytes / 4), Buffers: []backend.View{a, b, sum}}))
}

// recordGraph records the work of emit.
func recordGraph(t testing.TB, s backend.Stream, emit func()) backend.Graph {
	t.Helper()
	require.NoError(t, s.BeginCapture())
	emit()
	g, err := s.EndCapture()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// when emits a conditional.
func when(t testing.TB, s backend.Stream, flag backend.View, body func(backend.Stream)) {
	t.Helper()
	require.NoError(t, s.If(flag, func(inner backend.Stream) error {
		body(inner)
		return nil
	}))
}
