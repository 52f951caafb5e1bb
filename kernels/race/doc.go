// Package race holds the kernels of races themselves: what they count over all episodes, what
// agents know of their own motion, and vectors of observations (docs/spec/race.md, L-103, L-27, L-28).
package race
