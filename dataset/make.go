package dataset

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

// Run is one process that makes a data set, or its part of it.
type Run struct {
	Device  backend.Device
	Others  []backend.Device // further devices, such as those of trackgen.OpenAll; all make shards at the same time
	Plan    Plan
	Store   Store
	Part    Part   // which shards; the zero value is all
	Version string // of TrackGen, as it stands in files

	// Keep returns which tracks of a batch the data set holds, one value for each env; nil keeps all. It must depend on
	// the tracks alone, and Plan.Where must name it. It is called from one goroutine at a time.
	Keep func(ctx context.Context, batch *track.Batch) ([]bool, error)

	// Progress is called from one goroutine at a time, after each chunk and each shard; nil is none.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Shard      int   `json:"shard"`       // being worked on
	Shards     int   `json:"shards"`      // of this run, all
	MadeShards int   `json:"made_shards"` // finished in this run
	KeptShards int   `json:"kept_shards"` // finished before, and still right
	Seeds      int64 `json:"seeds"`       // whose tracks are written, or were before
	AllSeeds   int64 `json:"all_seeds"`   // of this run
	Rows       int64 `json:"rows"`        // written in this run
	Valid      int64 `json:"valid"`       // of these, valid tracks
	Bytes      int64 `json:"bytes"`       // of the shards that this run finished
}

// Result is what a run did.
type Result struct {
	Progress
	Manifest *Manifest // of the whole data set; nil while shards of other parts are not finished
}

func (r *Run) validate() error {
	if r.Device == nil {
		return errors.New("dataset: Run.Device is nil: must be an open device")
	}
	for i, other := range r.Others {
		if other == nil || other == r.Device || slices.Index(r.Others, other) < i {
			return fmt.Errorf("dataset: Run.Others[%d] is %v: must be an open device that the run has once", i, other)
		}
	}
	if r.Store == nil {
		return errors.New("dataset: Run.Store is nil: must be a store, such as that of Folder")
	}
	if err := r.Part.validate(); err != nil {
		return err
	}
	return r.Plan.Validate()
}

// validateKeep returns an error if the plan has a condition and the run has none, or the other way round.
func (r *Run) validateKeep() error {
	if (r.Keep != nil) != (r.Plan.Where != "") {
		return &PlanError{"where", strconv.Quote(r.Plan.Where), "the words for Run.Keep, and empty without it"}
	}
	return nil
}

// Make makes the shards of a run that are missing or damaged. When the last shard of the whole data set is finished, it
// writes the manifest. It returns a *PlanError or a *track.ConfigError before it uses the device if the plan is not
// valid, and an error that matches ErrNoDataset if the store holds another data set. After an error or the end of ctx
// all shards that were finished stay, and a later run continues there.
//
// Generating, and writing what was generated, overlap, and a few shards are made at a time: half as many as there are
// cores (GOMAXPROCS), at least 2 for each device, and at most 16, or one for each device. Each keeps a few chunks of at
// most 2048 tracks in memory.
func Make(ctx context.Context, r Run) (Result, error) {
	if err := r.validate(); err != nil {
		return Result{}, err
	}
	if err := r.validateKeep(); err != nil {
		return Result{}, err
	}
	r.Plan = r.Plan.complete()
	if err := settle(ctx, r.Store, r.Plan, r.Version); err != nil {
		return Result{}, err
	}
	w := &work{Run: r}
	shards := r.Part.shards(r.Plan.Shards())
	w.result.Shards = len(shards)
	for _, i := range shards {
		w.result.AllSeeds += int64(r.Plan.Shard(i).Tracks)
	}
	todo, err := w.missing(ctx, shards)
	if err != nil {
		return w.result, err
	}
	if err := w.make(ctx, todo); err != nil {
		return w.result, err
	}
	w.result.Manifest, err = finish(ctx, r.Store, r.Plan, r.Version)
	return w.result, err
}

// work is a run in progress.
type work struct {
	Run
	choosing sync.Mutex // one call of Keep at a time
	counting sync.Mutex // of the result, and of calls of Progress
	result   Result
}

// mostAtOnce limits the shards that are made at a time.
const mostAtOnce = 16

// tell changes the counts of the result and reports them.
func (w *work) tell(shard int, count func(*Progress)) {
	w.counting.Lock()
	defer w.counting.Unlock()
	w.result.Shard = shard
	count(&w.result.Progress)
	if w.Progress != nil {
		w.Progress(w.result.Progress)
	}
}

// missing returns the shards that are not finished, or whose file is not what its record says.
func (w *work) missing(ctx context.Context, shards []int) ([]Shard, error) {
	var todo []Shard
	for _, i := range shards {
		shard := w.Plan.Shard(i)
		record, err := readRecord(ctx, w.Store, shard)
		if err != nil {
			return nil, err
		}
		if record != nil {
			same, err := record.matches(ctx, w.Store)
			if err != nil {
				return nil, err
			}
			if same {
				w.tell(i, func(p *Progress) {
					p.KeptShards++
					p.Seeds += int64(shard.Tracks)
				})
				continue
			}
		}
		todo = append(todo, shard)
	}
	return todo, nil
}

// piece is what the generating goroutine hands to the writing one.
type piece struct {
	shard Shard
	rows  int   // of the whole shard
	chunk chunk // empty in a shard without rows
	last  bool  // of its shard
}

// release frees the memory of the tracks for others.
func (p piece) release() {
	if p.chunk.Batch != nil {
		p.chunk.release()
	}
}

