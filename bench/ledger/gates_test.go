package ledger

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateGates = flag.Bool("update-gates", false, "write the hashes of gate courses")

// If it fails, the gate courses of a seed have changed: this is either an error, or a change that needs an entry in the
// CHANGELOG and new hashes (make ledger).
func TestGates(t *testing.T) {
	device := openCPU(t)
	if *updateGates {
		entries, err := ComputeGates(t.Context(), device)
		require.NoError(t, err)
		text, err := json.MarshalIndent(entries, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("gates.json", append(text, '\n'), 0o644))
		return
	}
	entries, err := Gates()
	require.NoError(t, err)
	require.Len(t, entries, len(gateConfigs()))
	for _, entry := range entries {
		for _, envs := range []int{0, 3} {
			difference, err := CheckGates(t.Context(), device, entry, envs)
			require.NoError(t, err)
			assert.Nil(t, difference, entry.Name)
		}
	}
	changed := entries[0]
	changed.Envs = append([]EnvHash{{1}}, changed.Envs[1:]...)
	difference, err := CheckGates(t.Context(), device, changed, 0)
	require.NoError(t, err)
	assert.Equal(t, &Difference{Env: 0, Envs: 1}, difference)
	_, err = CheckGates(t.Context(), device, GateEntry{Name: "gates of stone"}, 0)
	assert.EqualError(t, err, `ledger: entry "gates of stone": this version has no such configuration`)
}
