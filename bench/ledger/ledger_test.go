package ledger

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func openCPU(t *testing.T) backend.Device {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// TestDefault generates the batches of the ledger that is part of this version. If it fails, the tracks of a seed have
// changed: this is either an error, or a change that needs an entry in the CHANGELOG and a new ledger (make ledger).
func TestDefault(t *testing.T) {
	l, err := Default()
	require.NoError(t, err)
	device := openCPU(t)
	var generators []string
	for _, entry := range l.Entries {
		name := entry.Config.Generator
		generators = append(generators, name)
		assert.Equal(t, 256, entry.Config.NumEnvs, name)
		envs := 0
		if name == track.Repulsive && (raceEnabled || testing.Short()) {
			t.Log("repulsive: 8 tracks, as 256 take as long as all else here")
			envs = 8
		}
		difference, err := Check(context.Background(), device, entry, envs)
		require.NoError(t, err)
		assert.Nil(t, difference, name)
	}
	assert.ElementsMatch(t, track.Generators(), generators)
}

// The Go functions of kernels make the tracks of the ledger as well, where TestDefault runs machine code.
func TestDefaultInGo(t *testing.T) {
	l, err := Default()
	require.NoError(t, err)
	device, err := backend.Open("cpu", backend.Scalar(true))
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	for _, entry := range l.Entries {
		envs := 32
		if entry.Config.Generator == track.Repulsive {
			envs = 4
		}
		difference, err := Check(t.Context(), device, entry, envs)
		require.NoError(t, err)
		assert.Nil(t, difference, entry.Config.Generator)
	}
}

// batchOf generates a small batch and its entry.
func batchOf(t *testing.T) (*track.Batch, Entry) {
	batch, config, err := generate(context.Background(), openCPU(t), tracktest.Config(track.Bezier, 5), 3, 1)
	require.NoError(t, err)
	entry := Entry{Config: export.Config(config), Seed: 3, Epoch: 1}
	entry.Arrays, entry.Envs = hash(batch)
	require.Nil(t, entry.compare(batch))
	return batch, entry
}

// A single bit that differs is detected, and the difference names its array and env.
func TestOneBit(t *testing.T) {
	batch, entry := batchOf(t)
	flip := func(v *float32, bit int) { *v = math.Float32frombits(math.Float32bits(*v) ^ 1<<bit) }
	for name, test := range map[string]struct {
		array string
		env   int
		flip  func()
	}{
		"last bit of a coordinate": {"center", 4, func() { flip(&batch.Center[4*batch.NMax+17].Y, 0) }},
		"sign of zero height":      {"outer", 0, func() { flip(&batch.Outer[0].Z, 31) }},
		"payload of NaN padding":   {"arclen", 2, func() { flip(&batch.Arclen[3*batch.NMax-1], 3) }},
		"a number of the env":      {"count", 1, func() { batch.Count[1] ^= 1 }},
		"its seed":                 {"seed", 3, func() { batch.Seed[3] ^= 1 << 30 }},
	} {
		test.flip()
		assert.Equal(t, &Difference{Arrays: []string{test.array}, Env: test.env, Envs: 1}, entry.compare(batch), name)
		test.flip()
	}
	require.Nil(t, entry.compare(batch))
}

func TestCompareIgnoresNewArraysAndMissesOldOnes(t *testing.T) {
	batch, entry := batchOf(t)
	older := entry
	older.Arrays, older.Envs = hashOf(track.Schema.Host(&batch.HostColumns), batch.Envs, []string{"valid", "center"})
	assert.Nil(t, older.compare(batch))
	batch.Winding = nil
	assert.Equal(t, []string{"winding"}, entry.compare(batch).Arrays)
}

// If only some envs are checked, the hashes of these envs are compared.
func TestCheckOfTheFirstEnvs(t *testing.T) {
	_, entry := batchOf(t)
	device := openCPU(t)
	check := func(envs int) *Difference {
		difference, err := Check(t.Context(), device, entry, envs)
		require.NoError(t, err)
		return difference
	}
	for _, envs := range []int{0, 1, 3, 5, 6} {
		assert.Nil(t, check(envs), "%d envs", envs)
	}
	entry.Envs[2][0] ^= 1
	assert.Nil(t, check(2))
	assert.Equal(t, &Difference{Env: 2, Envs: 1}, check(3))
	entry.Arrays = append(entry.Arrays, Array{Name: "gone"})
	assert.Equal(t, []string{"gone"}, check(2).Arrays)
}

func TestComputeRefuses(t *testing.T) {
	wrong := tracktest.Config(track.Bezier, 1, func(c *track.Config) { c.Road.HalfWidth = -1 })
	_, err := Compute(context.Background(), openCPU(t), wrong, 0, 0)
	require.ErrorIs(t, err, track.ErrConfig)
	assert.ErrorContains(t, err, "road.half_width")
}

func TestWriteReadsBack(t *testing.T) {
	_, entry := batchOf(t)
	l := Ledger{Format: Format, Made: NewOrigin("v1", backend.Info{Name: "cpu"}), Entries: []Entry{entry, entry}}
	var file bytes.Buffer
	require.NoError(t, l.Write(&file))
	read, err := Read(bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	assert.Equal(t, l, read)
}

func TestReadRefuses(t *testing.T) {
	_, entry := batchOf(t)
	var file bytes.Buffer
	require.NoError(t, Ledger{Format: Format, Entries: []Entry{entry}}.Write(&file))
	good := file.String()
	for name, test := range map[string]struct{ text, says string }{
		"nothing":       {"", "unexpected end"},
		"cut off":       {good[:len(good)/2], "unexpected end"},
		"another file":  {`{"tracks": []}`, "not a ledger of format 1"},
		"later format":  {`{"format": 2, "entries": 7}`, "not a ledger of format 1"},
		"no entries":    {`{"format": 1}`, "entries is empty"},
		"unknown field": {strings.Replace(good, `"half_width"`, `"half_breadth"`, 1), `"road.half_breadth"`},
		"unknown group": {strings.Replace(good, `"road"`, `"street"`, 1), "street.half_width: its name is road.half_width"},
		"other name": {strings.Replace(good, `"road": {`, `"half_width": 0.2, "road": {`, 1),
			"unknown field half_width: its name is road.half_width"},
		"reference": {strings.Replace(good, `"sweeps"`, `"relax_iters"`, 1),
			"unknown field relax.relax_iters: its name is relax.sweeps"},
		"bad value":   {strings.Replace(good, `"half_width": 0.1`, `"half_width": -0.1`, 1), "road.half_width"},
		"array twice": {strings.Replace(good, `"name": "center"`, `"name": "outer"`, 1), `arrays has "outer" twice`},
		"bad hash":    {strings.Replace(good, `"sha256": "`, `"sha256": "00`, 1), "64 hexadecimal digits"},
		"bad digit":   {strings.Replace(good, entry.Arrays[0].hex(), strings.Repeat("x", 64), 1), "hash"},
		"fewer envs":  {strings.Replace(good, `"num_envs": 5`, `"num_envs": 6`, 1), "num_envs = 6"},
		"no arrays":   {`{"format": 1, "entries": [{"config": {}, "envs": ["0011223344556677"]}]}`, "arrays is empty"},
	} {
		_, err := Read(strings.NewReader(test.text))
		assert.ErrorContains(t, err, test.says, name)
	}
}

// Read limits its memory even if a decoded element needs hundreds of times the memory of its text.
func TestReadTakesMemoryInProportion(t *testing.T) {
	list := func(element string, n int) string { return strings.Repeat(element+",", n-1) + element }
	for name, c := range map[string]struct{ text, says string }{
		"empty entries": {`{"format": 1, "entries": [` + list("{}", 300_000) + `]}`, "entries[0]: config is missing"},
		"null entries":  {`{"format": 1, "entries": [` + list("null", 300_000) + `]}`, "entries[0]: config is missing"},
		"a long mixture": {`{"format": 1, "entries": [{"config": {"mix": [` + list("{}", 300_000) + `]}}]}`,
			"mix has 300000 components, expected at most 64"},
		"no list":     {`{"format": 1, "entries": {}}`, "entries is not a list"},
		"empty gates": {`{"format": 1, "gates": [` + list("{}", 300_000) + `]}`, "gates[0]: config is missing"},
		"a long mixture of gates": {`{"format": 1, "gates": [{"config": {"mix": [` + list("{}", 300_000) + `]}}]}`,
			"mix has 300000 components, expected at most 64"},
		"no list of gates": {`{"format": 1, "gates": 3}`, "gates is not a list"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(strings.NewReader(c.text))
		runtime.ReadMemStats(&after)
		require.ErrorContains(t, err, c.says, name)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20+64*len(c.text)), name)
	}
}

func TestReadLimitsEntries(t *testing.T) {
	_, entry := batchOf(t)
	l := Ledger{Format: Format, Entries: slices.Repeat([]Entry{entry}, maxEntries)}
	var file bytes.Buffer
	require.NoError(t, l.Write(&file))
	_, err := Read(&file)
	require.NoError(t, err)
	l.Entries = append(l.Entries, entry)
	require.NoError(t, l.Write(&file))
	_, err = Read(&file)
	require.EqualError(t, err, "ledger: read: entries has more than 1000: must be at most that")
}

func (a Array) hex() string {
	text, _ := a.SHA256.MarshalText()
	return string(text)
}

// FuzzRead reads random text: it returns an error, or a ledger that can be written and read back.
func FuzzRead(f *testing.F) {
	f.Add(`{"format": 1, "entries": [{"config": {"num_envs": 1}, "arrays": [{"name": "valid", "words": 1}], ` +
		`"envs": ["0011223344556677"]}]}`)
	f.Add(`{"format": 1, "entries": [null]}`)
	f.Add(`{"format": 1, "gates": [{"config": {"num_envs": 1}, "arrays": [{"name": "count", "words": 1}], ` +
		`"envs": ["0011223344556677"]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var file bytes.Buffer
		require.NoError(t, l.Write(&file))
		again, err := Read(&file)
		require.NoError(t, err)
		require.Equal(t, l, again)
	})
}

// A ledger with inconsistent hashes differs, and the text says how.
func TestDifferenceString(t *testing.T) {
	assert.Equal(t, "2 envs, the first is 5; arrays outer, center",
		Difference{Arrays: []string{"outer", "center"}, Env: 5, Envs: 2}.String())
	assert.Equal(t, "no env by itself; arrays outer", Difference{Arrays: []string{"outer"}}.String())
	assert.Equal(t, "1 envs, the first is 5; no array of its list", Difference{Env: 5, Envs: 1}.String())
}
