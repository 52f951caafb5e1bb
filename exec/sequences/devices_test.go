package sequences

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/kernels/seeding"
)

// kind is a kind of device on which programs run.
type kind struct {
	name string
	abilities
	open func(tb testing.TB) *testbed
}

// testbed is an open device and the objects that belong to it.
type testbed struct {
	device, other backend.Device
	foreigner     *foreigner
	complaint     func() string // of an emulated driver, else nil
	after         func()        // called after everything is closed
}

var cpuKind = kind{"cpu", abilities{conditionals: true, while: true, hostPoll: true}, func(tb testing.TB) *testbed {
	device, err := backend.Open("cpu", backend.Workers(1))
	require.NoError(tb, err)
	return newTestbed(tb, device)
}}

// kinds returns every kind of device available here.
func kinds() []kind { return append([]kind{cpuKind}, gpuKinds...) }

// newTestbed loads the kernels and opens the objects of a device.
func newTestbed(tb testing.TB, device backend.Device) *testbed {
	require.NoError(tb, device.Load(kernels.Defs...))
	require.NoError(tb, device.Load(seeding.Defs...))
	other, err := backend.Open("cpu", backend.Workers(1))
	require.NoError(tb, err)
	return &testbed{device: device, other: other, after: func() {}}
}

// Devices have the abilities that the documentation states; the model relies on nothing else.
func TestAbilities(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			b := k.open(t)
			caps := b.device.Caps()
			require.Equal(t, k.abilities, abilities{ownGraphs: caps.OwnGraphs, conditionals: caps.CaptureConditionals,
				eagerConditionals: caps.EagerConditionals, while: caps.WhileNodes, hostPoll: caps.CheapHostPoll,
				foreign: caps.ForeignStreams})
			require.NoError(t, b.close())
		})
	}
}
