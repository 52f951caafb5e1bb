package graphview_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/export/graphview"
)

// recorded is a graph that lists the given operations.
type recorded struct {
	backend.Graph
	device     backend.Device
	operations []backend.Operation
}

func (g recorded) Device() backend.Device          { return g.device }
func (g recorded) Operations() []backend.Operation { return g.operations }

func open(t testing.TB) backend.Device {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// sample has one operation of each kind.
var sample = []backend.Operation{
	{Kind: backend.OperationUpload, Bytes: 4},
	{Kind: backend.OperationLaunch, Kernel: "example.com/m/kernels/selection.compact", Items: 1, Group: true},
	{Kind: backend.OperationIf, Body: []backend.Operation{
		{Kind: backend.OperationLaunch, Kernel: "example.com/m/kernels/centerline.bezier", Items: 64, Group: true},
		{Kind: backend.OperationRepeat, Limit: 50, Body: []backend.Operation{
			{Kind: backend.OperationLaunch, Kernel: "step", Items: 4096}}},
		{Kind: backend.OperationFill, Bytes: 256},
	}},
	{Kind: backend.OperationReplay, Body: []backend.Operation{{Kind: backend.OperationCopy, Bytes: 1024}}},
	{Kind: backend.OperationLaunch, Items: 2},
	{Kind: backend.OperationDownload, Bytes: 4},
}

func writers(v graphview.View) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{"txt": v.Text, "json": v.JSON, "dot": v.DOT, "svg": v.SVG}
}

// The listings and pictures of the sample match the files. UPDATE=1 rewrites the files.
func TestFormats(t *testing.T) {
	view, err := graphview.Of(recorded{device: open(t), operations: sample})
	require.NoError(t, err)
	for extension, write := range writers(view) {
		var got bytes.Buffer
		require.NoError(t, write(&got))
		path := filepath.Join("testdata", "sample."+extension)
		if os.Getenv("UPDATE") == "1" {
			require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), got.String(), extension)
	}
}

// quoted matches a quoted string of the DOT language.
var quoted = regexp.MustCompile(`"(?s:[^"\\]|\\.)*"`)

// Any tree of operations, whatever the names of its kernels, gives well-formed output.
func TestAnyGraph(t *testing.T) {
	device := open(t)
	var operations func(depth int) *rapid.Generator[[]backend.Operation]
	operations = func(depth int) *rapid.Generator[[]backend.Operation] {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) backend.Operation {
			o := backend.Operation{
				Kind: backend.OperationKind(rapid.IntRange(0, 9).Draw(t, "kind")), Kernel: rapid.String().Draw(t, "kernel"),
				Items: rapid.Int32().Draw(t, "items"), Bytes: rapid.Int64().Draw(t, "bytes"),
			}
			if depth > 0 {
				o.Body = operations(depth-1).Draw(t, "body")
			}
			return o
		}), 0, 3)
	}
	rapid.Check(t, func(t *rapid.T) {
		view, err := graphview.Of(recorded{device: device, operations: operations(3).Draw(t, "operations")})
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, view.JSON(&text))
		require.True(t, json.Valid(text.Bytes()))
		text.Reset()
		require.NoError(t, view.SVG(&text))
		for decoder := xml.NewDecoder(&text); ; {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else {
				require.NoError(t, err)
			}
		}
		require.NoError(t, view.DOT(&text))
		unquoted := quoted.ReplaceAllString(text.String(), "")
		require.NotContains(t, unquoted, `"`)
		require.Equal(t, strings.Count(unquoted, "{"), strings.Count(unquoted, "}"))
		require.NoError(t, view.Text(io.Discard))
	})
}

// The listing of a graph that replays a graph twice, which in turn replays a graph twice, and so on, grows
// exponentially.
func TestHugeGraphsAreRefused(t *testing.T) {
	body := sample
	for range 40 {
		body = []backend.Operation{{Kind: backend.OperationReplay, Body: body}, {Kind: backend.OperationReplay, Body: body}}
	}
	_, err := graphview.Of(recorded{device: open(t), operations: body})
	assert.ErrorIs(t, err, backend.ErrInvalid)
}

func TestMisuse(t *testing.T) {
	_, err := graphview.Of(nil)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	type silent struct{ backend.Graph }
	device := open(t)
	_, err = graphview.Of(silent{recorded{device: device}})
	assert.ErrorIs(t, err, backend.ErrUnsupported)
	view, err := graphview.Of(recorded{device: device, operations: sample})
	require.NoError(t, err)
	for extension, write := range writers(view) {
		assert.ErrorIs(t, write(broken{}), errBroken, extension)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
