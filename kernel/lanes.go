package kernel

// What one call of machine code may do. The garbage collector waits until all calls have returned, so a call should
// take at most about a millisecond.
const (
	batch          = 8       // items that machine code runs at a time
	mostItems      = 1 << 14 // of a kernel without loops
	batchedPerCall = 1 << 15 // iterations of loops, each of one batch
	leastItems     = batch
)

// ItemsPerCall returns how many items of a thread kernel Vector gives to one call of machine code: a multiple of eight,
// and fewer the more iterations the loops of one item may make (Iterations).
func (d *Def) ItemsPerCall(items int32, args *Args) int32 {
	if d.Iterations == nil {
		return mostItems
	}
	iterations := d.Iterations(items, args)
	if !(iterations >= 1) {
		return mostItems
	}
	return max(leastItems, int32(min(batchedPerCall/iterations, mostItems/batch))*batch)
}
