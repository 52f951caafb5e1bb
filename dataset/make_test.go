package dataset_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/dataset"
	"github.com/trackgen-go/trackgen/export"
	_ "github.com/trackgen-go/trackgen/export/parquet"
	"github.com/trackgen-go/trackgen/track"
)

const version = "v0.0.0-test"

func run(device backend.Device, store dataset.Store) dataset.Run {
	return dataset.Run{Device: device, Plan: small(), Store: store, Version: version}
}

// One process with one worker, and three that share a store at once, write the same bytes.
func TestPartsAtOnceMakeTheSameBytes(t *testing.T) {
	one := newMemory()
	result, err := dataset.Make(t.Context(), run(open(t, backend.Workers(1)), one))
	require.NoError(t, err)
	require.NotNil(t, result.Manifest)
	assert.Equal(t, 4, result.MadeShards)
	assert.EqualValues(t, 100, result.Rows)
	assert.EqualValues(t, 100, result.Seeds)
	assert.EqualValues(t, 100, result.AllSeeds)

	shared := newMemory()
	device := open(t, backend.Workers(3))
	var group errgroup.Group
	var completed atomic.Int32
	for part := range 3 {
		group.Go(func() error {
			r := run(device, shared)
			r.Part = dataset.Part{Index: part, Count: 3}
			result, err := dataset.Make(t.Context(), r)
			if result.Manifest != nil {
				completed.Add(1)
			}
			return err
		})
	}
	require.NoError(t, group.Wait())
	assert.GreaterOrEqual(t, completed.Load(), int32(1), "the last of them completes the data set")
	assert.Equal(t, one.copy(), shared.copy())
	assert.ElementsMatch(t, []string{"_plan.json", "manifest.json", "_records/00000.json", "_records/00001.json",
		"_records/00002.json", "_records/00003.json", "tracks-00000-of-00004.parquet", "tracks-00001-of-00004.parquet",
		"tracks-00002-of-00004.parquet", "tracks-00003-of-00004.parquet"}, slices.Collect(maps.Keys(one.copy())))
}

// A folder holds what any store holds, and the tracks are those of one batch of all seeds.
func TestFolderHoldsTheTracks(t *testing.T) {
	device := open(t)
	folder := filepath.Join(t.TempDir(), "a", "b")
	store, err := dataset.Folder(folder)
	require.NoError(t, err)
	r := run(device, store)
	r.Plan.Format = dataset.NPZ
	result, err := dataset.Make(t.Context(), r)
	require.NoError(t, err)

	config := small().Config
	config.NumEnvs = 100
	generator, err := track.NewGenerator(device, config, track.WithSeed(7), track.WithEpoch(2))
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	want, err := generator.Track().Batch(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, want.NumValid(), result.Valid)
	assert.EqualValues(t, want.NumValid(), result.Manifest.Valid)
	assert.Less(t, result.Valid, int64(100), "the plan has a track that is not valid")
	next := 0
	for _, shard := range result.Manifest.Shards {
		batch, metadata, err := export.ReadNPZ(filepath.Join(folder, shard.File))
		require.NoError(t, err)
		assert.Empty(t, metadata.Device)
		assert.EqualValues(t, 7+next, shard.First)
		for e := range batch.Envs {
			require.Equal(t, want.Seed[next], batch.Seed[e])
			require.Equal(t, want.Count[next], batch.Count[e])
			require.Equal(t, want.Points(want.Center, next)[:want.Count[next]], batch.Points(batch.Center, e)[:batch.Count[e]])
			next++
		}
	}
	assert.Equal(t, 100, next)
}

// A run makes what is missing or damaged, and nothing else.
func TestContinues(t *testing.T) {
	device := open(t)
	folder := t.TempDir()
	store, err := dataset.Folder(folder)
	require.NoError(t, err)
	_, err = dataset.Make(t.Context(), run(device, store))
	require.NoError(t, err)
	whole := files(t, folder)

	for name, damage := range map[string]func(path string) error{
		"missing": os.Remove,
		"shorter": func(path string) error { return os.Truncate(path, 1000) },
		"changed": func(path string) error {
			text, err := os.ReadFile(path)
			text[len(text)/2] ^= 1
			return errors.Join(err, os.WriteFile(path, text, 0o600))
		},
	} {
		for _, file := range []string{"tracks-00001-of-00004.parquet", "_records/00001.json", "manifest.json"} {
			t.Run(name+" "+filepath.Base(file), func(t *testing.T) {
				path := filepath.Join(folder, filepath.FromSlash(file))
				if info, err := os.Stat(path); name == "shorter" && (err != nil || info.Size() <= 1000) {
					t.Skip("the file is short")
				}
				require.NoError(t, damage(path))
				result, err := dataset.Make(t.Context(), run(device, store))
				require.NoError(t, err)
				want := 1
				if file == "manifest.json" {
					want = 0
				}
				assert.Equal(t, want, result.MadeShards)
				assert.Equal(t, 4-want, result.KeptShards)
				assert.EqualValues(t, 100, result.Seeds)
				assert.Equal(t, whole, files(t, folder))
			})
		}
	}
}

