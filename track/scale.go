package track

import "github.com/trackgen-go/trackgen/column"

// Scale multiplies all lengths of the batch by a number above 0, in place, such as to make metres of track units. It
// returns a *backend.ArgumentError for another number.
func (b *Batch) Scale(by float64) error {
	return column.Scale("track: scale", Schema.Host(&b.HostColumns), by)
}
