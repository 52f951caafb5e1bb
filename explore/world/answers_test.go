package world_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/bench/quality"
	"github.com/trackgen-go/trackgen/explore/world"
)

// Tracks that are not valid say where they fail, and the number there is beyond the limit.
func TestFaults(t *testing.T) {
	w := newWorld(t)
	seen := make(map[string]int)
	for _, settings := range []map[string]string{
		{"relax.enabled": "false"}, {"output.max_points": "40"}, {"validity.min_half_width": "0.2"},
		{"elevation.profile": "noise", "elevation.noise_amplitude": "0.5", "elevation.min": "-1", "elevation.max": "1",
			"validity.max_grade": "0.1"},
		{"relax.enabled": "false", "validity.check_borders": "true", "validity.turning_tolerance": "0.0001"},
		{"bezier.handle_length": "-2", "bezier.handle_limit": "5", "relax.enabled": "false"},
	} {
		r := world.Request{Course: world.CourseTracks, Envs: 24, Settings: settings}
		for _, f := range answered(t, w, "generate", r, nil) {
			if f.kind() != "tracks" {
				continue
			}
			counts := f.column(t, "count")
			reasons := f.head["reasons"].([]any)
			faults := f.head["faults"].([]any)
			named := 0
			for _, list := range reasons {
				named += len(list.([]any))
			}
			assert.Len(t, faults, named, "a fault for each reason")
			for _, one := range faults {
				fault := one.(map[string]any)
				reason, env := fault["reason"].(string), int(fault["env"].(float64))
				seen[reason]++
				assert.Contains(t, reasons[env], reason)
				assert.Less(t, fault["at"], float64(counts[env]), reason)
				value, limit := fault["value"].(float64), fault["limit"].(float64)
				switch reason {
				case "curvature", "separation", "width":
					assert.LessOrEqual(t, value, limit*(1+1e-6), reason)
				case "grade":
					assert.Greater(t, value, limit)
				case "turning":
					assert.Greater(t, math.Abs(math.Abs(value)-1), 1e-6)
				}
				if reason == "curvature" || reason == "separation" || reason == "grade" || reason == "border crossing" {
					assert.GreaterOrEqual(t, fault["at"], 0.0, reason)
				}
				if reason == "separation" || reason == "border crossing" {
					assert.GreaterOrEqual(t, fault["with"], 0.0, reason)
				}
			}
		}
	}
	for _, reason := range []string{"truncated", "turning", "width", "curvature", "separation", "border crossing",
		"grade"} {
		assert.Positive(t, seen[reason], "%s was tested", reason)
	}
}

// Gate courses that are not valid say at which gates they fail.
func TestGateFaults(t *testing.T) {
	w := newWorld(t)
	seen := make(map[string]int)
	for _, settings := range []map[string]string{
		{"gate.radius": "0.2", "gate.separation_sweeps": "0"}, {"gate.width": "0.6"},
		{"validity.min_distance": "0.3"}, {"validity.max_turn": "1"}, {"validity.min_gates": "12"},
	} {
		r := world.Request{Course: world.CourseGates, Envs: 24, Settings: settings}
		for _, f := range answered(t, w, "generate", r, nil) {
			if f.kind() != "gates" {
				continue
			}
			counts := f.column(t, "count")
			for _, one := range f.head["faults"].([]any) {
				fault := one.(map[string]any)
				reason := fault["reason"].(string)
				seen[reason]++
				if reason == "too few gates" {
					continue
				}
				assert.GreaterOrEqual(t, fault["at"], 0.0, reason)
				assert.Less(t, fault["at"], float64(counts[int(fault["env"].(float64))]), reason)
				value := fault["value"].(float64)
				switch reason {
				case "separation":
					assert.Less(t, value, 2*0.2)
				case "turn":
					assert.Greater(t, value, 1.0)
				}
			}
		}
	}
	for _, reason := range []string{"separation", "crossing", "distance", "turn", "too few gates"} {
		assert.Positive(t, seen[reason], "%s was tested", reason)
	}
}

