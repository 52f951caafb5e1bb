package parquet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track"
)

// Keys of the metadata of a file.
const (
	MetadataKey = "trackgen.metadata"
	VersionKey  = "trackgen.version"
	SeedsKey    = "trackgen.seeds"
	EpochsKey   = "trackgen.epochs"
	HashKey     = "trackgen.sha256"
	MaxGatesKey = "trackgen.max_gates" // of gate courses alone
)

// rowGroupBytes is the approximate size of a row group, in bytes. A writer keeps one row group in memory.
const rowGroupBytes = 32 << 20

const numberBytes = 4

// Run is a sequence of consecutive tracks with the same epoch, or with seeds that increase by one from First.
type Run struct{ First, Count int32 }

// MarshalJSON implements json.Marshaler: a run is [first, count].
func (r Run) MarshalJSON() ([]byte, error) { return json.Marshal([2]int32{r.First, r.Count}) }

// UnmarshalJSON implements json.Unmarshaler.
func (r *Run) UnmarshalJSON(text []byte) error {
	var pair [2]int32
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	r.First, r.Count = pair[0], pair[1]
	return nil
}

// encoder implements export.Encoder.
type encoder struct {
	sequence *export.Sequence
	extra    *export.Extra
	file     *file
}

// NewEncoder writes a batch of the given shape as one Parquet file. The file is not compressed: generated points hardly
// compress, and so the bytes do not depend on the version of a compression library. Each row group holds about 32 MiB
// of tracks; the encoder keeps one in memory. It sets metadata.Config.NumEnvs to shape.Envs. Use it with export.Create:
//
//	export.Create("tracks.parquet", func(w io.Writer) (export.Encoder, error) {
//		return parquet.NewEncoder(w, shape, metadata)
//	})
func NewEncoder(w io.Writer, shape export.Shape, metadata export.Metadata,
	options ...export.EncoderOption) (export.Encoder, error) {
	sequence, err := export.NewSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	metadata.Config.NumEnvs = shape.Envs
	extra := sequence.Extra()
	out, err := newFile(w, newSchema(slices.Concat(leaves, extraLeaves(extra))), NewHash(), metadata, metadata.Version)
	if err != nil {
		return nil, err
	}
	return &encoder{sequence: sequence, extra: extra, file: out}, nil
}

// Append implements export.Encoder.
func (e *encoder) Append(ctx context.Context, chunk *track.Batch) error {
	first, err := e.sequence.Take(chunk)
	if err != nil {
		return err
	}
	extra, err := e.extra.Of(ctx, chunk)
	if err != nil {
		return err
	}
	columns := export.Table(chunk)
	for i := range chunk.Envs {
		if err := ctx.Err(); err != nil {
			return err
		}
		env := e.sequence.Number(first + i)
		e.file.addSource(integerOf(chunk.Seed, i), integerOf(chunk.Epoch, i))
		e.file.row = appendRow(e.file.row[:0], columns, chunk, i, int32(env))
		e.file.row = appendExtra(e.file.row, extra, i)
		if err := e.file.writeRow(env); err != nil {
			return err
		}
	}
	return nil
}

// Finish implements export.Encoder.
func (e *encoder) Finish() error {
	if err := e.sequence.Finish(); err != nil {
		return err
	}
	return e.file.finish()
}

// file writes the rows of a data set, and how to generate it again.
type file struct {
	//nolint:staticcheck // the writer that replaces it needs a Go type for a row
	writer  *parquet.Writer
	row     parquet.Row // memory for the current row, reused
	pending int         // bytes since the last row group
	hash    *Hash
	seeds   []Run
	epochs  []Run
}

func newFile(w io.Writer, schema *parquet.Schema, hash *Hash, metadata json.Marshaler, version string) (*file, error) {
	madeBy, err := json.Marshal(metadata)
	if err != nil {
		return nil, fmt.Errorf("parquet: metadata: %w", err)
	}
	writer := parquet.NewWriter(w, schema,
		parquet.Compression(&parquet.Uncompressed),
		parquet.CreatedBy("TrackGen", version, ""),
		parquet.KeyValueMetadata(MetadataKey, string(madeBy)),
		parquet.KeyValueMetadata(VersionKey, version),
	)
	return &file{writer: writer, hash: hash}, nil
}

// addSource notes what the next env was generated from.
func (f *file) addSource(seed, epoch int32) {
	f.seeds, f.epochs = appendSeed(f.seeds, seed), appendEpoch(f.epochs, epoch)
}

// writeRow writes the current row, which belongs to an env.
func (f *file) writeRow(env int) error {
	f.hash.Add(f.row)
	if _, err := f.writer.WriteRows([]parquet.Row{f.row}); err != nil {
		return fmt.Errorf("parquet: env %d: %w", env, err)
	}
	if f.pending += numberBytes * len(f.row); f.pending >= rowGroupBytes {
		if err := f.writer.Flush(); err != nil {
			return fmt.Errorf("parquet: %w", err)
		}
		f.pending = 0
	}
	return nil
}

// finish writes what follows the last row.
func (f *file) finish() error {
	for _, item := range [...]struct {
		key  string
		runs []Run
	}{{SeedsKey, f.seeds}, {EpochsKey, f.epochs}} {
		text, err := json.Marshal(item.runs)
		if err != nil {
			return fmt.Errorf("parquet: %s: %w", item.key, err)
		}
		f.writer.SetKeyValueMetadata(item.key, string(text))
	}
	f.writer.SetKeyValueMetadata(HashKey, f.hash.String())
	if err := f.writer.Close(); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

// integerOf returns element e of values, or 0 if values is nil.
func integerOf(values []int32, e int) int32 {
	if values == nil {
		return 0
	}
	return values[e]
}

// appendSeed adds a seed to the runs.
func appendSeed(runs []Run, seed int32) []Run {
	if n := len(runs); n > 0 && runs[n-1].First+runs[n-1].Count == seed && seed > runs[n-1].First {
		runs[n-1].Count++
		return runs
	}
	return append(runs, Run{seed, 1})
}

// appendEpoch adds an epoch to the runs.
func appendEpoch(runs []Run, epoch int32) []Run {
	if n := len(runs); n > 0 && runs[n-1].First == epoch {
		runs[n-1].Count++
		return runs
	}
	return append(runs, Run{epoch, 1})
}
