package circuit

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// TrackGen writes tracks to points.csv, tracks.json and tracks.npz. These functions read their centrelines, widths and
// names. GeoJSON and circuit CSV files of TrackGen have the same readers as other such files.

const maxTracks = 1 << 16 // per file

// tracksOf collects the circuits of a file of tracks.
type tracksOf struct {
	file  string
	files []*File
	empty []string // envs of tracks that are not valid and have no complete line
}

// add adds a track. It skips a track that is not valid and has no complete line, because its generation failed.
func (t *tracksOf) add(line TrackLine) error {
	finite := true
	for _, values := range [][]float64{line.X, line.Y, line.Z, line.Right, line.Left} {
		finite = finite && !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	}
	n := len(line.X)
	switch {
	case len(t.files)+len(t.empty) >= maxTracks:
		return &Error{File: t.file, Name: "the number of tracks", Value: fmt.Sprintf("more than %d", maxTracks),
			Want: "at most that: trackgen export writes a part of a file"}
	case !line.Valid && (n < 3 || !finite):
		t.empty = append(t.empty, line.Env)
		return nil
	case len(line.Y) != n || line.Right != nil && len(line.Right) != n || line.Left != nil && len(line.Left) != n:
		return &Error{File: t.file, Name: "the number of widths of track " + line.Env,
			Value: fmt.Sprintf("%d to the right and %d to the left", len(line.Right), len(line.Left)),
			Want:  fmt.Sprintf("%d, one for each point", n)}
	case line.Z != nil && len(line.Z) != n:
		return &Error{File: t.file, Name: "the number of heights of track " + line.Env, Value: strconv.Itoa(len(line.Z)),
			Want: fmt.Sprintf("%d, one for each point", n)}
	case (line.Right == nil) != (line.Left == nil):
		return &Error{File: t.file, Name: "the widths of track " + line.Env, Value: "only to one side",
			Want: "width_right and width_left, or neither"}
	}
	c := &File{}
	c.Name = line.Name
	for i := range line.X {
		if i > 0 && line.X[i] == line.X[i-1] && line.Y[i] == line.Y[i-1] {
			c.Repeated++
			continue
		}
		c.X, c.Y = append(c.X, line.X[i]), append(c.Y, line.Y[i])
		if line.Z != nil {
			c.Z = append(c.Z, line.Z[i])
		}
		if line.Right != nil {
			c.Right, c.Left = append(c.Right, line.Right[i]), append(c.Left, line.Left[i])
		}
	}
	t.files = append(t.files, c)
	return nil
}

// circuits returns the circuits that were added.
func (t *tracksOf) circuits() ([]*File, error) {
	if len(t.files) == 0 {
		return nil, &Error{File: t.file, Name: "the number of tracks with a line",
			Value: fmt.Sprintf("0, beside %d that are not valid", len(t.empty)), Want: "at least 1"}
	}
	if n := len(t.empty); n > 0 {
		const most = 5
		list := strings.Join(t.empty[:min(n, most)], ", ")
		if n > most {
			list += ", ..."
		}
		t.files[0].Notes = append(t.files[0].Notes,
			fmt.Sprintf("%d tracks that are not valid and have no line are left out: %s", n, list))
	}
	return t.files, nil
}

// maybeNumber is a JSON number; null is NaN.
type maybeNumber float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *maybeNumber) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = maybeNumber(math.NaN())
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("%s is no number", quoted(strings.Trim(string(text), `"`)))
	}
	*n = maybeNumber(v)
	return nil
}

func numbers(list []maybeNumber) []float64 {
	if list == nil {
		return nil
	}
	values := make([]float64, len(list))
	for i, v := range list {
		values[i] = float64(v)
	}
	return values
}

var tracksMember = regexp.MustCompile(`"tracks"\s*:\s*\[`)

// isTracksJSON reports whether a file is JSON with tracks. Much may precede the tracks, so the first member of such
// files counts too.
func isTracksJSON(head []byte) bool {
	return isJSON(head) && !bytes.Contains(head, []byte(`"FeatureCollection"`)) &&
		(tracksMember.Match(head) || bytes.HasPrefix(bytes.TrimSpace(head), []byte(`{"made_by"`)))
}

