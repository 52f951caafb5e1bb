package export

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
)

// wrongBatches creates batches that every writer must refuse, keyed by a part of the error. The file holds 7 envs of 96
// points.
var wrongBatches = map[string]func() *track.Batch{
	"the batch is nil": func() *track.Batch { return nil },
	"impossible":       func() *track.Batch { return &track.Batch{Envs: -1} },
	"96":               func() *track.Batch { return newBatch(7, 95) },
	"array inner of the batch holds 671 elements, expected 672": func() *track.Batch {
		b := sampleBatch()
		b.Inner = b.Inner[1:]
		return b
	},
	"array seed of the batch holds 6 elements":  func() *track.Batch { b := sampleBatch(); b.Seed = b.Seed[1:]; return b },
	"array valid of the batch holds 0 elements": func() *track.Batch { b := sampleBatch(); b.Valid = nil; return b },
	"env 2 of the batch has a count of 97":      func() *track.Batch { b := sampleBatch(); b.Count[2] = 97; return b },
	"env 2 of the batch has a count of -1":      func() *track.Batch { b := sampleBatch(); b.Count[2] = -1; return b },
	"env 3 of the batch has valid = 2":          func() *track.Batch { b := sampleBatch(); b.Valid[3] = 2; return b },
}

func TestEveryFileInChunksIsTheSameFile(t *testing.T) {
	b := sampleBatch()
	for name, create := range writers {
		t.Run(name, func(t *testing.T) {
			var files [][]byte
			for _, chunks := range [][]int{{7}, {1, 1, 1, 1, 1, 1, 1}, {2, 0, 5}} {
				target := filepath.Join(t.TempDir(), "out")
				w, err := create(target, ShapeOf(b))
				require.NoError(t, err)
				appendChunks(t, w, b, chunks)
				require.NoError(t, w.Commit(context.Background()))
				requireFiles(t, filepath.Dir(target), "out")
				files = append(files, readFile(t, target))
			}
			require.Equal(t, files[0], files[1])
			require.Equal(t, files[0], files[2])
		})
	}
}

// encode returns the bytes that an encoder writes for b.
func encode(t *testing.T, b *track.Batch, create func(io.Writer) (Encoder, error)) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := create(&out)
	require.NoError(t, err)
	require.NoError(t, e.Append(context.Background(), b))
	require.NoError(t, e.Finish())
	return out.Bytes()
}

func TestPointsCSV(t *testing.T) {
	b := sampleBatch()
	text := encode(t, b, func(w io.Writer) (Encoder, error) { return NewPointsCSV(w, ShapeOf(b)) })
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Equal(t,
		strings.Split("env point valid center_x center_y center_z outer_x outer_y outer_z inner_x inner_y inner_z"+
			" tangent_x tangent_y tangent_z normal_x normal_y normal_z arclen", " "), rows[0])
	rows = rows[1:]
	points := 0
	for e := range b.Envs {
		for i := range int(b.Count[e]) {
			row, at := rows[points], e*b.NMax+i
			require.Equal(t, []string{strconv.Itoa(e), strconv.Itoa(i), strconv.Itoa(int(b.Valid[e]))}, row[:3])
			for column, want := range []float32{b.Center[at].X, b.Center[at].Y, b.Center[at].Z, b.Outer[at].X, b.Outer[at].Y} {
				got, err := strconv.ParseFloat(row[3+column], 32)
				require.NoError(t, err)
				if !math.IsNaN(float64(want)) {
					require.Equal(t, want, float32(got), "shortest numbers read back")
				}
			}
			points++
		}
	}
	require.Len(t, rows, points)
	require.Equal(t, "NaN", rows[64+90+80+3][3])
	require.Equal(t, "+Inf", rows[64+90+80+7][7])
}

