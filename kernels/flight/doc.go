// Package flight holds the kernel that flies drones along closed lines in space (docs/spec/race.md, L-110 to L-116).
package flight
