package world

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Frame is a part of a request or of an answer: a JSON object and the bytes of arrays or of a file. In a stream it is
//
//	uint32  length of the JSON text, little-endian
//	uint32  length of the bytes, little-endian
//	the JSON text
//	the bytes
type Frame struct {
	Head any // as encoding/json takes it
	Body []byte
}

// MaxHead is the largest JSON text of a frame that ReadFrame reads, in bytes.
const MaxHead = 1 << 20

// ErrFrame matches the errors of ReadFrame for bytes that are no frame, or too large a one.
var ErrFrame = errors.New("not a frame")

// Append appends the frame to a buffer.
func (f Frame) Append(buffer []byte) ([]byte, error) {
	head, err := json.Marshal(f.Head)
	if err != nil {
		return buffer, fmt.Errorf("frame: %w", err)
	}
	buffer = binary.LittleEndian.AppendUint32(buffer, uint32(len(head)))
	buffer = binary.LittleEndian.AppendUint32(buffer, uint32(len(f.Body)))
	return append(append(buffer, head...), f.Body...), nil
}

// ReadFrame reads one frame whose body has at most mostBody bytes. It allocates no more than what has arrived.
func ReadFrame(r io.Reader, mostBody int) (head json.RawMessage, body []byte, err error) {
	var lengths [8]byte
	if _, err := io.ReadFull(r, lengths[:]); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrFrame, err)
	}
	ofHead, ofBody := binary.LittleEndian.Uint32(lengths[:]), binary.LittleEndian.Uint32(lengths[4:])
	switch {
	case ofHead > MaxHead:
		return nil, nil, fmt.Errorf("%w: its text has %d bytes: must be at most %d", ErrFrame, ofHead, MaxHead)
	case int64(ofBody) > int64(mostBody):
		return nil, nil, fmt.Errorf("%w: the file has %d bytes: must be at most %d", ErrFrame, ofBody, mostBody)
	}
	all, err := io.ReadAll(io.LimitReader(r, int64(ofHead)+int64(ofBody)))
	if err == nil && len(all) < int(ofHead)+int(ofBody) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrFrame, err)
	}
	return all[:ofHead:ofHead], all[ofHead:], nil
}