// make makes shards, some at a time. Two of them keep a CPU busy: one is read from the device or waits for a disk while
// the other is generated. A GPU generates faster than one core writes.
func (w *work) make(ctx context.Context, todo []Shard) error {
	queue := make(chan Shard, len(todo))
	for _, shard := range todo {
		queue <- shard
	}
	close(queue)
	devices := append([]backend.Device{w.Device}, w.Others...)
	lines, ctx := errgroup.WithContext(ctx)
	for i := range min(len(todo), max(2*len(devices), runtime.GOMAXPROCS(0)/2), max(mostAtOnce, len(devices))) {
		device := devices[i%len(devices)]
		lines.Go(func() error { return w.makeFrom(ctx, device, queue) })
	}
	return lines.Wait()
}

// makeFrom makes the shards of a queue, one after the other: one goroutine generates, this one writes, and another
// waits until a shard that was written is on the disk.
func (w *work) makeFrom(ctx context.Context, device backend.Device, queue <-chan Shard) error {
	ending, ctx := errgroup.WithContext(ctx)
	ending.SetLimit(1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pieces := make(chan piece, 1)
	generated := make(chan error, 1)
	go func() {
		defer close(pieces)
		generated <- w.generate(ctx, device, queue, pieces)
	}()
	written := w.write(ctx, pieces, ending)
	if written != nil {
		cancel()
	}
	ended := ending.Wait()
	cancel()
	for p := range pieces { // until the generating goroutine has ended
		p.release()
	}
	return cause(ended, written, <-generated)
}

// cause returns the error that made others end with context.Canceled.
func cause(list ...error) error {
	for _, err := range list {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(list...)
}

// generate sends the tracks of the shards of a queue, in order.
func (w *work) generate(ctx context.Context, device backend.Device, queue <-chan Shard,
	to chan<- piece) (err error) {
	from, err := newSource(device, w.Plan)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	for shard := range queue {
		if err := w.generateShard(ctx, from, shard, to); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) generateShard(ctx context.Context, from *source, shard Shard, to chan<- piece) error {
	seeds, err := w.seeds(ctx, from, shard)
	if err != nil {
		return err
	}
	p := piece{shard: shard, rows: len(seeds), last: len(seeds) == 0}
	if p.last {
		return send(ctx, to, p)
	}
	for rest := seeds; len(rest) > 0; {
		c, err := from.next(ctx, rest)
		if err != nil {
			return err
		}
		rest = rest[c.Envs:]
		p.chunk, p.last = c, len(rest) == 0
		if err := send(ctx, to, p); err != nil {
			c.release()
			return err
		}
	}
	return nil
}

func send(ctx context.Context, to chan<- piece, p piece) error {
	select {
	case to <- p:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// seeds returns the seeds of a shard whose tracks are kept.
func (w *work) seeds(ctx context.Context, from *source, shard Shard) ([]int32, error) {
	all := make([]int32, shard.Tracks)
	for i := range all {
		all[i] = shard.First + int32(i)
	}
	if w.Keep == nil {
		return all, nil
	}
	var kept []int32
	for rest := all; len(rest) > 0; {
		c, err := from.next(ctx, rest)
		if err != nil {
			return nil, err
		}
		w.choosing.Lock()
		keep, err := w.Keep(ctx, c.Batch)
		w.choosing.Unlock()
		c.release()
		if err != nil {
			return nil, fmt.Errorf("dataset: shard %d: choosing tracks: %w", shard.Index, err)
		}
		if len(keep) != c.Envs {
			return nil, fmt.Errorf("dataset: Run.Keep returned %d values for %d tracks", len(keep), c.Envs)
		}
		for e, seed := range rest[:c.Envs] {
			if keep[e] {
				kept = append(kept, seed)
			}
		}
		rest = rest[c.Envs:]
	}
	return kept, nil
}

// write writes the shards whose tracks arrive. They are completed by a goroutine of ending.
func (w *work) write(ctx context.Context, pieces <-chan piece, ending *errgroup.Group) (err error) {
	var open *storedShard
	defer func() {
		if open != nil {
			err = errors.Join(err, open.object.Abort())
		}
	}()
	for p := range pieces {
		if open == nil && p.rows > 0 {
			if open, err = createShard(ctx, w.Store, w.Plan, w.Version, p.shard, p.rows); err != nil {
				p.release()
				return err
			}
		}
		if err := w.writePiece(ctx, p, open); err != nil {
			return err
		}
		if p.last {
			file, skipped := open, int64(p.shard.Tracks-p.rows) // seeds that are not kept
			open = nil
			ending.Go(func() error { return w.end(ctx, p.shard, file, skipped) })
		}
	}
	return nil
}

// writePiece writes a piece to its shard and releases its memory.
func (w *work) writePiece(ctx context.Context, p piece, file *storedShard) error {
	defer p.release()
	if p.chunk.Batch == nil {
		return nil
	}
	before := file.record.Valid
	if err := file.add(ctx, p.chunk.Batch); err != nil {
		return err
	}
	w.tell(p.shard.Index, func(all *Progress) {
		all.Rows += int64(p.chunk.Envs)
		all.Seeds += int64(p.chunk.Envs)
		all.Valid += int64(file.record.Valid - before)
	})
	return nil
}

// end completes a shard; file is nil if it has no rows.
func (w *work) end(ctx context.Context, shard Shard, file *storedShard, skipped int64) error {
	record := Record{Shard: shard}
	if file == nil {
		if err := putRecord(ctx, w.Store, record); err != nil {
			return err
		}
	} else {
		var err error
		if record, err = file.commit(ctx, w.Store); err != nil {
			return errors.Join(err, file.object.Abort())
		}
	}
	w.tell(shard.Index, func(all *Progress) {
		all.MadeShards++
		all.Seeds += skipped
		all.Bytes += record.Bytes
	})
	return nil
}
