// Package race joins everything between a track and a learning agent: vehicles that drive on a batch of tracks or gate
// courses, what they observe, their rewards, the ends of their episodes, and their new begin.
package race
