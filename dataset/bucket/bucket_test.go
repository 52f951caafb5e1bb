package bucket_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/dataset"
	"github.com/trackgen-go/trackgen/dataset/bucket"
	"github.com/trackgen-go/trackgen/track"
)

// service is an S3 server on loopback with the bucket "tracks".
type service struct {
	backend gofakes3.Backend
	server  *httptest.Server
	before  atomic.Pointer[func(http.ResponseWriter, *http.Request) bool] // handles a request, if it returns true
}

func newService(t *testing.T) *service {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "someone")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "a-secret-of-nobody")
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	s := &service{backend: s3mem.New()}
	require.NoError(t, s.backend.CreateBucket("tracks"))
	fake := gofakes3.New(s.backend).Server()
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before := s.before.Load(); before != nil && (*before)(w, r) {
			return
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(s.server.Close)
	return s
}

// address returns the URL of a data set in the service.
func (s *service) address(place string) string {
	return "s3://" + place + "?region=eu-central-1&use_path_style=true&endpoint=" + url.QueryEscape(s.server.URL)
}

// objects returns what the bucket holds.
func (s *service) objects(t *testing.T) map[string]string {
	t.Helper()
	list, err := s.backend.ListBucket("tracks", nil, gofakes3.ListBucketPage{})
	require.NoError(t, err)
	found := map[string]string{}
	for _, content := range list.Contents {
		object, err := s.backend.GetObject("tracks", content.Key, nil)
		require.NoError(t, err)
		text, err := io.ReadAll(object.Contents)
		require.NoError(t, err)
		found[content.Key] = string(text)
	}
	return found
}

func open(t *testing.T, address string) *bucket.Store {
	t.Helper()
	store, err := bucket.Open(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// run makes 60 tracks in shards of 20.
func run(t *testing.T, store dataset.Store) dataset.Run {
	t.Helper()
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	plan := dataset.Plan{Config: track.DefaultConfig(), Tracks: 60, ShardTracks: 20}
	return dataset.Run{Device: device, Plan: plan, Store: store, Version: "v1"}
}

// folder returns the files of the same data set in a folder, below a prefix.
func folder(t *testing.T, prefix string) map[string]string {
	t.Helper()
	root := t.TempDir()
	store, err := dataset.Folder(root)
	require.NoError(t, err)
	_, err = dataset.Make(t.Context(), run(t, store))
	require.NoError(t, err)
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		text, err := os.ReadFile(path)
		found[prefix+filepath.ToSlash(name)] = string(text)
		return err
	}))
	return found
}

// A bucket holds the bytes that a folder holds. A damaged and a lost object are found and made again.
func TestDataSetInABucket(t *testing.T) {
	s := newService(t)
	store := open(t, s.address("tracks/a/b"))
	result, err := dataset.Make(t.Context(), run(t, store))
	require.NoError(t, err)
	require.Equal(t, 3, result.MadeShards)
	want := folder(t, "a/b/")
	require.Equal(t, want, s.objects(t))
	require.Equal(t, "s3://tracks/a/b/manifest.json", store.Where("manifest.json"))

	for _, name := range []string{"a/b/tracks-00000-of-00003.parquet", "a/b/tracks-00002-of-00003.parquet"} {
		_, err = s.backend.DeleteObject("tracks", name)
		require.NoError(t, err)
	}
	object, err := store.Create(t.Context(), "tracks-00000-of-00003.parquet")
	require.NoError(t, err)
	_, err = object.Write([]byte("damaged"))
	require.NoError(t, err)
	require.NoError(t, object.Commit())
	require.Error(t, object.Commit())
	found, err := dataset.Verify(t.Context(), run(t, store), []int{1})
	require.NoError(t, err)
	require.Len(t, found.Findings, 2)
	result, err = dataset.Make(t.Context(), run(t, store))
	require.NoError(t, err)
	require.Equal(t, 2, result.MadeShards)
	require.Equal(t, want, s.objects(t))

	joined := open(t, "mem://")
	_, err = dataset.Merge(t.Context(), joined, []dataset.Store{store}, func(int, int) {})
	require.NoError(t, err)
	manifest, err := joined.Open(t.Context(), "manifest.json")
	require.NoError(t, err)
	text, err := io.ReadAll(manifest)
	require.NoError(t, errors.Join(err, manifest.Close()))
	require.Equal(t, want["a/b/manifest.json"], string(text))
}