// The statistics are those of package quality.
func TestStatistics(t *testing.T) {
	w := newWorld(t)
	r := world.Request{Course: world.CourseTracks, Envs: 600, Seed: 3, Settings: map[string]string{"relax.sweeps": "25"}}
	config := trackgen.DefaultConfig()
	config.NumEnvs, config.Relax.Sweeps = 600, 25
	device, err := trackgen.Open("cpu")
	require.NoError(t, err)
	defer device.Close() //nolint:errcheck // the test is over
	generator, err := trackgen.NewGenerator(device, config, trackgen.WithSeed(3))
	require.NoError(t, err)
	defer generator.Close() //nolint:errcheck // the test is over
	batch, err := generator.Track().Batch(t.Context())
	require.NoError(t, err)
	require.NotZero(t, 600-batch.NumValid(), "some are not valid")

	frames := answered(t, w, "statistics", r, nil)
	env := 0
	for _, f := range frames[:len(frames)-1] {
		columns := len(f.head["columns"].([]any))
		require.Equal(t, 6, columns)
		for e := range int(f.head["envs"].(float64)) {
			row := f.body[4*(3+columns)*e:]
			word := func(i int) uint32 { return binary.LittleEndian.Uint32(row[4*i:]) }
			number := func(i int) float32 { return math.Float32frombits(word(3 + i)) }
			assert.EqualValues(t, 3+env, word(0))
			require.EqualValues(t, batch.Valid[env], word(1))
			if batch.Valid[env] == 0 {
				assert.True(t, math.IsNaN(float64(number(0))))
				assert.NotEmpty(t, f.head["reasons"].([]any)[e])
			} else {
				loop := quality.Measure(batch.Points(batch.Center, env))
				assert.Equal(t, []float32{float32(loop.Length), float32(loop.Compactness), float32(loop.Chicanes),
					float32(loop.Straight), float32(loop.PeakCurvature), float32(loop.LapTime)},
					[]float32{number(0), number(1), number(2), number(3), number(4), number(5)})
			}
			env++
		}
	}
	assert.Equal(t, 600, env)
	assert.EqualValues(t, batch.NumValid(), frames[len(frames)-1].head["valid"])

	gates := answered(t, w, "statistics", world.Request{Course: world.CourseGates, Envs: 5}, nil)
	assert.EqualValues(t, 5, gates[len(gates)-1].head["envs"])
}

// circle returns a CSV file of a circle.
func circle(columns string, widths ...string) []byte {
	var text strings.Builder
	text.WriteString(columns + "\n")
	for i := range 60 {
		a := 2 * math.Pi * float64(i) / 60
		fmt.Fprintf(&text, "%.3f,%.3f%s\n", 500+100*math.Cos(a), 100*math.Sin(a), strings.Join(widths, ""))
	}
	return []byte(text.String())
}

// A circuit of a file becomes tracks; its middle moves to the origin.
func TestCircuit(t *testing.T) {
	w := newWorld(t)
	file := circle("# x_m,y_m,w_tr_right_m,w_tr_left_m", ",4,5")
	r := world.Request{Course: world.CourseCircuit, File: "../Round.csv"}
	frames := answered(t, w, "generate", r, file)
	require.Equal(t, "circuits", frames[0].kind())
	report := frames[0].head["circuits"].([]any)[0].(map[string]any)
	assert.Equal(t, "Round", report["name"])
	assert.Equal(t, true, report["widths"])
	assert.InDelta(t, 628, report["length"], 1)
	length := math.Float32frombits(frames[1].column(t, "length")[0])
	assert.InDelta(t, 200*math.Pi, length, 0.5)
	for _, x := range frames[1].column(t, "center")[:1] {
		assert.LessOrEqual(t, math.Abs(float64(math.Float32frombits(x))), 101.0)
	}
	assert.Equal(t, "done", frames[2].kind())

	r.Settings = map[string]string{"half_width": "120", "reverse": "true"}
	frames = answered(t, w, "generate", r, file)
	assert.EqualValues(t, 0, frames[2].head["valid"], "the road is wider than the circle")
	assert.NotEmpty(t, frames[1].head["faults"])
}

// Files that are wrong, and too large ones, are refused.
func TestHostileFiles(t *testing.T) {
	w := newWorld(t)
	var many bytes.Buffer
	many.WriteString("x,y,w\n")
	for i := range 70_000 {
		a := 2 * math.Pi * float64(i) / 70_000
		fmt.Fprintf(&many, "%.3f,%.3f,8\n", 9000*math.Cos(a), 9000*math.Sin(a))
	}
	for _, c := range []struct {
		name, field, message string
		file                 []byte
		settings             map[string]string
	}{
		{name: "no widths", field: "half_width", message: "has no widths", file: circle("x,y")},
		{name: "empty", field: "file", message: "empty"},
		{name: "text", field: "file", message: "", file: []byte("hello")},
		{name: "picture", field: "file", message: "", file: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")},
		{name: "page", field: "file", message: "", file: []byte("<html><script>alert(1)</script></html>")},
		{name: "nested", field: "file", message: "", file: []byte(strings.Repeat("[", 100_000))},
		{name: "nan", field: "file", message: "", file: []byte("x,y,w\n0,0,1\nNaN,1,1\n2,2,1\n")},
		{name: "many", field: "file", message: "at most 65536", file: many.Bytes()},
		{name: "spacing", field: "spacing", message: "must be at least", file: circle("x,y,w", ",8"),
			settings: map[string]string{"spacing": "0.001"}},
		{name: "width", field: "half_width", message: "> 0", file: circle("x,y,w", ",8"),
			settings: map[string]string{"half_width": "-3"}},
	} {
		r := world.Request{Course: world.CourseCircuit, File: c.name + ".csv", Settings: c.settings}
		for _, call := range []string{"generate", "export", "drive"} {
			r.Format = "npz"
			problems := refused(t, w, call, r, c.file)
			assert.Equal(t, c.field, problems[0].Field, c.name)
			assert.Contains(t, problems[0].Message, c.message, c.name)
		}
	}
}

// Vehicles drive until all have stopped, and the last frame says why.
func TestDrive(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		request world.Request
		end     string
	}{
		{world.Request{Course: world.CourseTracks, Envs: 3}, "laps done"},
		{world.Request{Course: world.CourseTracks, Envs: 2, Drive: world.Drive{Brave: 3}}, "off road"},
		{world.Request{Course: world.CourseTracks, Envs: 2, Drive: world.Drive{Line: "racing", Laps: 2}},
			"laps done"},
		{world.Request{Course: world.CourseGates, Envs: 2, Settings: map[string]string{"gate.width": "0.06",
			"candidates": "8"}}, "laps done"},
	} {
		frames := answered(t, w, "drive", c.request, nil)
		require.Equal(t, "race", frames[0].kind())
		assert.Contains(t, []string{"tracks", "gates"}, frames[1].kind())
		before := -1.0
		for _, f := range frames[2:] {
			require.Equal(t, "cars", f.kind())
			assert.Greater(t, f.head["time"], before)
			before = f.head["time"].(float64)
			assert.Len(t, f.body, c.request.Envs*10*4)
		}
		assert.Contains(t, frames[len(frames)-1].head["ends"], c.end, "%+v", c.request)
	}
}

