package export

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
)

// NewNPZ writes the bytes of the file that NewNPZWriter makes, whatever the chunks and the options are.
func TestNPZEncoderWritesTheSameFile(t *testing.T) {
	padding := newBatch(1, 1<<16) // is stored even with Compressed, because it would inflate too much
	padding.Count[0] = 1
	named := sampleBatch()
	named.Names = []string{"a", "", "c", "d", "e", "f", "g"}
	for name, b := range map[string]*track.Batch{"sample": sampleBatch(), "named": named, "padding": padding} {
		for _, options := range [][]NPZOption{nil, {Compressed()}, {Tight()}, {Tight(), Compressed()}} {
			chunks := []int{b.Envs}
			if b.Envs > 1 {
				chunks = []int{2, b.Envs - 2}
			}
			want := readFile(t, writeNPZ(t, b, chunks, options...))
			got := encode(t, b, func(w io.Writer) (Encoder, error) {
				return NewNPZ(w, ShapeOf(b), sampleMetadata(), options...)
			})
			require.True(t, bytes.Equal(want, got), "%s, %d options", name, len(options))
		}
	}
}

func TestNPZEncoderFails(t *testing.T) {
	b := sampleBatch()
	_, err := NewNPZ(io.Discard, Shape{}, Metadata{})
	require.ErrorContains(t, err, "envs is 0")
	e, err := NewNPZ(io.Discard, ShapeOf(b), Metadata{})
	require.NoError(t, err)
	require.NoError(t, e.Append(context.Background(), slice(b, 0, 3)))
	require.ErrorContains(t, e.Finish(), "is to hold 7 envs but only 3 were appended")

	e, err = NewNPZ(failing{}, ShapeOf(b), Metadata{})
	require.NoError(t, err)
	require.NoError(t, e.Append(context.Background(), b))
	assert.ErrorIs(t, e.Finish(), errFull)
}

// failing refuses every write.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
