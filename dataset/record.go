package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// The names of the objects beside the shards.
const (
	planName     = "_plan.json"
	manifestName = "manifest.json"
	recordFolder = "_records"
)

// Record says what a finished shard holds. A shard without rows, of which a condition kept none, has no file: its size
// and its hash are empty.
type Record struct {
	Shard
	Rows   int    `json:"rows"`   // tracks in the file
	Valid  int    `json:"valid"`  // of these, valid tracks
	Bytes  int64  `json:"bytes"`  // size of the file
	SHA256 string `json:"sha256"` // of the file, in hexadecimal digits
}

func recordName(shard int) string { return fmt.Sprintf("%s/%05d.json", recordFolder, shard) }

// readRecord returns the record of a shard, or nil if it is not finished. A record that cannot be read, or that is of
// another shard, is that of no finished shard.
func readRecord(ctx context.Context, s Store, shard Shard) (*Record, error) {
	text, err := get(ctx, s, recordName(shard.Index))
	if err != nil || text == nil {
		return nil, err
	}
	var r Record
	if err := decode(text, &r); err != nil || r.Shard != shard || r.Rows < 0 || r.Rows > shard.Tracks {
		return nil, nil
	}
	return &r, nil
}

// matches reports whether the file of a record is what the record says.
func (r *Record) matches(ctx context.Context, s Store) (ok bool, err error) {
	if r.Rows == 0 {
		return true, nil
	}
	file, err := s.Open(ctx, r.File)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("dataset: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	size, err := io.Copy(sum, &reader{ctx, file})
	if err != nil {
		return false, fmt.Errorf("dataset: reading %s: %w", s.Where(r.File), err)
	}
	return size == r.Bytes && hex.EncodeToString(sum.Sum(nil)) == r.SHA256, nil
}

// reader stops when its context ends.
type reader struct {
	ctx  context.Context
	from io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}

// decode decodes JSON with no other fields and nothing behind it.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the end")
	}
	return nil
}
