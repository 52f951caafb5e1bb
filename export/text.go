package export

import (
	"io"
	"strconv"
)

// flushSize is the number of bytes of text that the encoders collect before they write them.
const flushSize = 1 << 16

// textBuffer collects text before it is written to w.
type textBuffer struct {
	w    io.Writer
	text []byte
}

// flush writes the text if it has reached flushSize.
func (t *textBuffer) flush() error {
	if len(t.text) < flushSize {
		return nil
	}
	return t.flushAll()
}

func (t *textBuffer) flushAll() error {
	_, err := t.w.Write(t.text)
	t.text = t.text[:0]
	return err
}

func appendInt[T int | int32](dst []byte, v T) []byte { return strconv.AppendInt(dst, int64(v), 10) }

// appendFloat appends the shortest decimal number that parses to v.
func appendFloat(dst []byte, v float32) []byte {
	return strconv.AppendFloat(dst, float64(v), 'g', -1, 32)
}
