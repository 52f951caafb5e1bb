package course_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// BenchmarkStep measures a step of small batches, with the launches that it consists of: what calls cost beside the
// kernels. trackgen bench --step measures large ones.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"road", "race", "posts", "frames"} {
		b.Run(name, func(b *testing.B) {
			c := loopConfigs()[name]
			device := openCPU(b, backend.Workers(1))
			l := newLoop(b, device, nil, c)
			lc, err := exec.For(b.Context(), device)
			require.NoError(b, err)
			ctx := exec.With(b.Context(), lc)
			b.ReportAllocs()
			for b.Loop() {
				_, err := l.course.Step(ctx)
				require.NoError(b, err)
			}
		})
	}
}
