// Package parquet writes batches of tracks as Parquet data sets, one row per track, for DuckDB, Polars, pandas and
// Spark, and batches of gate courses, one row per gate. It is a separate package so that programs that write other
// formats do not link a Parquet library.
//
// The columns are those of docs/results.md in the order of export.Table:
//
//	env         int32     number of the track
//	name        string    null if the track has none
//	valid       boolean
//	reason      string    empty for a valid track; otherwise the tests that it failed, joined by "|"
//	one value per env
//	            int32     null if it was not computed
//	            float     null if it is not finite
//	points      list<float> of count elements; null if it was not computed, and for a track with a point that is not
//	            finite. A vector has three: center_x, center_y, center_z
//
// There is no padding. A Layout has some of the columns of points, other compressions, and float16 for the numbers of
// points. Files are written by arrow-go, column by column: writing takes a fourth of the time that parquet-go takes row
// by row. They are read by parquet-go, in which hostile files have been tried; so what is written is read by another
// library. The key-value metadata of the file describe how to generate the same tracks again:
//
//	trackgen.metadata  version, device and configuration, the JSON of export.Metadata
//	trackgen.version   of TrackGen
//	trackgen.seeds     JSON [[seed, n], ...]: n tracks with seed, seed+1, ..., in the order of the rows
//	trackgen.epochs    JSON [[epoch, n], ...]: n tracks of that epoch
//	trackgen.sha256    of the tracks, see Hash
//
// A data set of gate courses (NewGateEncoder) has one row for each gate, with the columns of export.GateTable:
//
//	env         int32     number of the course
//	gate        int32     number of the gate along the course; null in the one row of a course without gates
//	one value per env
//	            as those of tracks, the same in all rows of a course
//	gates       float     null if it is not finite, and without a gate. A vector has three: position_x, position_y,
//	            position_z; a quaternion has four
//
// Its metadata are the same, with export.GateMetadata, and trackgen.max_gates, G_max. trackgen.seeds and
// trackgen.epochs count courses, not rows.
package parquet
