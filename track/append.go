package track

import "fmt"

// Append adds envs of another batch, in the given order, with copies of their values. An empty b takes N_max from the
// other batch; otherwise both must store the same number of points. Arrays that only one of them has are zero for the
// envs of the other. It is an error, which changes nothing, if from has no such env.
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
	to, source := Schema.Host(&b.HostColumns), Schema.Host(&from.HostColumns)
	for i, c := range to {
		c.AppendEnvs(b.Envs, source[i], envs, c.Stride(b.NMax))
	}
	b.Envs += len(envs)
	return nil
}
