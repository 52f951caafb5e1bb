package track

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/column"
)

// Reader copies tracks of one device to host memory that it keeps, for programs that read batch after batch:
// page-locked memory on a GPU, which takes milliseconds to allocate. The zero value is ready. A Reader is for one
// goroutine at a time.
type Reader struct {
	memory []column.HostMemory // of each column
	batch  Batch
}

// Read does what Track.Batch does. The batch is valid until the next Read, and until Close; Clone a batch to keep it.
// After an error, the batch that was read before is no longer valid either.
func (r *Reader) Read(ctx context.Context, t *Track) (*Batch, error) {
	if r.memory == nil {
		r.memory = make([]column.HostMemory, len(Schema.Columns()))
	}
	to := Schema.Host(&r.batch.HostColumns)
	err := t.read(ctx, &r.batch, func(ctx context.Context, i int, c column.Device) error {
		return c.ReadInto(ctx, &r.memory[i], to[i])
	})
	if err != nil {
		return nil, err
	}
	return &r.batch, nil
}

// Close frees the memory.
func (r *Reader) Close() error {
	r.batch = Batch{}
	var failed error
	for i := range r.memory {
		failed = errors.Join(failed, r.memory[i].Close())
	}
	return failed
}
