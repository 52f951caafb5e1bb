package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Finding is a shard that is not what the data set says.
type Finding struct {
	Shard Shard
	// Reason is "missing", "damaged" if its file is not what its record says, or "different" if it was made again and
	// differs.
	Reason string
}

// Verification is what Verify found.
type Verification struct {
	Shards   int // of the data set
	Checked  int // whose file was compared with its record
	Made     int // that were made again and compared
	Findings []Finding
	// Manifest is why manifest.json is not right: "missing", or "different" from what the records say. It is "" if it is
	// right, or if a shard has no record, so that there should be none.
	Manifest string
}

// Sample returns k of n shards, spread evenly over the data set: all of them if k is 0 or at least n.
func Sample(k, n int) []int {
	if k <= 0 || k > n {
		k = n
	}
	list := make([]int, k)
	for i := range list {
		list[i] = int(int64(i) * int64(n) / int64(k))
	}
	return list
}

// Verify compares each shard of the data set of r.Store with its record, and makes the shards of sample again and
// compares their bytes. It compares the manifest with the records. It reports what differs; the error is for what
// cannot be checked. r.Plan is the data set's (ReadPlan), and r.Part chooses the shards to look at. The device may be
// another than the one that made the data set.
func Verify(ctx context.Context, r Run, sample []int) (Verification, error) {
	if err := r.validate(); err != nil {
		return Verification{}, err
	}
	if len(sample) > 0 {
		if err := r.validateKeep(); err != nil {
			return Verification{}, err
		}
	}
	r.Plan = r.Plan.complete()
	w := &work{Run: r}
	shards := r.Part.shards(r.Plan.Shards())
	v := Verification{Shards: r.Plan.Shards()}
	w.result.Shards, w.result.AllSeeds = len(shards), int64(len(shards))
	from, err := newSource(r.Device, r.Plan)
	if err != nil {
		return v, err
	}
	defer func() { _ = from.close() }()
	records, err := readRecords(ctx, r.Store, r.Plan)
	if err != nil {
		return v, err
	}
	for _, i := range shards {
		reason, err := w.verify(ctx, from, r.Plan.Shard(i), records[i], slices.Contains(sample, i), &v)
		if err != nil {
			return v, err
		}
		if reason != "" {
			v.Findings = append(v.Findings, Finding{r.Plan.Shard(i), reason})
		}
		w.tell(i, func(p *Progress) { p.Seeds++ })
	}
	v.Manifest, err = verifyManifest(ctx, r.Store, manifestOf(r.Plan, r.Version, records))
	return v, err
}

// verifyManifest returns why the manifest in a store is not right, or "". m is what it should be, nil if there should
// be none.
func verifyManifest(ctx context.Context, s Store, m *Manifest) (string, error) {
	if m == nil {
		return "", nil
	}
	want, err := m.text()
	if err != nil {
		return "", err
	}
	have, err := get(ctx, s, manifestName)
	switch {
	case err != nil:
		return "", err
	case have == nil:
		return "missing", nil
	case !bytes.Equal(have, want):
		return "different", nil
	}
	return "", nil
}

// verify returns why a shard, of which record is nil if it is not finished, is not right, or "".
func (w *work) verify(ctx context.Context, from *source, shard Shard, record *Record, again bool,
	v *Verification) (string, error) {
	if record == nil {
		return "missing", nil
	}
	same, err := record.matches(ctx, w.Store)
	if err != nil {
		return "", err
	}
	v.Checked++
	if !same {
		return "damaged", nil
	}
	if !again {
		return "", nil
	}
	made, err := w.again(ctx, from, shard)
	if err != nil {
		return "", err
	}
	v.Made++
	if made != *record {
		return "different", nil
	}
	return "", nil
}

