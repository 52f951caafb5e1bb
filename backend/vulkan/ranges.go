//go:build cgo && (linux || darwin)

package vulkan

import "slices"

// ranges hands out parts of a block: first fit, and freed neighbours are merged. Offsets and sizes are multiples of
// granule.
type ranges struct {
	size int64
	free []freeRange // by offset, never adjacent
}

type freeRange struct{ offset, bytes int64 }

// granule is the alignment of every allocation in bytes: no supported device needs more to bind a storage buffer.
const granule = 256

// roundUp returns bytes, rounded up to a multiple of granule.
func roundUp(bytes int64) int64 { return (bytes + granule - 1) / granule * granule }

func newRanges(size int64) *ranges {
	return &ranges{size: size, free: []freeRange{{0, size}}}
}

// take returns the offset of a part of the given size, a multiple of granule. It returns false if there is no room.
func (r *ranges) take(bytes int64) (int64, bool) {
	for i := range r.free {
		f := &r.free[i]
		if f.bytes < bytes {
			continue
		}
		offset := f.offset
		f.offset += bytes
		f.bytes -= bytes
		if f.bytes == 0 {
			r.free = slices.Delete(r.free, i, i+1)
		}
		return offset, true
	}
	return 0, false
}

// give returns a part that take has handed out.
func (r *ranges) give(offset, bytes int64) {
	i, _ := slices.BinarySearchFunc(r.free, offset, func(f freeRange, offset int64) int {
		if f.offset < offset {
			return -1
		}
		return 1
	})
	joinsNext := i < len(r.free) && offset+bytes == r.free[i].offset
	joinsPrevious := i > 0 && r.free[i-1].offset+r.free[i-1].bytes == offset
	switch {
	case joinsPrevious && joinsNext:
		r.free[i-1].bytes += bytes + r.free[i].bytes
		r.free = slices.Delete(r.free, i, i+1)
	case joinsPrevious:
		r.free[i-1].bytes += bytes
	case joinsNext:
		r.free[i].offset -= bytes
		r.free[i].bytes += bytes
	default:
		r.free = slices.Insert(r.free, i, freeRange{offset, bytes})
	}
}

// unused reports whether the whole block is free.
func (r *ranges) unused() bool { return len(r.free) == 1 && r.free[0].bytes == r.size }
