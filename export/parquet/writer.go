package parquet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/metadata"

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
	out      *output
}

// NewEncoder writes a batch of the given shape as one Parquet file with all columns, with every bit of them, compressed
// with Snappy. Each row group holds about 32 MiB of numbers; the encoder keeps one in memory. It sets
// metadata.Config.NumEnvs to shape.Envs. Use it with export.Create:
//
//	export.Create("tracks.parquet", func(w io.Writer) (export.Encoder, error) {
//		return parquet.NewEncoder(w, shape, metadata)
//	})
func NewEncoder(w io.Writer, shape export.Shape, metadata export.Metadata,
	options ...export.EncoderOption) (export.Encoder, error) {
	return Layout{}.NewEncoder(w, shape, metadata, options...)
}

// NewEncoder writes a batch of the given shape as one Parquet file, as the function of this name does, in the layout l.
func (l Layout) NewEncoder(w io.Writer, shape export.Shape, metadata export.Metadata,
	options ...export.EncoderOption) (export.Encoder, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	l = l.Resolved()
	sequence, err := export.NewSequence(shape, options...)
	if err != nil {
		return nil, err
	}
	metadata.Config.NumEnvs = shape.Envs
	extra := sequence.Extra()
	columns := slices.Concat(l.leaves(), extraLeaves(extra))
	out, err := newOutput(w, l, columns, l.NewHash(), metadata, metadata.Version)
	if err != nil {
		return nil, err
	}
	return &encoder{sequence: sequence, extra: extra, out: out}, nil
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
		e.out.addSource(integerOf(chunk.Seed, i), integerOf(chunk.Epoch, i))
		if err := e.out.sheet.addTrack(columns, extra, chunk, i, int32(env)); err != nil {
			return fmt.Errorf("env %d: %w", env, err)
		}
		if err := e.out.endRow(); err != nil {
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
	return e.out.finish()
}

// output writes the rows of a data set, and how to generate it again.
type output struct {
	file   *container
	sheet  *sheet
	hash   *Hash
	seeds  []Run
	epochs []Run
}

func newOutput(w io.Writer, layout Layout, columns []leaf, hash *Hash, madeBy json.Marshaler,
	version string) (*output, error) {
	text, err := json.Marshal(madeBy)
	if err != nil {
		return nil, fmt.Errorf("parquet: metadata: %w", err)
	}
	root, err := layout.root(columns)
	if err != nil {
		return nil, fmt.Errorf("parquet: schema: %w", err)
	}
	values := metadata.NewKeyValueMetadata()
	for _, item := range [...][2]string{{MetadataKey, string(text)}, {VersionKey, version}} {
		if err := values.Append(item[0], item[1]); err != nil {
			return nil, fmt.Errorf("parquet: %s: %w", item[0], err)
		}
	}
	file, err := newContainer(w, root, layout, layout.properties(columns, version), values)
	if err != nil {
		return nil, fmt.Errorf("parquet: begin a file: %w", err)
	}
	return &output{file: file, sheet: newSheet(columns, layout), hash: hash}, nil
}

// addSource notes what the next env was generated from.
func (f *output) addSource(seed, epoch int32) {
	f.seeds, f.epochs = appendSeed(f.seeds, seed), appendEpoch(f.epochs, epoch)
}

// endRow ends a row of the sheet, and the row group if that is large enough.
func (f *output) endRow() error {
	f.hash.addLast(f.sheet)
	if numberBytes*f.sheet.values >= rowGroupBytes {
		return f.flush()
	}
	return nil
}

// flush writes the rows of the sheet as a row group. The library panics on some errors of the file.
func (f *output) flush() (err error) {
	defer recoverError(&err)
	if err := f.file.writeGroup(f.sheet); err != nil {
		return fmt.Errorf("parquet: a row group: %w", err)
	}
	f.sheet.clear()
	return nil
}

// finish writes what follows the last row.
func (f *output) finish() (err error) {
	defer recoverError(&err)
	if f.sheet.rows > 0 {
		if err := f.flush(); err != nil {
			return err
		}
	}
	f.sheet.release()
	f.sheet = nil
	for _, item := range [...]struct {
		key  string
		runs []Run
	}{{SeedsKey, f.seeds}, {EpochsKey, f.epochs}} {
		text, err := json.Marshal(item.runs)
		if err == nil {
			err = f.file.footer.AppendKeyValueMetadata(item.key, string(text))
		}
		if err != nil {
			return fmt.Errorf("parquet: %s: %w", item.key, err)
		}
	}
	err = f.file.footer.AppendKeyValueMetadata(HashKey, f.hash.String())
	if err := errors.Join(err, f.file.finish()); err != nil {
		return fmt.Errorf("parquet: end a file: %w", err)
	}
	return nil
}

// recoverError turns a panic of the library with an error, such as that of a full disk, into that error.
func recoverError(err *error) {
	switch reason := recover().(type) {
	case nil:
	case error:
		*err = fmt.Errorf("parquet: %w", reason)
	default:
		panic(reason)
	}
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