func TestSummaryCSV(t *testing.T) {
	b := sampleBatch()
	invalidate(b, 6, 0)
	text := encode(t, b, func(w io.Writer) (Encoder, error) { return NewSummaryCSV(w, ShapeOf(b)) })
	lines := strings.Split(string(text), "\n")
	require.Len(t, lines, 9)
	require.Equal(t, "env,seed,epoch,valid,reason,count,length,winding,candidate,component", lines[0])
	require.Regexp(t, `^0,1234,0,1,,64,3\.14\d*,1,0,0$`, lines[1])
	require.Regexp(t, `^1,-2147483648,0,1,,90,[\d.]+,-1,1,0$`, lines[2])
	require.Regexp(t, `^2,2147483647,0,0,turning\|separation,80,`, lines[3])
	require.Equal(t, "3,1237,0,0,empty,0,0,0,0,1", lines[4])
	require.Equal(t, "4,1238,0,0,not finite,50,-Inf,1,1,1", lines[5])
	require.Regexp(t, `^6,1240,1,0,unknown,40,`, lines[7])
	require.Empty(t, lines[8])
}

func TestTracksJSON(t *testing.T) {
	b := sampleBatch()
	text := encode(t, b, func(w io.Writer) (Encoder, error) { return NewTracksJSON(w, ShapeOf(b), sampleMetadata()) })
	require.NotContains(t, string(text), "NaN")
	var got struct {
		MadeBy Metadata `json:"made_by"`
		NMax   int      `json:"n_max"`
		Tracks []struct {
			Env, Seed, Epoch, Count int
			Candidate, Component    int
			Valid                   bool
			Reasons                 []string
			Length, Winding         *float32
			Center, Outer, Inner    [][3]*float32
			Tangent, Normal         [][3]*float32
			Arclen                  []*float32
		}
		Summary map[string]any
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&got))
	require.Equal(t, 7, got.MadeBy.Config.NumEnvs)
	require.Equal(t, 96, got.NMax)
	require.Len(t, got.Tracks, 7)
	for e, one := range got.Tracks {
		require.Equal(t, e, one.Env)
		require.Equal(t, int(b.Seed[e]), one.Seed)
		require.Equal(t, int(b.Epoch[e]), one.Epoch)
		require.Equal(t, []int{e % 3, e / 3}, []int{one.Candidate, one.Component})
		require.Equal(t, b.Valid[e] == 1, one.Valid)
		require.NotNil(t, one.Reasons)
		for _, array := range [][][3]*float32{one.Center, one.Outer, one.Inner, one.Tangent, one.Normal} {
			require.Len(t, array, int(b.Count[e]), "real points only")
		}
		require.Len(t, one.Arclen, int(b.Count[e]))
	}
	require.Equal(t, b.Center[5].X, *got.Tracks[0].Center[5][0])
	require.Equal(t, b.Normal[b.NMax+5].Y, *got.Tracks[1].Normal[5][1])
	require.Equal(t, []string{"turning", "separation"}, got.Tracks[2].Reasons)
	require.Nil(t, got.Tracks[4].Center[3][0])
	require.Nil(t, got.Tracks[4].Arclen[9])
	require.Nil(t, got.Tracks[4].Length)
	require.InDelta(t, 3.0/7, got.Summary["yield"], 1e-15)
}

func TestSummaryJSON(t *testing.T) {
	b := sampleBatch()
	summary, err := Summarize(b)
	require.NoError(t, err)
	text, err := json.Marshal(summary)
	require.NoError(t, err)
	var got struct {
		Envs, Valid    int
		Yield          float64
		Reasons        map[string]int
		Clockwise      int
		Length, Points Statistics
	}
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, map[string]int{"turning": 1, "separation": 1, "empty": 1, "not finite": 1, "curvature": 1},
		got.Reasons)
	require.Equal(t, Statistics{Min: 64, Mean: (64.0 + 90 + 96) / 3, Median: 90, Max: 96}, got.Points)
	require.Equal(t, 2, got.Clockwise)
	require.NotContains(t, string(text), "NaN")
}

