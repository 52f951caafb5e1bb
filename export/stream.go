package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/track"
)

// Shape is the size of a whole batch, which may be written in chunks.
type Shape struct {
	Envs int // tracks or courses, E, 1 to 16,777,216
	NMax int // points stored per track, N_max, or gates stored per course, G_max; 1 to 65,536
}

// Bytes returns the host memory that the columns of a batch of generated tracks of this shape need, in bytes, if they
// are not banked.
func (s Shape) Bytes() int64 { return s.BytesOf(track.GeneratedColumns()) }

// BytesOf returns the host memory that these columns of a batch of this shape need, in bytes.
func (s Shape) BytesOf(columns []column.Column) int64 {
	return int64(s.Envs) * bytesPerEnv(columns, s.NMax)
}

// ShapeOf returns the shape of b.
func ShapeOf(b *track.Batch) Shape { return Shape{Envs: b.Envs, NMax: b.NMax} }

// The maximum shape of a file: that of the fields num_envs and output.max_points.
const (
	maxEnvs = 1 << 24
	maxNMax = 1 << 16
)

func (s Shape) check() error {
	if s.Envs < 1 || s.Envs > maxEnvs {
		return fmt.Errorf("export: envs is %d: must be 1 to %d", s.Envs, maxEnvs)
	}
	if s.NMax < 1 || s.NMax > maxNMax {
		return fmt.Errorf("export: N_max is %d: must be 1 to %d", s.NMax, maxNMax)
	}
	return nil
}

// WriterOf writes a batch of B to a file, chunk by chunk. B is *track.Batch or *gate.Batch.
type WriterOf[B any] interface {
	// Append writes the next envs. Chunks must be in the order of the envs and have the N_max or G_max of the announced
	// shape.
	Append(ctx context.Context, chunk B) error
	// Commit completes the file. It returns an error if fewer envs were appended than announced. After an error no file
	// is left behind.
	Commit(ctx context.Context) error
	// Abort removes the unfinished file. After Commit or Abort it does nothing, so it can be deferred.
	Abort() error
}

// EncoderOf writes a batch of B to an io.Writer, chunk by chunk. After an error it must not be used again.
type EncoderOf[B any] interface {
	// Append writes the next envs, as WriterOf.Append does.
	Append(ctx context.Context, chunk B) error
	// Finish writes what follows the last env. It returns an error if fewer envs were appended than announced.
	Finish() error
}

// Writers and encoders of tracks and of gate courses.
type (
	BatchWriter = WriterOf[*track.Batch]
	Encoder     = EncoderOf[*track.Batch]
	GateWriter  = WriterOf[*gate.Batch]
	GateEncoder = EncoderOf[*gate.Batch]
)

// Create creates a file that an encoder writes, for example
//
//	export.Create("tracks.csv", func(w io.Writer) (export.Encoder, error) { return export.NewPointsCSV(w, shape) })
func Create[B any](target string, encode func(io.Writer) (EncoderOf[B], error)) (WriterOf[B], error) {
	file, err := CreateAtomic(target)
	if err != nil {
		return nil, err
	}
	encoder, err := encode(file)
	if err != nil {
		return nil, errors.Join(err, file.Abort())
	}
	return &encodedFile[B]{file: file, encoder: encoder}, nil
}

type encodedFile[B any] struct {
	file    *AtomicFile
	encoder EncoderOf[B]
	err     error // first error of the encoder: the file is broken
}

// Append implements WriterOf.
func (f *encodedFile[B]) Append(ctx context.Context, chunk B) error {
	if f.err == nil {
		f.err = f.encoder.Append(ctx, chunk)
	}
	return f.err
}

// Commit implements WriterOf.
func (f *encodedFile[B]) Commit(ctx context.Context) error {
	if f.err == nil {
		f.err = ctx.Err()
	}
	if f.err == nil {
		f.err = f.encoder.Finish()
	}
	if f.err != nil {
		return errors.Join(f.err, f.file.Abort())
	}
	return f.file.Commit()
}

// Abort implements WriterOf.
func (f *encodedFile[B]) Abort() error { return f.file.Abort() }

