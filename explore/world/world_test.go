package world_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/explore/world"
)

// newWorld returns a world on the CPU.
func newWorld(t testing.TB) *world.World {
	t.Helper()
	device, err := trackgen.Open("cpu")
	require.NoError(t, err)
	w := world.New(device, world.Options{Version: "v0.0.0"})
	t.Cleanup(func() { w.Close(); assert.NoError(t, device.Close()) })
	return w
}

// answer is a frame as a page reads it.
type answer struct {
	head map[string]any
	body []byte
}

func (a answer) kind() string { return a.head["kind"].(string) }

// ask makes a call and returns its frames, each encoded and read back.
func ask(ctx context.Context, w *world.World, name string, r world.Request, file []byte) (frames []answer, err error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	err = w.Call(ctx, name, text, file, func(f world.Frame) error {
		bytes, err := f.Append(nil)
		if err != nil {
			return err
		}
		head, body, err := world.ReadFrame(strings.NewReader(string(bytes)), math.MaxInt32)
		if err != nil {
			return err
		}
		a := answer{body: body}
		frames = append(frames, a)
		return json.Unmarshal(head, &frames[len(frames)-1].head)
	})
	return frames, err
}

// answered makes a call that must not fail.
func answered(t testing.TB, w *world.World, name string, r world.Request, file []byte) []answer {
	t.Helper()
	frames, err := ask(t.Context(), w, name, r, file)
	require.NoError(t, err)
	require.NotEmpty(t, frames)
	return frames
}

// column returns the words of a column of a frame of courses, as the page finds them.
func (a answer) column(t testing.TB, name string) []uint32 {
	t.Helper()
	envs := int(a.head["envs"].(float64))
	points := 0
	offset := 0
	var found []uint32
	for _, c := range a.head["columns"].([]any) {
		column := c.(map[string]any)
		n := envs
		if column["per"] != "env" {
			n = points
		}
		n *= int(column["components"].(float64))
		words := make([]uint32, n)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(a.body[offset+4*i:])
		}
		offset += 4 * n
		if column["name"] == "count" {
			for _, count := range words {
				points += int(count)
			}
		}
		if column["name"] == name {
			found = words
		}
	}
	assert.Equal(t, len(a.body), offset, "bytes of the frame")
	return found
}

// refused makes a call that must be refused, and returns its problems.
func refused(t testing.TB, w *world.World, name string, r world.Request, file []byte) []world.Problem {
	t.Helper()
	_, err := ask(t.Context(), w, name, r, file)
	var problem *world.Refused
	require.ErrorAs(t, err, &problem)
	require.NotEmpty(t, problem.Problems)
	return problem.Problems
}

// The page gets the bits of the generator, whatever the chunks.
func TestTracksAreThoseOfTheGenerator(t *testing.T) {
	w := newWorld(t)
	for _, generator := range trackgen.Generators() {
		config := trackgen.DefaultConfig()
		config.Generator, config.NumEnvs = generator, 20
		if generator == trackgen.Repulsive {
			config.NumEnvs = 3
		}
		config.Road.HalfWidth = 0.08
		device, err := trackgen.Open("cpu")
		require.NoError(t, err)
		made, err := trackgen.NewGenerator(device, config, trackgen.WithSeed(-5), trackgen.WithEpoch(2))
		require.NoError(t, err)
		batch, err := made.Track().Batch(t.Context())
		require.NoError(t, err)
		require.NoError(t, made.Close())
		require.NoError(t, device.Close())

		env, point := 0, 0
		frames := answered(t, w, "generate", world.Request{Course: world.CourseTracks, Seed: -5, Epoch: 2,
			Envs: config.NumEnvs, Settings: map[string]string{"generator": generator, "road.half_width": "8cm"}}, nil)
		for _, f := range frames[:len(frames)-1] {
			assert.EqualValues(t, env, f.head["first"])
			outer, seeds, lengths := f.column(t, "outer"), f.column(t, "seed"), f.column(t, "length")
			at := 0
			for i, count := range f.column(t, "count") {
				require.EqualValues(t, batch.Count[env], count)
				assert.EqualValues(t, batch.Seed[env], int32(seeds[i]))
				assert.Equal(t, math.Float32bits(batch.Length[env]), lengths[i])
				for _, p := range batch.Points(batch.Outer, env) {
					require.Equal(t, []uint32{math.Float32bits(p.X), math.Float32bits(p.Y), math.Float32bits(p.Z)}, outer[at:at+3])
					at += 3
				}
				env++
				point += int(count)
			}
		}
		assert.Equal(t, config.NumEnvs, env, generator)
		end := frames[len(frames)-1]
		assert.Equal(t, "done", end.kind())
		assert.EqualValues(t, batch.NumValid(), end.head["valid"])
	}
}

