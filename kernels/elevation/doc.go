// Package elevation holds the formulas of the heights along a closed line, which tracks and gate courses share
// (docs/spec/course.md, section 1), and the kernel that gives a track its heights.
package elevation