// Every format gives a file, of all tracks and of one.
func TestFormats(t *testing.T) {
	w := newWorld(t)
	begins := map[string]string{".npz": "PK", ".parquet": "PAR1", ".json": "{", ".geojson": "{", ".svg": "<",
		".png": "\x89PNG", ".zip": "PK", ".glb": "glTF", ".xodr": "<?xml", ".csv": "", ".yaml": "", ".toml": ""}
	for _, f := range tablesOf(t, w).Formats {
		for _, env := range []*int{nil, new(1)} {
			r := world.Request{Course: f.Course, Envs: 3, Format: f.Name, Env: env, Scale: 10,
				Settings: map[string]string{}}
			if f.Course == world.CourseGates {
				r.Settings["gate.width"] = "0.06"
			}
			frames := answered(t, w, "export", r, nil)
			require.Len(t, frames, 1)
			name := frames[0].head["name"].(string)
			extension := name[strings.LastIndex(name, "."):]
			assert.True(t, bytes.HasPrefix(frames[0].body, []byte(begins[extension])), name)
			assert.Greater(t, len(frames[0].body), 50, name)
			if extension == ".zip" {
				archive, err := zip.NewReader(bytes.NewReader(frames[0].body), int64(len(frames[0].body)))
				require.NoError(t, err)
				assert.NotEmpty(t, archive.File)
			} else {
				assert.Equal(t, f.Extension, extension)
			}
		}
	}
}

// A configuration becomes a request that makes the same tracks.
func TestStartOf(t *testing.T) {
	config := trackgen.DefaultConfig()
	config.Generator, config.Road.HalfWidth = trackgen.Mixed, 0.07
	config.Bezier.HandleLength = 0.5
	first := config.FirstLoop
	first.Generator, first.Bezier.HandleLength = trackgen.Bezier, 0.2
	second := config.FirstLoop
	second.Generator = trackgen.Polar
	config.Mix = []trackgen.Component{{Weight: 2, FirstLoop: first}, {Weight: 1, FirstLoop: second}}
	r := world.StartOf(trackgen.ConfigKind(), config, world.CourseTracks)
	assert.Equal(t, &world.Request{Course: world.CourseTracks,
		Settings: map[string]string{"road.half_width": "0.07", "bezier.handle_length": "0.5"},
		Mix: []world.Component{{Generator: "bezier", Weight: 2, Settings: map[string]string{"bezier.handle_length": "0.2"}},
			{Generator: "polar", Weight: 1, Settings: map[string]string{}}}}, r)
}

// A frame that is cut off or too large is an error, and costs no memory.
func TestReadFrame(t *testing.T) {
	text, err := world.Frame{Head: map[string]int{"a": 1}, Body: []byte("xyz")}.Append(nil)
	require.NoError(t, err)
	head, body, err := world.ReadFrame(bytes.NewReader(text), 3)
	require.NoError(t, err)
	assert.Equal(t, `{"a":1}`, string(head))
	assert.Equal(t, "xyz", string(body))
	for n := range text {
		_, _, err := world.ReadFrame(bytes.NewReader(text[:n]), 3)
		require.ErrorIs(t, err, world.ErrFrame, n)
	}
	_, _, err = world.ReadFrame(bytes.NewReader(text), 2)
	require.ErrorIs(t, err, world.ErrFrame)
	_, _, err = world.ReadFrame(strings.NewReader("\xff\xff\xff\xff\x00\x00\x00\x00"), 3)
	require.ErrorIs(t, err, world.ErrFrame)
}