// again makes a shard without keeping its file.
func (w *work) again(ctx context.Context, from *source, shard Shard) (Record, error) {
	seeds, err := w.seeds(ctx, from, shard)
	if err != nil || len(seeds) == 0 {
		return Record{Shard: shard}, err
	}
	file, err := newShardFile(io.Discard, w.Plan, w.Version, shard, len(seeds))
	if err != nil {
		return Record{}, err
	}
	for len(seeds) > 0 {
		c, err := from.next(ctx, seeds)
		if err != nil {
			return Record{}, err
		}
		err = file.add(ctx, c.Batch)
		c.release()
		if err != nil {
			return Record{}, err
		}
		seeds = seeds[c.Envs:]
	}
	return file.finish()
}

// Merge copies the finished shards of stores, which hold parts of one data set, into another, and writes the manifest.
// It copies nothing that is there already, and checks each file against its record while it copies. The error matches
// ErrNoDataset if the data sets differ, and ErrIncomplete if shards are missing in all of them.
func Merge(ctx context.Context, into Store, from []Store, progress func(done, all int)) (*Manifest, error) {
	if len(from) == 0 {
		return nil, errors.New("dataset: there is nothing to merge")
	}
	plan, version, err := ReadPlan(ctx, from[0])
	if err != nil {
		return nil, err
	}
	text, err := plan.text(version)
	if err != nil {
		return nil, err
	}
	for _, s := range from[1:] {
		have, err := get(ctx, s, planName)
		if err != nil {
			return nil, err
		}
		if string(have) != string(text) {
			return nil, fmt.Errorf("%w: %s and %s are plans of different data sets (%s)", ErrNoDataset,
				s.Where(planName), from[0].Where(planName), difference(have, text))
		}
	}
	if err := settle(ctx, into, plan, version); err != nil {
		return nil, err
	}
	missing, first := 0, 0
	for i := range plan.Shards() {
		found, err := mergeShard(ctx, into, from, plan.Shard(i))
		if err != nil {
			return nil, err
		}
		if !found {
			if missing == 0 {
				first = i
			}
			missing++
		}
		if progress != nil {
			progress(i+1, plan.Shards())
		}
	}
	if missing > 0 {
		return nil, fmt.Errorf("%w: %d of %d shards are missing or damaged, the first is %d", ErrIncomplete, missing,
			plan.Shards(), first)
	}
	return finish(ctx, into, plan, version)
}

// mergeShard gets a shard from the first store that has it.
func mergeShard(ctx context.Context, into Store, from []Store, shard Shard) (bool, error) {
	record, err := readRecord(ctx, into, shard)
	if err != nil {
		return false, err
	}
	if record != nil {
		if same, err := record.matches(ctx, into); same || err != nil {
			return same, err
		}
	}
	for _, s := range from {
		record, err := readRecord(ctx, s, shard)
		if err != nil {
			return false, err
		}
		if record == nil {
			continue
		}
		if copied, err := copyShard(ctx, into, s, record); copied || err != nil {
			return copied, err
		}
	}
	return false, nil
}

// copyShard copies the file and the record of a shard. ok is false if the file is not what the record says.
func copyShard(ctx context.Context, into, from Store, record *Record) (ok bool, err error) {
	if same, err := record.matches(ctx, from); !same || err != nil {
		return false, err
	}
	if record.Rows > 0 {
		if err := copyFile(ctx, into, from, record.File); err != nil {
			return false, err
		}
		// What was read a second time may differ from what was checked.
		if same, err := record.matches(ctx, into); !same || err != nil {
			return false, err
		}
	}
	return true, putRecord(ctx, into, *record)
}

func copyFile(ctx context.Context, into, from Store, name string) (err error) {
	file, err := from.Open(ctx, name)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	object, err := into.Create(ctx, name)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer func() { err = errors.Join(err, object.Abort()) }()
	if _, err := io.Copy(object, &reader{ctx, file}); err != nil {
		return fmt.Errorf("dataset: copying %s: %w", from.Where(name), err)
	}
	if err := object.Commit(); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}
