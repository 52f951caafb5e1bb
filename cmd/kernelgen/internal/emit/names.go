package emit

// names hands out identifiers that differ from each other and from those reserved.
type names map[string]bool

func reserve(list ...string) names {
	taken := names{}
	for _, name := range list {
		taken[name] = true
	}
	return taken
}

// take returns name, lengthened by underscores if it is taken, and reserves it.
func (n names) take(name string) string {
	for n[name] {
		name += "_"
	}
	n[name] = true
	return name
}
