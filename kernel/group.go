package kernel

// Group is one workgroup of a group kernel. Code at group scope runs with the same values in every lane; a phase
//
//	for i := range g.Each(n) { ... }
//
// spreads n items over the lanes on a GPU and is a plain loop on the CPU, with a barrier at its end.
type Group struct {
	ID int32 // index of the group in the launch, from 0
}

// Each returns n, so that ranging over it gives the items 0..n-1 of a phase.
func (Group) Each(n int32) int32 { return n }
