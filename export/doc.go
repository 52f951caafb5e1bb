// Package export writes batches of tracks to files and draws them.
//
// The formats:
//
//   - .npz, for NumPy and everything that reads it: NewNPZWriter, ReadNPZ, OpenNPZ.
//   - CSV, one row a point or one row a track: NewPointsCSV, NewSummaryCSV.
//   - JSON, whole tracks or only totals: NewTracksJSON, NewSummaryJSON.
//   - SVG and PNG pictures, a grid of tracks: WriteSVG, WritePNG.
//
// Every writer but the pictures takes a batch in chunks and holds no more than one chunk in memory, so that batches
// larger than memory can be written; a file written in chunks is byte for byte the file written at once. The bytes
// depend on the tracks and the metadata alone: there are no times and no names of machines in them.
//
// Files appear under their name only when they are complete (AtomicFile). What is read is checked against the real size
// of the file before memory is asked for.
//
// The package works on track.Batch, tracks in host memory; nothing in it touches a device.
package export