// readTracksJSON reads the tracks of a JSON file.
func readTracksJSON(name string, data []byte, _ Options) ([]*File, error) {
	var content struct {
		Tracks []struct {
			Env        int             `json:"env"`
			Name       string          `json:"name"`
			Valid      *bool           `json:"valid"`
			Center     [][]maybeNumber `json:"center"`
			WidthRight []maybeNumber   `json:"width_right"`
			WidthLeft  []maybeNumber   `json:"width_left"`
		} `json:"tracks"`
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, &Error{File: name, Name: "the JSON", Value: "wrong: " + err.Error(),
			Want: "tracks as trackgen writes them"}
	}
	all := &tracksOf{file: name}
	for _, item := range content.Tracks {
		line := TrackLine{
			Env: strconv.Itoa(item.Env), Name: item.Name, Valid: item.Valid == nil || *item.Valid,
			Right: numbers(item.WidthRight), Left: numbers(item.WidthLeft),
		}
		for i, p := range item.Center {
			if len(p) != 2 && len(p) != 3 {
				return nil, &Error{File: name, Name: fmt.Sprintf("point %d of the center of track %d", i+1, item.Env),
					Value: fmt.Sprintf("of %d numbers", len(p)), Want: "[x, y, z] or [x, y]"}
			}
			line.X, line.Y = append(line.X, float64(p[0])), append(line.Y, float64(p[1]))
			if len(p) == 3 {
				line.Z = append(line.Z, float64(p[2]))
			}
		}
		if err := all.add(line); err != nil {
			return nil, err
		}
	}
	return all.circuits()
}

// Columns of a points CSV file.
const (
	envColumn   = "env"
	nameColumn  = "name"
	validColumn = "valid"
	centerX     = "center_x"
	centerY     = "center_y"
	centerZ     = "center_z"
	widthRight  = "width_right"
	widthLeft   = "width_left"
)

// isPointsCSV reports whether the first line of a file has the columns of the env and the centreline.
func isPointsCSV(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	names := strings.Split(strings.TrimSpace(string(line)), ",")
	return slices.Contains(names, envColumn) && slices.Contains(names, centerX) && slices.Contains(names, centerY)
}

// readPointsCSV reads the tracks of a points CSV file. The points of a track are consecutive rows.
func readPointsCSV(name string, data []byte, _ Options) ([]*File, error) {
	rows := csv.NewReader(bytes.NewReader(data))
	rows.ReuseRecord = true
	header, err := rows.Read()
	if err != nil {
		return nil, rowError(name, err)
	}
	at := map[string]int{}
	for i, column := range header {
		if _, twice := at[column]; twice {
			return nil, &Error{File: name, Line: 1, Column: i + 1, Name: "the name of the column", Value: quoted(column),
				Want: "that of one column"}
		}
		at[column] = i
	}
	all := &tracksOf{file: name}
	line := TrackLine{}
	seen := map[string]bool{}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, rowError(name, err)
		}
		if env := row[at[envColumn]]; env != line.Env || line.X == nil {
			if line.X != nil {
				if err := all.add(line); err != nil {
					return nil, err
				}
			}
			if seen[env] {
				number, _ := rows.FieldPos(0)
				return nil, &Error{File: name, Line: number, Name: envColumn, Value: quoted(env),
					Want: "that of the row before, or a new one: the points of a track are together"}
			}
			seen[strings.Clone(env)] = true
			line = TrackLine{Env: strings.Clone(env), Valid: true}
		}
		if err := line.addRow(name, rows, row, at); err != nil {
			return nil, err
		}
	}
	if line.X != nil {
		if err := all.add(line); err != nil {
			return nil, err
		}
	}
	return all.circuits()
}

// addRow adds a point.
func (l *TrackLine) addRow(file string, rows *csv.Reader, row []string, at map[string]int) error {
	for _, column := range [...]struct {
		name string
		to   *[]float64
	}{{centerX, &l.X}, {centerY, &l.Y}, {widthRight, &l.Right}, {widthLeft, &l.Left}, {centerZ, &l.Z}} {
		i, has := at[column.name]
		if !has {
			continue
		}
		v, err := strconv.ParseFloat(row[i], 64)
		if err != nil {
			number, _ := rows.FieldPos(i)
			return &Error{File: file, Line: number, Column: i + 1, Name: column.name, Value: quoted(row[i]),
				Want: "a number such as 12.5"}
		}
		*column.to = append(*column.to, v)
	}
	if i, has := at[nameColumn]; has {
		l.Name = strings.Clone(row[i])
	}
	if i, has := at[validColumn]; has && row[i] == "0" {
		l.Valid = false
	}
	return nil
}

// rowError returns the error for a file that is not valid CSV.
func rowError(name string, err error) error {
	e := &Error{File: name, Name: "the CSV", Value: "wrong: " + err.Error(), Want: "rows of the columns of the first line"}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		e.Line, e.Value = parse.Line, "wrong: "+parse.Err.Error()
	}
	return e
}
