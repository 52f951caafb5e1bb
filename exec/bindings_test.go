package exec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/exec"
)

func TestRebindAfterCapture(t *testing.T) { // R97, C9, R162
	device := openCPU(t)
	a, b := newArray(t, device, int32(1), 2), newArray(t, device, int32(3), 4)
	part, err := a.Slice(0, 1)
	assert.NoError(t, err)
	var warnings []exec.RebindAfterCaptureWarning
	component := exec.Bindings{Component: "locator",
		Warn: func(w exec.Warning) { warnings = append(warnings, w.(exec.RebindAfterCaptureWarning)) }}
	warned := func() []exec.RebindAfterCaptureWarning {
		w := warnings
		warnings = nil
		return w
	}
	lc := launchContext(t, device)
	component.Bind(exec.InputOf("points", a), exec.InputOf("mask", a))
	component.Recorded(lc)
	component.Bind(exec.InputOf("points", b))
	assert.Empty(t, warned(), "nothing was recorded: the call was eager")

	component.Bind(exec.InputOf("points", a))
	capture(t, lc.Stream(), func() { component.Recorded(lc) })
	component.Bind(exec.InputOf("points", a), exec.InputOf("mask", a))
	assert.Empty(t, warned(), "the same arrays")
	component.Bind(exec.InputOf("points", b), exec.InputOf("mask", b))
	assert.Equal(t, []exec.RebindAfterCaptureWarning{{Component: "locator", Inputs: []string{"points", "mask"}}}, warned(),
		"once a call")
	component.Bind(exec.InputOf("points", a))
	assert.Len(t, warned(), 1, "C9: A, B, A warns twice")
	component.Bind(exec.InputOf("points", part))
	assert.Len(t, warned(), 1, "another range of the same memory")

	named := exec.Bindings{Warn: component.Warn}
	named.Bind(exec.InputOf("points", a), exec.InputOf("mask", a))
	capture(t, lc.Stream(), func() { named.Recorded(lc, "mask", "unknown") })
	named.Bind(exec.InputOf("points", b))
	assert.Empty(t, warned(), "this input was not read")
	named.Bind(exec.InputOf("mask", b), exec.InputOf("mask", a))
	texts := warned()
	assert.Len(t, texts, 1)
	assert.Contains(t, texts[0].Warning(), `["mask"]`)
	assert.Contains(t, texts[0].Warning(), "capture again")
	assert.Contains(t, exec.RebindAfterCaptureWarning{Component: "c"}.Warning(), `component "c"`)

	capture(t, lc.Stream(), func() {
		assert.Zero(t, testing.AllocsPerRun(20, func() { named.Recorded(lc) }))
	})
}

func TestIdentity(t *testing.T) { // R113, C9
	device := openCPU(t)
	a := newArray(t, device, int32(1), 2)
	whole, err := a.Slice(0, 2)
	assert.NoError(t, err)
	part, err := a.Slice(0, 1)
	assert.NoError(t, err)
	assert.Equal(t, a.Identity(), whole.Identity())
	assert.NotEqual(t, a.Identity(), part.Identity(), "one address, two lengths")
	assert.Equal(t, exec.Identity{}, exec.Array[int32]{}.Identity())
	seen := map[exec.Identity]bool{a.Identity(): true}
	assert.True(t, seen[whole.Identity()])
}
