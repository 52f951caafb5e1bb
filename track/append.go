package track

import "fmt"

// Append adds copies of the given envs of another batch, in the given order. An empty b takes N_max from the other
// batch; otherwise both must store the same number of points. If only one of the batches has an array, its elements are
// zero for the envs of the other; names are empty. If from has no such env, Append returns an error and
// changes nothing.
func (b *Batch) Append(from *Batch, envs ...int) error {
	if b.Envs > 0 && b.NMax != from.NMax {
		return fmt.Errorf("track: append to a batch of %d points per track: the other batch stores %d", b.NMax, from.NMax)
	}
	for _, e := range envs {
		if e < 0 || e >= from.Envs {
			return fmt.Errorf("track: append env %d: must be 0 to %d", e, from.Envs-1)
		}
	}
	b.NMax = from.NMax
	b.appendNames(from, envs)
	to, source := Schema.Host(&b.HostColumns), Schema.Host(&from.HostColumns)
	for i, c := range to {
		c.AppendEnvs(b.Envs, source[i], envs, c.Stride(b.NMax))
	}
	b.Envs += len(envs)
	return nil
}
