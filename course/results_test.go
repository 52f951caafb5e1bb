package course_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/curvature"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/course/props"
	"github.com/trackgen-go/trackgen/course/speed"
)

// result is the result of a component, which reads itself as an H and clones itself as an R.
type result[R, H any] interface {
	Read(ctx context.Context) (H, error)
	Clone(ctx context.Context) (R, error)
	Close() error
}

// refused checks that results that no component has made are refused with a message that names the package.
func refused[R result[R, H], H any](t *testing.T, name string, results ...R) {
	t.Helper()
	for _, r := range results {
		_, err := r.Read(t.Context())
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.ErrorContains(t, err, name+": read: ")
		_, err = r.Clone(t.Context())
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.ErrorContains(t, err, name+": clone: ")
		require.NoError(t, r.Close())
	}
}

func TestResultsThatNoComponentHasMade(t *testing.T) {
	refused(t, "checkpoints", nil, &checkpoints.Set{})
	refused(t, "props", nil, &props.Props{})
	refused(t, "progress", nil, &progress.Events{})
	refused(t, "localise", nil, &localise.Frames{})
	refused(t, "line", nil, &line.Line{})
	refused(t, "curvature", nil, &curvature.Curvature{})
	refused(t, "speed", nil, &speed.Profile{})
	refused(t, "collision", nil, &collision.Contacts{})
	refused(t, "collision", nil, &collision.DiscContacts{})
	refused(t, "collision", nil, &collision.AgentContacts{})
	refused(t, "collision", nil, &collision.FrameContacts{})
}