// Wherever a run ends, what is there is whole, and the next run completes the data set.
func TestEveryFailureLeavesWholeObjects(t *testing.T) {
	device := open(t)
	complete := newMemory()
	_, err := dataset.Make(t.Context(), run(device, complete))
	require.NoError(t, err)
	whole := complete.copy()
	failure := errors.New("no space left")
	for at := 1; at <= complete.created; at++ {
		for _, writing := range []bool{false, true} {
			store := newMemory()
			if writing {
				store.write = func(string) error {
					if store.created >= at {
						return failure
					}
					return nil
				}
			} else {
				store.fail = func(_ string, created int) error {
					if created >= at {
						return failure
					}
					return nil
				}
			}
			_, err := dataset.Make(t.Context(), run(device, store))
			require.ErrorIs(t, err, failure, "object %d", at)
			for name, text := range store.copy() {
				require.Equal(t, whole[name], text, "object %d, %s", at, name)
			}
			store.fail, store.write = nil, nil
			_, err = dataset.Make(t.Context(), run(device, store))
			require.NoError(t, err)
			require.Equal(t, whole, store.copy(), "object %d", at)
		}
	}
}

// Several devices make the shards of one run, with the bytes of one device.
func TestDevicesAtOnceMakeTheSameBytes(t *testing.T) {
	one, several := newMemory(), newMemory()
	_, err := dataset.Make(t.Context(), run(open(t), one))
	require.NoError(t, err)
	r := run(open(t, backend.Workers(1)), several)
	r.Others = []backend.Device{open(t, backend.Workers(1)), open(t, backend.Scalar(true))}
	result, err := dataset.Make(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, 4, result.MadeShards)
	assert.Equal(t, one.copy(), several.copy())

	for _, others := range [][]backend.Device{{nil}, {r.Device}, {r.Others[0], r.Others[0]}} {
		r.Others = others
		_, err := dataset.Make(t.Context(), r)
		require.ErrorContains(t, err, "must be an open device that the run has once")
	}
}

func TestCancelAtOnce(t *testing.T) {
	device, store := open(t), newMemory()
	ctx, cancel := context.WithCancel(t.Context())
	r := run(device, store)
	r.Plan.Tracks = 50 * int64(r.Plan.ShardTracks) // far more than can be under way when the run is canceled
	r.Progress = func(p dataset.Progress) {
		if p.MadeShards == 2 {
			cancel()
		}
	}
	result, err := dataset.Make(ctx, r)
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, result.Manifest)
	assert.GreaterOrEqual(t, result.MadeShards, 2)
	r.Progress = nil
	result, err = dataset.Make(t.Context(), r)
	require.NoError(t, err)
	assert.NotNil(t, result.Manifest)
}

// A condition keeps some tracks of each shard, and none of one.
func TestKeep(t *testing.T) {
	device, store := open(t), newMemory()
	r := run(device, store)
	r.Plan.Where = "seeds that 3 divides, from 40 on"
	r.Keep = func(_ context.Context, batch *track.Batch) ([]bool, error) {
		keep := make([]bool, batch.Envs)
		for e, seed := range batch.Seed {
			keep[e] = seed%3 == 0 && seed >= 40
		}
		return keep, nil
	}
	var last dataset.Progress
	r.Progress = func(p dataset.Progress) { last = p }
	result, err := dataset.Make(t.Context(), r)
	require.NoError(t, err)
	rows := []int{}
	for _, shard := range result.Manifest.Shards {
		rows = append(rows, shard.Rows)
	}
	assert.Equal(t, []int{0, 9, 10, 3}, rows) // seeds 7 to 36, 37 to 66, 67 to 96, 97 to 106
	assert.EqualValues(t, 22, result.Manifest.Rows)
	assert.EqualValues(t, 100, last.Seeds)
	assert.NotContains(t, store.copy(), "tracks-00000-of-00004.parquet")
	again, err := dataset.Make(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, 4, again.KeptShards)

	r.Keep = nil
	_, err = dataset.Make(t.Context(), r)
	require.ErrorIs(t, err, dataset.ErrPlan)
	r = run(device, newMemory())
	r.Plan.Where = "too few"
	r.Keep = func(context.Context, *track.Batch) ([]bool, error) { return []bool{true}, nil }
	r.Plan.ShardTracks = 1000
	_, err = dataset.Make(t.Context(), r)
	require.Error(t, err)
}

