// Package race holds the kernels of races themselves: what they count over all episodes (docs/spec/race.md, L-103).
package race