func TestSummaryOfNoValidTracks(t *testing.T) {
	s, err := Summarize(newBatch(3, 4))
	require.NoError(t, err)
	require.Equal(t, Summary{Envs: 3, Reasons: ReasonCounts{{"unknown", 3}}}, s)
	text, err := json.Marshal(s)
	require.NoError(t, err)
	require.Equal(t,
		`{"envs":3,"valid":0,"yield":0,"reasons":{"unknown":3},"clockwise":0,"counter_clockwise":0,"length":null,"points":null}`, string(text))

	_, err = json.Marshal((&Summarizer{}).Summary())
	require.NoError(t, err)
}

func TestSummaryOrdersReasonsAndFindsTheMedian(t *testing.T) {
	b := newBatch(8, 4)
	for e := range 4 {
		setTrack(b, e, 4, 0.1, circle(1))
		b.Length[e] = float32([]int{10, 1, 2, 3}[e])
	}
	b.Length[3] = nan // as in a malicious file
	invalidate(b, 4, track.ReasonWidth)
	invalidate(b, 5, track.ReasonCurvature|track.ReasonWidth)
	invalidate(b, 6, math.MinInt32)
	invalidate(b, 7, math.MinInt32|track.ReasonWidth)
	s, err := Summarize(b)
	require.NoError(t, err)
	require.Equal(t, ReasonCounts{{"width", 3}, {"curvature", 1}, {"unknown", 1}}, s.Reasons)
	require.Equal(t, &Statistics{Min: 1, Mean: 13.0 / 3, Median: 2, Max: 10}, s.Length)
	require.Equal(t, 4, s.Valid)
	require.Equal(t, 0.5, s.Yield)

	b.Length[3] = 5
	s, err = Summarize(b)
	require.NoError(t, err)
	require.Equal(t, 3.5, s.Length.Median)
}

// failAfter is a writer that fails after n bytes, like a full disk.
type failAfter int

var errFull = errors.New("no space left")

func (f *failAfter) Write(p []byte) (int, error) {
	if *f -= failAfter(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestEncodersReportWriteErrors(t *testing.T) {
	b := newBatch(40, 96)
	for e := range b.Envs {
		setTrack(b, e, 90, 0.1, circle(0.5))
	}
	shape := ShapeOf(b)
	for name, create := range map[string]func(io.Writer) (Encoder, error){
		"points.csv":  func(w io.Writer) (Encoder, error) { return NewPointsCSV(w, shape) },
		"summary.csv": func(w io.Writer) (Encoder, error) { return NewSummaryCSV(w, shape) },
		"tracks.json": func(w io.Writer) (Encoder, error) { return NewTracksJSON(w, shape, Metadata{}) },
		"geojson":     func(w io.Writer) (Encoder, error) { return NewGeoJSON(w, shape, Metadata{}, GeoJSON{}) },
		"svg":         func(w io.Writer) (Encoder, error) { return pictureEncoder{w, WriteSVG}, nil },
		"png":         func(w io.Writer) (Encoder, error) { return pictureEncoder{w, WritePNG}, nil },
	} {
		for _, room := range []failAfter{0, 100} {
			e, err := create(&room)
			require.NoError(t, err)
			err = e.Append(context.Background(), b)
			if err == nil {
				err = e.Finish()
			}
			require.ErrorIs(t, err, errFull, name)
		}
	}
}

// pictureEncoder adapts pictures to the interface that the test above uses.
type pictureEncoder struct {
	w     io.Writer
	write func(io.Writer, *track.Batch, Picture) error
}

func (p pictureEncoder) Append(_ context.Context, b *track.Batch) error {
	return p.write(p.w, b, Picture{})
}
func (p pictureEncoder) Finish() error { return nil }

func TestEncodersStopWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := sampleBatch()
	points, err := NewPointsCSV(io.Discard, ShapeOf(b))
	require.NoError(t, err)
	require.ErrorIs(t, points.Append(ctx, b), context.Canceled)
	tracks, err := NewTracksJSON(io.Discard, ShapeOf(b), Metadata{})
	require.NoError(t, err)
	require.ErrorIs(t, tracks.Append(ctx, b), context.Canceled)
}