// Nothing is there before an upload is complete, nor after one that was given up. One large enough to be sent in parts
// is complete or not there, too.
func TestNoHalfObjects(t *testing.T) {
	s := newService(t)
	store := open(t, s.address("tracks"))
	part := make([]byte, 6<<20)
	for _, end := range []string{"abort", "cancel", "commit"} {
		ctx, cancel := context.WithCancel(t.Context())
		object, err := store.Create(ctx, "large")
		require.NoError(t, err)
		for range 3 {
			_, err = object.Write(part)
			require.NoError(t, err)
		}
		require.Empty(t, s.objects(t))
		switch end {
		case "abort":
			require.NoError(t, object.Abort())
		case "cancel":
			cancel()
			require.ErrorIs(t, object.Commit(), context.Canceled)
		case "commit":
			require.NoError(t, object.Commit())
			require.Len(t, s.objects(t)["large"], 3*len(part))
		}
		if end != "commit" {
			require.Empty(t, s.objects(t), end)
		}
		require.NoError(t, object.Abort())
		cancel()
	}
	_, err := store.Open(t.Context(), "small")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, `open "s3://tracks/small"`)
}

// A service that fails now and then is asked again. One that fails always ends the run with the name of an object and
// without a secret, and the next run goes on.
func TestFailingService(t *testing.T) {
	s := newService(t)
	store := open(t, s.address("tracks"))
	var requests atomic.Int32
	fail := func(w http.ResponseWriter, every int32) bool {
		if requests.Add(1)%every != 0 {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	now := func(w http.ResponseWriter, _ *http.Request) bool { return fail(w, 4) }
	s.before.Store(&now)
	_, err := dataset.Make(t.Context(), run(t, store))
	require.NoError(t, err)
	want := s.objects(t)
	require.Equal(t, folder(t, ""), want)

	for name := range want {
		_, err = s.backend.DeleteObject("tracks", name)
		require.NoError(t, err)
	}
	broken := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut || filepath.Base(r.URL.Path) != "tracks-00001-of-00003.parquet" {
			return false
		}
		panic(http.ErrAbortHandler) // closes the connection in the middle of the upload
	}
	s.before.Store(&broken)
	_, err = dataset.Make(t.Context(), run(t, store))
	require.ErrorContains(t, err, `write "s3://tracks/tracks-00001-of-00003.parquet"`)
	require.NotContains(t, err.Error(), "a-secret")
	require.NotContains(t, s.objects(t), "manifest.json")
	s.before.Store(nil)
	_, err = dataset.Make(t.Context(), run(t, store))
	require.NoError(t, err)
	require.Equal(t, want, s.objects(t))
}

func TestMissingBucket(t *testing.T) {
	s := newService(t)
	_, err := dataset.Make(t.Context(), run(t, open(t, s.address("nowhere/a"))))
	require.ErrorContains(t, err, "s3://nowhere/a/")
}

func TestWrongAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"ftp://bucket/a":                  `folder is ftp://bucket/a: must be a folder, or a URL with s3, gs or mem`,
		"s3:///a":                         `must be with the name of a bucket, such as s3://bucket/tracks`,
		"s3://me:key@bucket/a":            `folder is s3://bucket/a with a user: must be without: credentials`,
		"s3://bucket/a#b":                 `must be without #`,
		"s3://bucket/%zz":                 `must be a URL such as s3://bucket/tracks`,
		"s3://bucket/a?no_such_setting=1": `dataset: s3://bucket/a: `,
	} {
		_, err := bucket.Open(t.Context(), address)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "key@")
	}
	assert.True(t, bucket.IsURL("s3://bucket"))
	assert.True(t, bucket.IsURL("ftp://x"))
	for _, name := range []string{"tracks", "a/b", "./s3://x", `C:\tracks`, "://", "a/b://c", ""} {
		assert.False(t, bucket.IsURL(name), name)
	}
}