// What is wrong is named with the field, the value and what is allowed.
func TestRefusals(t *testing.T) {
	w := newWorld(t)
	tracks := func(change func(r *world.Request)) world.Request {
		r := world.Request{Course: world.CourseTracks, Envs: 4}
		change(&r)
		return r
	}
	set := func(name, text string) world.Request {
		return tracks(func(r *world.Request) { r.Settings = map[string]string{name: text} })
	}
	for _, c := range []struct {
		call, field, value, allowed string
		request                     world.Request
	}{
		{"generate", "road.half_width", "-1", "> 0", set("road.half_width", "-1")},
		{"generate", "road.half_width", "wide", "a number > 0", set("road.half_width", "wide")},
		{"generate", "relax.sweeps", "1.5", "a whole number", set("relax.sweeps", "1.5")},
		{"generate", "generator", "cubes", "one of bezier", set("generator", "cubes")},
		{"generate", "nothing", "1", "", set("nothing", "1")},
		{"generate", "num_envs", "7", "", set("num_envs", "7")},
		{"generate", "corners.min_count", "", "a whole number", set("corners.min_count", strings.Repeat("9", 50))},
		{"generate", "road.half_width", "bytes", "at most 256", set("road.half_width", strings.Repeat("9", 300))},
		{"generate", "envs", "0", ">= 1 and <= 512", tracks(func(r *world.Request) { r.Envs = 0 })},
		{"generate", "envs", "513", ">= 1 and <= 512", tracks(func(r *world.Request) { r.Envs = 513 })},
		{"statistics", "envs", "16385", "<= 16384", tracks(func(r *world.Request) { r.Envs = 16385 })},
		{"generate", "seed", "2147483647", "<= 2147483644", tracks(func(r *world.Request) { r.Seed = math.MaxInt32 })},
		{"generate", "seeds", "4294967296", "<= 2147483647", tracks(func(r *world.Request) {
			r.Seeds = []int64{1, 1 << 32}
		})},
		{"generate", "epoch", "-2147483649", ">= -2147483648", tracks(func(r *world.Request) {
			r.Epoch = math.MinInt32 - 1
		})},
		{"generate", "mix[0].weight", "0", "> 0", tracks(func(r *world.Request) {
			r.Mix = []world.Component{{Generator: "bezier"}, {Generator: "polar", Weight: 1}}
		})},
		{"generate", "mix[1].generator", "x", "one of", tracks(func(r *world.Request) {
			r.Mix = []world.Component{{Generator: "bezier", Weight: 1}, {Generator: "x", Weight: 1}}
		})},
		{"generate", "mix", "20 components", "at most 16", tracks(func(r *world.Request) {
			r.Mix = make([]world.Component, 20)
		})},
		{"generate", "settings", "", "at most", tracks(func(r *world.Request) {
			r.Settings = map[string]string{"relax.sweeps": "100000", "output.loop_points": "65536"}
		})},
		{"generate", "output.max_points", "65536", "at most", tracks(func(r *world.Request) {
			r.Envs, r.Settings = 512, map[string]string{"output.max_points": "65536"}
		})},
		{"generate", "course", "boats", "tracks, gates or circuit", world.Request{Course: "boats", Envs: 1}},
		{"export", "format", `"exe"`, "one of", tracks(func(r *world.Request) { r.Format = "exe" })},
		{"export", "scale", "-1", ">= 0.001", tracks(func(r *world.Request) { r.Format, r.Scale = "npz", -1 })},
		{"export", "env", "4", "<= 3", tracks(func(r *world.Request) { r.Format, r.Env = "npz", new(4) })},
		{"drive", "envs", "49", "<= 48", tracks(func(r *world.Request) { r.Envs = 49 })},
		{"drive", "drive.vehicle", `"tank"`, "one of", tracks(func(r *world.Request) { r.Drive.Vehicle = "tank" })},
		{"drive", "drive.laps", "11", "<= 10", tracks(func(r *world.Request) { r.Drive.Laps = 11 })},
		{"drive", "drive.brave", "9", "<= 3", tracks(func(r *world.Request) { r.Drive.Brave = 9 })},
		{"drive", "drive.line", `"wall"`, "centre or racing", tracks(func(r *world.Request) { r.Drive.Line = "wall" })},
		{"drive", "vehicle.time_step", "0.0001", ">= 0.002", tracks(func(r *world.Request) {
			r.Drive.Settings = map[string]string{"vehicle.time_step": "0.0001"}
		})},
		{"drive", "agents", "1000", "", tracks(func(r *world.Request) {
			r.Drive.Settings = map[string]string{"agents": "1000"}
		})},
		{"drive", "course", "without a valid one", "a vehicle", tracks(func(r *world.Request) {
			r.Settings = map[string]string{"validity.min_half_width": "5"}
		})},
		{"drive", "gate.width", "0", "> 0", world.Request{Course: world.CourseGates, Envs: 1}},
		{"drive", "drive.vehicle", `"f1tenth"`, "agilicious", world.Request{Course: world.CourseGates, Envs: 1,
			Settings: map[string]string{"gate.width": "0.06"}, Drive: world.Drive{Vehicle: "f1tenth"}}},
		{"fly", "call", `"fly"`, "one of", tracks(func(*world.Request) {})},
	} {
		problems := refused(t, w, c.call, c.request, nil)
		assert.Equal(t, c.field, problems[0].Field, "%+v", problems[0])
		assert.Contains(t, problems[0].Value, c.value, "%+v", problems[0])
		assert.Contains(t, problems[0].Allowed, c.allowed, "%+v", problems[0])
		assert.NotEmpty(t, problems[0].Message)
	}
}

