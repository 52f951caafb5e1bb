package ledger

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/track"
)

// A file with batches of gate courses and of tracks, mixed ones too, is read back and equals what is made again.
func TestCourses(t *testing.T) {
	device := openCPU(t)
	l := Ledger{Format: Format}
	c := gate.DefaultConfig()
	c.NumEnvs, c.Gate.Width = 6, 0.1
	mixed := c
	mixed.Generator, mixed.Candidates = gate.Mixed, 2
	mixed.Mix = []gate.Component{c.NewComponent(1, gate.Hull), c.NewComponent(2, gate.Polar)}
	for _, config := range []gate.Config{c, mixed} {
		entry, err := ComputeCourses(t.Context(), device, config, 7, 2)
		require.NoError(t, err)
		l.Gates = append(l.Gates, entry)
	}
	tracks := track.DefaultConfig()
	tracks.Generator, tracks.NumEnvs = track.Mixed, 2
	tracks.Mix = []track.Component{tracks.NewComponent(1, track.Polar)}
	entry, err := Compute(t.Context(), device, tracks, 0, 0)
	require.NoError(t, err)
	l.Entries = []Entry{entry}
	var file bytes.Buffer
	require.NoError(t, l.Write(&file))
	text := file.String()
	read, err := Read(&file)
	require.NoError(t, err)
	require.Equal(t, l, read)
	for _, entry := range read.Gates {
		for _, envs := range []int{0, 2} {
			difference, err := CheckCourses(t.Context(), device, entry, envs)
			require.NoError(t, err)
			assert.Nil(t, difference)
		}
		entry.Epoch = 3
		difference, err := CheckCourses(t.Context(), device, entry, 0)
		require.NoError(t, err)
		assert.Equal(t, 6, difference.Envs)
	}
	_, err = Read(strings.NewReader(strings.Replace(text, `"width": 0.1`, `"gate_width": 0.1`, 1)))
	require.ErrorContains(t, err, "gates[0]: config has the ")
	_, err = ComputeCourses(t.Context(), device, gate.Config{}, 0, 0)
	require.ErrorIs(t, err, gate.ErrConfig)
}
