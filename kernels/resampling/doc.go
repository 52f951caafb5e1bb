// Package resampling holds the kernels that place items at equal distances along a closed line in space: checkpoints
// and props (docs/spec/course.md, C-50 to C-53).
package resampling
