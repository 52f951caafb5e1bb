package track

// Unregister removes a registered generator, for tests outside of the package.
func Unregister(name string) { generators.Remove(name) }
