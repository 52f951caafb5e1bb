package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrNoDataset is matched by the errors of a store that holds no data set, or another one than is asked for.
var ErrNoDataset = errors.New("dataset: not this data set")

// ErrIncomplete is matched by the error for a data set with shards that are not finished.
var ErrIncomplete = errors.New("dataset: not complete")

// Manifest says what a complete data set holds. Its JSON form is the object manifest.json: "plan", "rows", "valid",
// "bytes", and "shards", one Record each.
type Manifest struct {
	Plan    Plan
	Version string // of TrackGen
	Rows    int64  // tracks in all files
	Valid   int64  // of these, valid tracks
	Bytes   int64  // size of all files
	Shards  []Record
}

// manifestJSON is the JSON form of a manifest.
type manifestJSON struct {
	Plan   json.RawMessage `json:"plan"`
	Rows   int64           `json:"rows"`
	Valid  int64           `json:"valid"`
	Bytes  int64           `json:"bytes"`
	Shards []Record        `json:"shards"`
}

// newManifest sums records up.
func newManifest(plan Plan, version string, records []Record) *Manifest {
	m := &Manifest{Plan: plan.complete(), Version: version, Shards: records}
	for _, r := range records {
		m.Rows, m.Valid, m.Bytes = m.Rows+int64(r.Rows), m.Valid+int64(r.Valid), m.Bytes+r.Bytes
	}
	return m
}

// text returns the JSON form.
func (m *Manifest) text() ([]byte, error) {
	plan, err := m.Plan.text(m.Version)
	if err != nil {
		return nil, err
	}
	return indented(manifestJSON{
		Plan: bytes.TrimSpace(plan), Rows: m.Rows, Valid: m.Valid, Bytes: m.Bytes, Shards: m.Shards,
	})
}

// ReadPlan returns the plan of the data set in a store, and the version of TrackGen that it belongs to. The error
// matches ErrNoDataset if there is none.
func ReadPlan(ctx context.Context, s Store) (Plan, string, error) {
	text, err := get(ctx, s, planName)
	if err != nil {
		return Plan{}, "", err
	}
	if text == nil {
		return Plan{}, "", fmt.Errorf("%w: there is no %s", ErrNoDataset, s.Where(planName))
	}
	var form planJSON
	if err := decode(text, &form); err != nil {
		return Plan{}, "", fmt.Errorf("%w: %s: %w", ErrNoDataset, s.Where(planName), err)
	}
	if form.Format != planFormat {
		return Plan{}, "", fmt.Errorf("%w: %s: format is %d: must be %d", ErrNoDataset, s.Where(planName), form.Format,
			planFormat)
	}
	plan, err := form.plan()
	if err != nil {
		return Plan{}, "", fmt.Errorf("%w: %s: %w", ErrNoDataset, s.Where(planName), err)
	}
	return plan, form.Version, nil
}

// settle writes the plan to a store that has none, or returns an error that matches ErrNoDataset if the store has
// another.
func settle(ctx context.Context, s Store, plan Plan, version string) error {
	want, err := plan.text(version)
	if err != nil {
		return err
	}
	have, err := get(ctx, s, planName)
	switch {
	case err != nil:
		return err
	case have == nil:
		return put(ctx, s, planName, want)
	case !bytes.Equal(have, want):
		return fmt.Errorf("%w: %s is the plan of another data set (%s): the same one needs the same settings, and another "+
			"one a place of its own", ErrNoDataset, s.Where(planName), difference(have, want))
	}
	return nil
}

// difference names the first field in which two JSON forms of plans differ.
func difference(have, want []byte) string {
	before, after := bytes.Split(have, []byte{'\n'}), bytes.Split(want, []byte{'\n'})
	for i := range min(len(before), len(after)) {
		if !bytes.Equal(before[i], after[i]) {
			clean := func(line []byte) string { return string(bytes.Trim(bytes.TrimSpace(line), ",")) }
			return fmt.Sprintf("there %s, here %s", clean(before[i]), clean(after[i]))
		}
	}
	return "one has more fields than the other"
}

// readRecords returns the record of each shard, nil for those that are not finished.
func readRecords(ctx context.Context, s Store, plan Plan) ([]*Record, error) {
	list := make([]*Record, plan.Shards())
	for i := range list {
		var err error
		if list[i], err = readRecord(ctx, s, plan.Shard(i)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// manifestOf returns the manifest of a data set with these records, and nil if a shard has none.
func manifestOf(plan Plan, version string, records []*Record) *Manifest {
	var finished []Record
	for _, r := range records {
		if r == nil {
			return nil
		}
		finished = append(finished, *r)
	}
	return newManifest(plan, version, finished)
}

// finish writes the manifest if all shards have a record. It returns nil if some have none.
func finish(ctx context.Context, s Store, plan Plan, version string) (*Manifest, error) {
	records, err := readRecords(ctx, s, plan)
	if err != nil {
		return nil, err
	}
	m := manifestOf(plan, version, records)
	if m == nil {
		return nil, nil
	}
	text, err := m.text()
	if err != nil {
		return nil, err
	}
	return m, put(ctx, s, manifestName, text)
}
