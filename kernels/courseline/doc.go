// Package courseline holds the kernel that draws the smooth closed line through the gates of a course
// (docs/spec/course.md, C-40 and C-41).
package courseline
