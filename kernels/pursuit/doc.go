// Package pursuit holds the kernel that steers cars along closed lines by pure pursuit (docs/spec/race.md, L-90 to
// L-95).
package pursuit
