package measure

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/bench/roofline"
	"github.com/trackgen-go/trackgen/exec"
)

// TestProfile profiles a kernel that only computes: it takes nearly all of the time.
func TestProfile(t *testing.T) {
	device := openCPU(t)
	result, err := exec.NewArray[float32](device, 4096)
	require.NoError(t, err)
	defer result.Close()
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)

	p, err := StartProfile()
	require.NoError(t, err)
	_, err = StartProfile()
	require.ErrorContains(t, err, "profile", "only one profile at a time")
	for start := time.Now(); time.Since(start) < 300*time.Millisecond; {
		roofline.MultiplyAdd(lc, 4096, 64, 0.5, 1, result)
	}
	p.Stop()
	require.NoError(t, lc.Err())

	kernels, err := p.Kernels([]string{roofline.CopyWordsDef.Name, roofline.MultiplyAddDef.Name})
	require.NoError(t, err)
	require.NotEmpty(t, kernels)
	assert.Equal(t, roofline.MultiplyAddDef.Name, kernels[0].Kernel)
	part := 0.0
	for _, k := range kernels {
		part += k.Part
	}
	assert.InDelta(t, 1, part, 1e-9)

	var file bytes.Buffer
	require.NoError(t, p.Write(&file))
	_, err = profile.Parse(&file)
	require.NoError(t, err)
}
