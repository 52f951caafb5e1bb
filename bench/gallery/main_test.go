package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// The pictures of the documentation are those that this version draws. Pixels are compared rather than files, because
// the compression may change with the Go version.
func TestPicturesOfDocsAreCurrent(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	for _, d := range drawings {
		t.Run(d.name, func(t *testing.T) {
			file, err := d.draw(t.Context(), device)
			require.NoError(t, err)
			stored, err := os.ReadFile(filepath.Join("..", "..", "docs", "images", d.name))
			require.NoError(t, err)
			got, want := pixels(t, file), pixels(t, stored)
			require.Equal(t, want.Bounds(), got.Bounds(), "make pictures draws it anew")
			require.True(t, bytes.Equal(want.Pix, got.Pix), "other pixels: make pictures draws it anew")
		})
	}
}

// pixels decodes an image without transparency.
func pixels(t *testing.T, file []byte) *image.RGBA {
	decoded, err := png.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	out, ok := decoded.(*image.RGBA)
	require.True(t, ok, "%T", decoded)
	return out
}