// Requests that are no JSON of a Request are refused.
func TestRequestsThatAreNone(t *testing.T) {
	w := newWorld(t)
	for _, text := range []string{"", "null x", "[]", `{"course":3}`, `{"cours":"tracks"}`, `{} {}`, `{"envs":1e99}`,
		strings.Repeat("[", 10000)} {
		err := w.Call(t.Context(), "generate", json.RawMessage(text), nil, func(world.Frame) error { return nil })
		var problem *world.Refused
		require.ErrorAs(t, err, &problem, text)
		assert.Equal(t, "request", problem.Problems[0].Field, text)
	}
}

// Whatever a page sends as the value of a setting is answered or refused.
func TestHostileValues(t *testing.T) {
	w := newWorld(t)
	for course, table := range tablesOf(t, w).Kinds {
		for _, field := range table.Fields {
			for _, text := range []string{"", " ", "NaN", "-1e308", "1e999", "[1, 2", "[1,2,3]", "[9, 1]", "true", "\x00",
				"1e-320", "ü", "[[]]", "0x10", "1_000", "999999999999999999999"} {
				r := world.Request{Course: course, Envs: 2, Settings: map[string]string{field.Name: text}, File: "x.csv"}
				if course == "race" {
					r = world.Request{Course: world.CourseTracks, Envs: 2, Format: "drive",
						Drive: world.Drive{Settings: map[string]string{field.Name: text}}}
				}
				_, err := ask(t.Context(), w, "describe", r, nil)
				if err == nil {
					continue
				}
				var problem *world.Refused
				require.ErrorAs(t, err, &problem, "%s=%q", field.Name, text)
				assert.NotContains(t, problem.Error(), "\x00")
			}
		}
	}
}

