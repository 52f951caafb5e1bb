// Package export writes batches of tracks and of gate courses to files, and draws them.
//
// The formats:
//
//   - .npz, for NumPy and everything that reads it: NewNPZWriter, ReadNPZ, OpenNPZ.
//   - CSV, one row per point or one row per track: NewPointsCSV, NewSummaryCSV.
//   - JSON, whole tracks and a summary of the batch: NewTracksJSON.
//   - SVG and PNG pictures, a grid of tracks with their heights, from above or from the side: WriteSVG, WritePNG.
//   - GeoJSON, in planar metres: NewGeoJSON.
//   - Parquet, one row per track: package export/parquet.
//
// The formats for a single track, as a Road:
//
//   - CSV with x, y and the widths to both sides, the format of collections of real circuits: WriteCircuit.
//   - An occupancy-grid map of ROS, for F1TENTH (RoboRacer) simulators, as three files: WriteOccupancyMap.
//   - OpenDRIVE: WriteOpenDRIVE.
//
// The formats for gate courses: pictures, WriteGatesSVG and WriteGatesPNG, NewGateNPZWriter, NewGatesCSV,
// NewGateSummaryCSV, NewCoursesJSON, NewGatesGeoJSON, and one row per gate in package export/parquet. OpenGates reads
// what NewGateNPZWriter, NewGatesCSV, NewCoursesJSON and export/parquet write. The formats for a single course, as a
// Course: a list of gates as CSV, WriteGateList, and the level files of a drone simulator, WriteGatesTOML and
// WriteGatesYAML.
//
// Every writer of batches except the pictures accepts a batch in chunks. Except for NewNPZ, it holds at most one
// chunk in memory, so it can write batches larger than memory. The chunks do not affect the bytes of the file. The
// bytes depend only on the tracks and the metadata: files contain no times and no machine names.
//
// Files and folders appear under their name only when they are complete (AtomicFile, AtomicFiles, AtomicFolder).
// Readers check the sizes that a file declares against its real size before they allocate memory.
//
// The package works on track.Batch and gate.Batch, batches in host memory. It does not use a device. A picture may show
// what the components of a course compute, as CourseLayers; package export/layers runs them.
package export
