// Package bucket keeps data sets in the buckets of object stores, through gocloud.dev/blob: S3 and what speaks its
// protocol, Google Cloud Storage, and memory. It is a separate package so that only its users link their clients.
//
//	store, err := bucket.Open(ctx, "s3://my-bucket/tracks?region=eu-central-1")
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	_, err = dataset.Make(ctx, dataset.Run{Device: device, Plan: plan, Store: store})
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/gcsblob" // gs
	_ "gocloud.dev/blob/memblob" // mem
	_ "gocloud.dev/blob/s3blob"  // s3
	"gocloud.dev/gcerrors"

	"github.com/trackgen-go/trackgen/dataset"
)

// schemes are those of the URLs that Open takes.
var schemes = []string{"s3", "gs", "mem"}

// IsURL reports whether the name of a data set is that of a bucket rather than of a folder.
func IsURL(name string) bool {
	scheme, _, found := strings.Cut(name, "://")
	return found && scheme != "" && !strings.ContainsAny(scheme, "/\\.")
}

// Store is a data set in a bucket. It implements dataset.Store: an object store shows an object when it is complete.
type Store struct {
	bucket *blob.Bucket
	where  string // the URL without parameters
}

var _ dataset.Store = (*Store)(nil)

// Open opens the bucket of a URL: s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, or mem:// for a bucket in memory that is
// empty. PREFIX is the folder of the data set, and may be left out. The parameters are those of gocloud.dev, such as
// region, endpoint and use_path_style of s3. Credentials are those that the environment has for the programs of the
// service; a URL with a name or a password is refused. The error is a *dataset.PlanError for a URL that no bucket has.
// Open does not connect: the first object shows whether the bucket is there.
func Open(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, wrong("an address that can not be read", "a URL such as s3://bucket/tracks")
	}
	where := (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	switch {
	case !slices.Contains(schemes, u.Scheme):
		return nil, wrong(where, "a folder, or a URL with s3, gs or mem")
	case u.User != nil:
		return nil, wrong(where+" with a user", "without: credentials are those of the environment")
	case u.Scheme != "mem" && u.Host == "":
		return nil, wrong(where, "with the name of a bucket, such as "+u.Scheme+"://bucket/tracks")
	case u.Fragment != "" || u.Opaque != "":
		return nil, wrong(where, "without #")
	}
	prefix := strings.Trim(path.Clean("/"+u.Path), "/")
	u.Path = ""
	opened, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", where, err)
	}
	if prefix != "" {
		opened = blob.PrefixedBucket(opened, prefix+"/")
	}
	return &Store{opened, strings.TrimSuffix(where, "/")}, nil
}

func wrong(value, allowed string) error {
	return &dataset.PlanError{Field: "folder", Value: value, Allowed: allowed}
}

// New keeps a data set in a bucket of the caller; where names it in messages. Close closes the bucket.
func New(b *blob.Bucket, where string) *Store { return &Store{b, where} }

// Close closes the bucket.
func (s *Store) Close() error {
	if err := s.bucket.Close(); err != nil {
		return fmt.Errorf("dataset: closing %s: %w", s.where, err)
	}
	return nil
}

// Where implements dataset.Store.
func (s *Store) Where(name string) string { return s.where + "/" + name }

// Open implements dataset.Store.
func (s *Store) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	reader, err := s.bucket.NewReader(ctx, name, nil)
	if err != nil {
		return nil, s.failed("open", name, err)
	}
	return reader, nil
}

// Create implements dataset.Store. The upload begins before the object is complete and holds some parts of a few
// megabytes in memory.
func (s *Store) Create(ctx context.Context, name string) (dataset.Object, error) {
	ctx, cancel := context.WithCancel(ctx)
	writer, err := s.bucket.NewWriter(ctx, name, &blob.WriterOptions{ContentType: contentType(name)})
	if err != nil {
		cancel()
		return nil, s.failed("create", name, err)
	}
	return &object{ctx: ctx, store: s, name: name, writer: writer, cancel: cancel}, nil
}

// contentType is what browsers and consoles show.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".json":
		return "application/json"
	case ".parquet":
		return "application/vnd.apache.parquet"
	}
	return "application/octet-stream"
}

// failed describes an error of the service. One for an object that is not there matches fs.ErrNotExist.
func (s *Store) failed(doing, name string, err error) error {
	if gcerrors.Code(err) == gcerrors.NotFound {
		return fmt.Errorf("%s %s: %w", doing, strconv.Quote(s.Where(name)), errors.Join(fs.ErrNotExist, err))
	}
	return fmt.Errorf("%s %s: %w", doing, strconv.Quote(s.Where(name)), err)
}

// object is an upload.
type object struct {
	ctx    context.Context // of the upload
	store  *Store
	name   string
	writer *blob.Writer
	cancel context.CancelFunc
	done   bool
}

// Write implements dataset.Object.
func (o *object) Write(p []byte) (int, error) {
	n, err := o.writer.Write(p)
	if err != nil {
		return n, o.failed(err)
	}
	return n, nil
}

// failed describes an error of the upload. Clients do not wrap that of a context.
func (o *object) failed(err error) error {
	if cause := o.ctx.Err(); cause != nil {
		err = cause
	}
	return o.store.failed("write", o.name, err)
}

// Commit implements dataset.Object.
func (o *object) Commit() error {
	if o.done {
		return fmt.Errorf("write %s: it was committed or aborted before", strconv.Quote(o.store.Where(o.name)))
	}
	o.done = true
	defer o.cancel()
	if err := o.writer.Close(); err != nil {
		return o.failed(err)
	}
	return nil
}

// Abort implements dataset.Object. An upload whose context ended leaves no object.
func (o *object) Abort() error {
	if o.done {
		return nil
	}
	o.done = true
	o.cancel()
	_ = o.writer.Close() // it says that the context ended
	return nil
}
