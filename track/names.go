package track

// namesOf returns the names of circuits, or nil if none has one.
func namesOf(circuits []Circuit) []string {
	names := make([]string, len(circuits))
	named := false
	for e := range circuits {
		names[e] = circuits[e].Name
		named = named || names[e] != ""
	}
	if !named {
		return nil
	}
	return names
}

// appendNames appends the names of the given envs of another batch to those of b, whose envs do not include them yet.
func (b *Batch) appendNames(from *Batch, envs []int) {
	if b.Names == nil && from.Names == nil {
		return
	}
	if b.Names == nil {
		b.Names = make([]string, b.Envs)
	}
	for _, e := range envs {
		b.Names = append(b.Names, from.Name(e))
	}
}