// Another data set, or another version, does not add to one.
func TestOneDataSetInAStore(t *testing.T) {
	device, store := open(t), newMemory()
	_, err := dataset.Make(t.Context(), run(device, store))
	require.NoError(t, err)
	whole := store.copy()
	for name, change := range map[string]func(*dataset.Run){
		`"epoch": 2, here "epoch": 3`:                        func(r *dataset.Run) { r.Plan.Epoch = 3 },
		`"version": "v0.0.0-test", here "version": "v0.0.1"`: func(r *dataset.Run) { r.Version = "v0.0.1" },
		`"half_width": 0.2`:                                  func(r *dataset.Run) { r.Plan.Config.Road.HalfWidth = 0.125 },
		`"files": "parquet", here "files": "npz"`:            func(r *dataset.Run) { r.Plan.Format = dataset.NPZ },
		`"first_seed": 7, here "first_seed": 8`:              func(r *dataset.Run) { r.Plan.First = 8 },
		`"shard_tracks": 30, here "shard_tracks": 31`:        func(r *dataset.Run) { r.Plan.ShardTracks = 31 },
	} {
		r := run(device, store)
		change(&r)
		_, err := dataset.Make(t.Context(), r)
		require.ErrorIs(t, err, dataset.ErrNoDataset)
		assert.ErrorContains(t, err, name)
		assert.Equal(t, whole, store.copy())
	}
	plan, made, err := dataset.ReadPlan(t.Context(), store)
	require.NoError(t, err)
	assert.Equal(t, version, made)
	r := run(device, store)
	r.Plan = plan
	result, err := dataset.Make(t.Context(), r)
	require.NoError(t, err, "a plan that was read is the same plan")
	assert.Equal(t, 4, result.KeptShards)
}

func TestHostilePlans(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "there is no memory:_plan.json",
		"{":                                    "unexpected EOF",
		"{}":                                   "format is 0: must be 1",
		"[1]":                                  "cannot unmarshal",
		`{"x":1}`:                              "unknown field",
		`{"format":1,"tracks":-5,"config":{}}`: "tracks is -5",
		`{"format":1,"tracks":5,"config":{"num_envs":"many"}}`:               "config",
		`{"format":1,"tracks":4294967296,"shard_tracks":1,"config":{}}`:      "must be",
		`{"format":1,"tracks":5,"files":"exe","shard_tracks":1,"config":{}}`: "files",
	} {
		store := newMemory()
		if text != "" {
			store.objects["_plan.json"] = []byte(text)
		}
		_, _, err := dataset.ReadPlan(t.Context(), store)
		require.ErrorIs(t, err, dataset.ErrNoDataset, text)
		if want != "files" {
			assert.ErrorContains(t, err, want, text)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	for want, change := range map[string]func(*dataset.Run){
		"tracks is 0: must be 1 to 4294967296":           func(r *dataset.Run) { r.Plan.Tracks = 0 },
		"seed is 2147483647: must be at most 2147483548": func(r *dataset.Run) { r.Plan.First = 1<<31 - 1 },
		"shard_tracks is -1: must be 1 to 16777216":      func(r *dataset.Run) { r.Plan.ShardTracks = -1 },
		"shard_tracks is 1: must be at least 2": func(r *dataset.Run) {
			r.Plan.Tracks, r.Plan.ShardTracks = 200_000, 1
		},
		`format is "csv": must be "parquet" or "npz"`: func(r *dataset.Run) { r.Plan.Format = "csv" },
		"shard is 4/4: must be i/n":                   func(r *dataset.Run) { r.Part = dataset.Part{Index: 4, Count: 4} },
		"half_width":                                  func(r *dataset.Run) { r.Plan.Config.Road.HalfWidth = -1 },
		"Device is nil":                               func(r *dataset.Run) { r.Device = nil },
		"Store is nil":                                func(r *dataset.Run) { r.Store = nil },
		`where is "": must be the words for Run.Keep`: func(r *dataset.Run) {
			r.Keep = func(context.Context, *track.Batch) ([]bool, error) { return nil, nil }
		},
	} {
		store := newMemory()
		r := run(open(t), store)
		change(&r)
		_, err := dataset.Make(t.Context(), r)
		require.ErrorContains(t, err, want)
		assert.Empty(t, store.copy())
	}
}

func TestParts(t *testing.T) {
	for text, want := range map[string]dataset.Part{"0/1": {0, 1}, "3/8": {3, 8}} {
		have, err := dataset.ParsePart(text)
		require.NoError(t, err)
		assert.Equal(t, want, have)
		assert.Equal(t, text, have.String())
	}
	for _, text := range []string{"", "3", "8/8", "-1/8", "1/0", "a/b", "1/8/2", "0x1/8", "1/99999999999"} {
		_, err := dataset.ParsePart(text)
		require.ErrorIs(t, err, dataset.ErrPlan, text)
	}
}

func TestPartOfTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		set  string
		part dataset.Part
		by   string
		want string // error
	}{
		{"", dataset.Part{}, "", ""},
		{"JOB_COMPLETION_INDEX=3 JOB_COMPLETIONS=8", dataset.Part{Index: 3, Count: 8}, "Kubernetes Indexed Job", ""},
		{"SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=2",
			dataset.Part{Index: 3, Count: 4}, "Slurm array", ""},
		{"RANK=0 WORLD_SIZE=2", dataset.Part{Index: 0, Count: 2}, "torchrun", ""},
		{"JOB_COMPLETION_INDEX=3", dataset.Part{}, "", "JOB_COMPLETIONS is not set"},
		{"RANK=2 WORLD_SIZE=2", dataset.Part{}, "", "RANK is 2: must be less than"},
		{"RANK=x WORLD_SIZE=2", dataset.Part{}, "", `RANK is "x": must be a whole number`},
		{"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=2",
			dataset.Part{}, "", "SLURM_ARRAY_TASK_ID is -1"},
	} {
		part, by, err := dataset.PartOf(func(name string) (string, bool) {
			for _, pair := range strings.Fields(c.set) {
				if value, found := strings.CutPrefix(pair, name+"="); found {
					return value, true
				}
			}
			return "", false
		})
		if c.want != "" {
			require.ErrorIs(t, err, dataset.ErrPlan)
			assert.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.part, part)
		assert.Equal(t, c.by, by)
	}
}

