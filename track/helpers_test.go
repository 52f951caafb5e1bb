package track

// configOf is tracktest.Config, which tests inside the package cannot import.
func configOf(generator string, envs int, changes ...func(*Config)) Config {
	c := DefaultConfig()
	c.Generator, c.NumEnvs = generator, envs
	for _, change := range changes {
		change(&c)
	}
	return c
}

// loopOf is tracktest.Loop, which tests inside the package cannot import.
func loopOf(generator string, changes ...func(*FirstLoop)) FirstLoop {
	loop := DefaultConfig().FirstLoop
	loop.Generator = generator
	for _, change := range changes {
		change(&loop)
	}
	return loop
}