// EncoderOption is an option of an Encoder.
type EncoderOption func(*sequence)

// Numbered sets the number under which the file lists each env, for a file with part of a batch. The default is its
// index.
func Numbered(numbers []int) EncoderOption { return func(s *sequence) { s.numbers = numbers } }

// sequence counts the envs of the chunks and checks that the chunks fit together.
type sequence struct {
	shape   Shape
	next    int   // first env of the next chunk
	numbers []int // number of each env in the file; nil: its index
	extra   *Extra
}

func newSequence(shape Shape, options ...EncoderOption) (sequence, error) {
	s := sequence{shape: shape}
	for _, option := range options {
		option(&s)
	}
	if err := shape.check(); err != nil {
		return s, err
	}
	if s.numbers != nil && len(s.numbers) != shape.Envs {
		return s, fmt.Errorf("export: %d numbers of envs: expected %d, one for each env of the file", len(s.numbers),
			shape.Envs)
	}
	return s, s.extra.check()
}

// number returns the number under which the file lists an env.
func (s *sequence) number(env int) int {
	if s.numbers == nil {
		return env
	}
	return s.numbers[env]
}

// take checks the chunk and returns the index of its first env.
func (s *sequence) take(chunk *track.Batch) (int, error) {
	if err := checkBatch(chunk); err != nil {
		return 0, err
	}
	if chunk.NMax != s.shape.NMax {
		return 0, fmt.Errorf("export: the chunk stores %d points per track, the file %d", chunk.NMax, s.shape.NMax)
	}
	return s.advance(chunk.Envs)
}

// advance counts the envs of a chunk and returns the index of the first one.
func (s *sequence) advance(envs int) (int, error) {
	if envs > s.shape.Envs-s.next {
		return 0, fmt.Errorf("export: a chunk of %d envs after %d exceeds the %d envs of the file", envs, s.next,
			s.shape.Envs)
	}
	first := s.next
	s.next += envs
	return first, nil
}

// finish returns an error if envs are missing.
func (s *sequence) finish() error {
	if s.next != s.shape.Envs {
		return fmt.Errorf("export: the file is to hold %d envs but only %d were appended", s.shape.Envs, s.next)
	}
	return nil
}

// checkBatch checks that no access of this package to b is out of range.
func checkBatch(b *track.Batch) error {
	if b == nil {
		return errors.New("export: the batch is nil")
	}
	err := batchLayout{ShapeOf(b), "points", "N_max"}.check(track.Schema.Host(&b.HostColumns), b.Count, b.Valid)
	if err != nil {
		return err
	}
	return checkNames(b)
}

// batchLayout is the shape of a batch in memory, of tracks or of gate courses.
type batchLayout struct {
	Shape
	elements string // of an env: points or gates
	most     string // name of their largest number: N_max or G_max
}

// check checks the lengths of the columns of a batch, and the values that accesses to them depend on.
func (l batchLayout) check(columns []column.Host, counts, valid []int32) error {
	if l.Envs < 0 || l.NMax < 0 || l.NMax > 0 && l.Envs > math.MaxInt/l.NMax {
		return fmt.Errorf("export: a batch of %d envs with %d %s each is impossible", l.Envs, l.NMax, l.elements)
	}
	for _, c := range columns {
		if c.IsAbsent() && c.Absent != column.Never {
			continue
		}
		if have, want := c.Len(), elements(c.Column, l.Shape); int64(have) != want {
			return fmt.Errorf("export: array %s of the batch holds %d elements, expected %d (envs %d, %s %d)", c.Name, have,
				want, l.Envs, l.most, l.NMax)
		}
	}
	for e, count := range counts {
		if count < 0 || int(count) > l.NMax {
			return fmt.Errorf("export: env %d of the batch has a count of %d: must be 0 to %s (%d)", e, count, l.most, l.NMax)
		}
		if v := valid[e]; v != 0 && v != 1 {
			return fmt.Errorf("export: env %d of the batch has valid = %d: must be 0 or 1", e, v)
		}
	}
	return nil
}

// finite reports whether v is neither NaN nor infinite.
func finite(v float32) bool { return v-v == 0 }
