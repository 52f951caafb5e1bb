// Package collision tells for every box, such as a car, whether and where it touches the borders of its track
// (docs/spec/course.md, C-70 to C-78).
package collision
