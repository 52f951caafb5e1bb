package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track"
)

// shardFile writes one shard, and measures what it writes.
type shardFile struct {
	plan    Plan
	version string
	record  Record
	to      io.Writer
	sum     hash.Hash
	encoder export.Encoder
}

// newShardFile begins a shard of so many rows, at least 1.
func newShardFile(to io.Writer, plan Plan, version string, shard Shard, rows int) (*shardFile, error) {
	f := &shardFile{plan: plan, version: version, record: Record{Shard: shard, Rows: rows}, to: to, sum: sha256.New()}
	shape := export.Shape{Envs: rows, NMax: plan.Config.Resolved().Output.MaxPoints}
	// Metadata without a device: the file is the same on all of them.
	metadata := export.Metadata{Version: version, Config: plan.Config}
	var err error
	if plan.Format == NPZ {
		f.encoder, err = export.NewNPZ(f, shape, metadata, export.Tight(), export.Compressed())
	} else {
		f.encoder, err = plan.Layout.NewEncoder(f, shape, metadata)
	}
	if err != nil {
		return nil, fmt.Errorf("dataset: shard %d: %w", shard.Index, err)
	}
	return f, nil
}

// Write implements io.Writer: what the encoder writes.
func (f *shardFile) Write(p []byte) (int, error) {
	n, err := f.to.Write(p)
	f.sum.Write(p[:n])
	f.record.Bytes += int64(n)
	return n, err
}

// add writes a chunk.
func (f *shardFile) add(ctx context.Context, batch *track.Batch) error {
	f.record.Valid += batch.NumValid()
	if err := f.encoder.Append(ctx, batch); err != nil {
		return fmt.Errorf("dataset: shard %d: %w", f.record.Index, err)
	}
	return nil
}

// finish writes what follows the last row and returns the record.
func (f *shardFile) finish() (Record, error) {
	if err := f.encoder.Finish(); err != nil {
		return Record{}, fmt.Errorf("dataset: shard %d: %w", f.record.Index, err)
	}
	f.record.SHA256 = hex.EncodeToString(f.sum.Sum(nil))
	return f.record, nil
}

// storedShard is a shardFile in a store.
type storedShard struct {
	*shardFile
	object Object
}

func createShard(ctx context.Context, s Store, plan Plan, version string, shard Shard, rows int) (*storedShard, error) {
	object, err := s.Create(ctx, shard.File)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	file, err := newShardFile(object, plan, version, shard, rows)
	if err != nil {
		return nil, errors.Join(err, object.Abort())
	}
	return &storedShard{file, object}, nil
}

// commit completes the file, and then writes its record, so that a record is that of a complete file.
func (f *storedShard) commit(ctx context.Context, s Store) (Record, error) {
	record, err := f.finish()
	if err != nil {
		return record, err
	}
	if err := f.object.Commit(); err != nil {
		return record, fmt.Errorf("dataset: %w", err)
	}
	return record, putRecord(ctx, s, record)
}

func putRecord(ctx context.Context, s Store, record Record) error {
	text, err := indented(record)
	if err != nil {
		return err
	}
	return put(ctx, s, recordName(record.Index), text)
}
