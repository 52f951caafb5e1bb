// Package borders holds the kernels that test oriented boxes, such as cars, against the borders of a track
// (docs/spec/course.md, C-70 to C-73). A search through the index of package polyline gives every bit of a scan of all
// segments.
package borders