func TestVerifyAndMerge(t *testing.T) {
	device := open(t)
	whole := newMemory()
	_, err := dataset.Make(t.Context(), run(device, whole))
	require.NoError(t, err)
	found, err := dataset.Verify(t.Context(), run(open(t, backend.Workers(1)), whole), dataset.Sample(0, 4))
	require.NoError(t, err)
	assert.Equal(t, dataset.Verification{Shards: 4, Checked: 4, Made: 4}, found)

	// Two machines that share nothing.
	var apart []dataset.Store
	var stores []*memory
	for i := range 2 {
		store := newMemory()
		r := run(device, store)
		r.Part = dataset.Part{Index: i, Count: 2}
		_, err := dataset.Make(t.Context(), r)
		require.NoError(t, err)
		apart, stores = append(apart, store), append(stores, store)
	}
	merged := newMemory()
	_, err = dataset.Merge(t.Context(), merged, apart[:1], nil)
	require.ErrorIs(t, err, dataset.ErrIncomplete)
	assert.ErrorContains(t, err, "2 of 4 shards are missing or damaged, the first is 1")
	manifest, err := dataset.Merge(t.Context(), merged, apart, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 100, manifest.Rows)
	assert.Equal(t, whole.copy(), merged.copy())

	// A file that is not what its record says is not copied.
	file := "tracks-00002-of-00004.parquet"
	stores[0].objects[file][500] ^= 1
	_, err = dataset.Merge(t.Context(), newMemory(), apart, nil)
	require.ErrorIs(t, err, dataset.ErrIncomplete)

	// A file of which the record was made to match is found where it is made again.
	damaged := run(device, merged)
	merged.objects[file] = slices.Clone(merged.objects[file])
	merged.objects[file][500] ^= 1
	delete(merged.objects, "_records/00001.json")
	var record dataset.Record
	require.NoError(t, json.Unmarshal(merged.objects["_records/00003.json"], &record))
	record.Valid--
	merged.objects["_records/00003.json"], err = json.Marshal(record)
	require.NoError(t, err)
	found, err = dataset.Verify(t.Context(), damaged, []int{0, 1, 2, 3})
	require.NoError(t, err)
	reasons := []string{}
	for _, f := range found.Findings {
		reasons = append(reasons, fmt.Sprint(f.Shard.Index, " ", f.Reason))
	}
	assert.Equal(t, []string{"1 missing", "2 damaged", "3 different"}, reasons)
	assert.Equal(t, []int{0, 3, 6}, dataset.Sample(3, 10))
}