// A request that is given up ends between two chunks.
func TestGivenUp(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	text, err := json.Marshal(world.Request{Course: world.CourseTracks, Envs: 512,
		Settings: map[string]string{"generator": "repulsive"}})
	require.NoError(t, err)
	frames := 0
	err = w.Call(ctx, "generate", text, nil, func(world.Frame) error {
		frames++
		stop()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, frames)
}

// The error of the page's connection ends a call, also one that drives.
func TestConnectionLost(t *testing.T) {
	w := newWorld(t)
	lost := fmt.Errorf("the connection is lost")
	for _, name := range []string{"generate", "statistics", "drive", "export", "describe", "tables"} {
		err := w.Call(t.Context(), name, json.RawMessage(`{"course":"tracks","envs":2,"format":"npz"}`), nil,
			func(world.Frame) error { return lost })
		require.ErrorIs(t, err, lost, name)
	}
}

// Few calls work at a time, few wait, and the others are told so.
func TestConcurrentCallsAreBounded(t *testing.T) {
	w := newWorld(t)
	hold, held := make(chan struct{}), make(chan struct{}, 100)
	var group sync.WaitGroup
	var mutex sync.Mutex
	busy, done := 0, 0
	const calls = 60
	for range calls {
		group.Go(func() {
			request := json.RawMessage(`{"course":"tracks","envs":1}`)
			err := w.Call(t.Context(), "describe", request, nil, func(world.Frame) error {
				held <- struct{}{}
				<-hold
				return nil
			})
			mutex.Lock()
			defer mutex.Unlock()
			if err == nil {
				done++
			} else if assert.ErrorIs(t, err, world.ErrBusy) {
				busy++
			}
		})
	}
	<-held
	require.Eventually(t, func() bool { mutex.Lock(); defer mutex.Unlock(); return busy >= calls-34 }, time.Minute,
		time.Millisecond)
	close(hold)
	group.Wait()
	assert.Equal(t, calls, busy+done)
	assert.Equal(t, 34, done)
}

// A page that reads slowly keeps its place among those that wait, but not one of the two that work.
func TestConcurrentSlowReaders(t *testing.T) {
	w := newWorld(t)
	request := json.RawMessage(`{"course":"tracks","envs":1}`)
	hold, held := make(chan struct{}), make(chan struct{}, 100)
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			assert.NoError(t, w.Call(t.Context(), "generate", request, nil, func(world.Frame) error {
				held <- struct{}{}
				<-hold
				return nil
			}))
		})
	}
	for range 5 {
		select {
		case <-held:
		case <-time.After(time.Minute):
			close(hold)
			t.Fatal("a call waits for one whose answer nobody reads")
		}
	}
	_, err := ask(t.Context(), w, "generate", world.Request{Course: world.CourseTracks, Envs: 24}, nil)
	require.NoError(t, err)
	close(hold)
	group.Wait()
}

// After Close, calls are refused, and their error is no panic of a closed device.
func TestClosed(t *testing.T) {
	device, err := trackgen.Open("cpu")
	require.NoError(t, err)
	w := world.New(device, world.Options{})
	w.Close()
	require.NoError(t, device.Close())
	_, err = ask(t.Context(), w, "generate", world.Request{Course: world.CourseTracks, Envs: 1}, nil)
	assert.ErrorContains(t, err, "has ended")
}
