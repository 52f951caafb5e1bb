package track

import "fmt"

// Append adds envs of another batch, in the given order, with copies of their values. An empty b takes N_max from the other
// batch; otherwise both must store the same number of points. Arrays that only one of them has are zero for the envs of
// the other. It is an error, which changes nothing, if from has no such env.
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
	rows := appendedRows{envs: envs, before: b.Envs}
	appendRows(rows, &b.Outer, from.Outer, b.NMax)
	appendRows(rows, &b.Center, from.Center, b.NMax)
	appendRows(rows, &b.Inner, from.Inner, b.NMax)
	appendRows(rows, &b.Tangent, from.Tangent, b.NMax)
	appendRows(rows, &b.Normal, from.Normal, b.NMax)
	appendRows(rows, &b.Arclen, from.Arclen, b.NMax)
	appendRows(rows, &b.Length, from.Length, 1)
	appendRows(rows, &b.Valid, from.Valid, 1)
	appendRows(rows, &b.Reason, from.Reason, 1)
	appendRows(rows, &b.Count, from.Count, 1)
	appendRows(rows, &b.Winding, from.Winding, 1)
	appendRows(rows, &b.Seeds, from.Seeds, 1)
	appendRows(rows, &b.Epochs, from.Epochs, 1)
	appendRows(rows, &b.Candidates, from.Candidates, 1)
	appendRows(rows, &b.Components, from.Components, 1)
	appendRows(rows, &b.WidthRight, from.WidthRight, b.NMax)
	appendRows(rows, &b.WidthLeft, from.WidthLeft, b.NMax)
	appendRows(rows, &b.Crossings, from.Crossings, 1)
	b.Envs += len(envs)
	return nil
}

// appendedRows says which rows are appended, and to how many.
type appendedRows struct {
	envs   []int
	before int
}

// appendRows appends the rows of one array.
func appendRows[T any](rows appendedRows, to *[]T, from []T, stride int) {
	if *to == nil {
		if from == nil {
			return
		}
		*to = make([]T, rows.before*stride, (rows.before+len(rows.envs))*stride)
	}
	if from == nil {
		*to = append(*to, make([]T, len(rows.envs)*stride)...)
		return
	}
	for _, e := range rows.envs {
		*to = append(*to, from[e*stride:(e+1)*stride]...)
	}
}
