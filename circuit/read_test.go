package circuit_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/circuit"
)

func read(text string) (*circuit.File, error) {
	return circuit.Read("ring.csv", strings.NewReader(text), circuit.Options{})
}

// The same four points in every form that a file may have.
func TestForms(t *testing.T) {
	const plain = "0,0,1,2\n10,0,3,4\n10,10,5,6\n0,10,7,8\n"
	want, err := read(plain)
	require.NoError(t, err)
	require.Equal(t, []float64{0, 10, 10, 0}, want.X)
	require.Equal(t, []float64{0, 0, 10, 10}, want.Y)
	require.Equal(t, []float64{1, 3, 5, 7}, want.Right)
	require.Equal(t, []float64{2, 4, 6, 8}, want.Left)
	for name, text := range map[string]string{
		"semicolons":        strings.ReplaceAll(plain, ",", ";"),
		"tabs":              strings.ReplaceAll(plain, ",", "\t"),
		"blanks":            strings.ReplaceAll(plain, ",", "   "),
		"commas and blanks": strings.ReplaceAll(plain, ",", " , "),
		"CRLF":              strings.ReplaceAll(plain, "\n", "\r\n"),
		"CR":                strings.ReplaceAll(plain, "\n", "\r"),
		"CR, many comments": strings.Repeat("# a ring of four points\r", 1000) + strings.ReplaceAll(plain,
			"\n", "\r"),
		"quoted":                "\"0\",\"0\",\"1\",\"2\"\n\"10\",0,3,\" 4 \"\n10,10,5,6\n0,10,7,8\n",
		"a title":               "A ring; in metres\n" + plain,
		"a title in blanks":     "the ring\n" + plain,
		"names in blanks":       "y x left right\n0,0,2,1\n0,10,4,3\n10,10,6,5\n10,0,8,7\n",
		"no last line end":      strings.TrimSuffix(plain, "\n"),
		"byte order mark":       "\uFEFF" + plain,
		"comments":              "# a ring\n" + strings.ReplaceAll(plain, "\n", " # a point\n") + "# the end\n",
		"names in a comment":    "# x_m,y_m,w_tr_right_m,w_tr_left_m\n" + plain,
		"names":                 "x_m,y_m,w_tr_right_m,w_tr_left_m\n" + plain,
		"names, quoted":         "\"x\",\"y\",\"right\",\"left\"\n" + plain,
		"units below names":     "x,y,w_right,w_left\n[m],[m],[m],[m]\n" + plain,
		"separators at the end": strings.ReplaceAll(plain, "\n", ",\n"),
		"comments of MATLAB":    "% a ring\n// a ring\n" + plain,
		"Excel":                 "sep=;\n" + strings.ReplaceAll(plain, ",", ";"),
		"decimal commas": "x;y;wr;wl\n" + strings.ReplaceAll(strings.ReplaceAll(plain, ",", ",00;"), "\n",
			",0\n"),
		"decimal commas, blanks":   strings.ReplaceAll(strings.ReplaceAll(plain, ",", ",0 "), "\n", ",0\n"),
		"decimal commas, quoted":   "0,0,\"1,0\",2\n\"10,0\",0,3,4\n10,10,\"5,0\",6\n0,10,7,8\n",
		"UTF-16, little endian":    "\xff\xfe" + strings.Join(append(strings.Split(plain, ""), ""), "\x00"),
		"UTF-16, big endian":       "\xfe\xff\x00" + strings.Join(strings.Split(plain, ""), "\x00"),
		"other order":              "left,right,y,x\n2,1,0,0\n4,3,0,10\n6,5,10,10\n8,7,10,0\n",
		"other order in a comment": "# w_tr_left_m; w_tr_right_m; x_m; y_m\n2;1;0;0\n4;3;10;0\n6;5;10;10\n8;7;0;10\n",
		"empty lines":              "\n\n" + strings.ReplaceAll(plain, "\n", "\n\n") + "\n  \n\t\n",
		"exponents":                "0e0,0,1,2\n1e1,0,3,4\n1.0E+1,+10.,5,6\n-0,.1e2,7,8\n",
		"closed":                   plain + "0,0,1,2\n",
		"repeated": "0,0,1,2\n0,0,1,2\n" + strings.TrimPrefix(plain, "0,0,1,2\n") +
			"0,10,7,8\n0,0,1,2\n0,0,1,2\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(text)
			require.NoError(t, err)
			assert.Equal(t, want.Circuit, got.Circuit)
			assert.Equal(t, sha256.Sum256([]byte(text)), got.SHA256)
		})
	}
	got, err := read("0,0,1,2\n0,0,1,2\n10,0,3,4\n10,10,5,6\n0,10,7,8\n0,0,9,9\n")
	require.NoError(t, err)
	assert.Equal(t, 2, got.Repeated)

	bare, err := read("x y\n0 0\n10 0\n10 10\n")
	require.NoError(t, err)
	assert.False(t, bare.Widths())
	assert.Nil(t, bare.Left)
	assert.InDelta(t, 20+10*math.Sqrt2, bare.PolygonLength(), 1e-12)
}

func TestMeasures(t *testing.T) {
	c, err := read("500000,5400000,1,2\n500010,5400000,3,4\n500010,5400020,5,0.5\n500000,5400020,7,8\n")
	require.NoError(t, err)
	assert.Equal(t, [][]float64{{1, 3, 5, 7}, {2, 4, 0.5, 8}}, [][]float64{c.Right, c.Left})
	assert.InDelta(t, 60.0, c.PolygonLength(), 1e-9)
	x, y := c.Recenter()
	assert.Equal(t, [2]float64{500005, 5400010}, [2]float64{x, y})
	assert.Equal(t, []float64{-5, 5, 5, -5}, c.X)
	assert.Equal(t, []float64{-10, -10, 10, 10}, c.Y)
}

// Every error names the place in the file, the wrong value, and what is allowed.
func TestRefusals(t *testing.T) {
	const start = "# x,y,right,left\n0,0,1,2\n10,0,3,4\n"
	ring := func(scale float64) string {
		var text strings.Builder
		for i := range 100 {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 100)
			fmt.Fprintf(&text, "%g,%g\n", scale*cos, scale*sin)
		}
		return text.String()
	}
	lines := strings.SplitAfter(ring(100), "\n")
	for name, test := range map[string]struct{ text, want string }{
		"empty":          {"", "ring.csv: the number of different points is 0: must be at least 3"},
		"comments alone": {"# nothing\n\n", "the number of different points is 0"},
		"names alone":    {"x,y\n", "ring.csv: the number of points is 0: there is text, and no line of numbers"},
		"two points":     {"0,0\n1,1\n", "the number of different points is 2: must be at least 3"},
		"two, repeated":  {"0,0\n1,1\n1,1\n0,0\n", "the number of different points is 2"},
		"one column": {"1\n2\n3\n",
			"ring.csv:1: the number of columns is 1, without names: must be 2 (x, y), 3 (x, y, width) or 4 (x, y, " +
				"width_right, width_left), separated by"},
		"five columns": {"1,2,3,4,5\n", "ring.csv:1: the number of columns is 5, without names: must be 2"},
		"a column less": {start + "10,10,5\n",
			"ring.csv:4: the number of columns is 3: must be 4, as on the lines before"},
		"another column": {start + "10,10,5,6,7\n", "ring.csv:4: the number of columns is 5: must be 4"},
		"text":           {start + "10,ten,5,6\n", `ring.csv:4: column 2: y is "ten": must be a number such as 12.5`},
		"nothing":        {start + "10,,5,6\n", `ring.csv:4: column 2: y is ""`},
		"thousands": {"0;0;1;2\n1.010,5;0;1,5;2\n",
			`ring.csv:2: column 1: x is "1.010,5": must be a number such as 12.5`},
		"NaN": {start + "NaN,10,5,6\n",
			`ring.csv:4: column 1: x is "NaN": must be a number of metres from -10000000 to 10000000`},
		"infinite":       {start + "10,-Inf,5,6\n", `column 2: y is "-Inf"`},
		"beyond float64": {start + "1e999,10,5,6\n", `column 1: x is "1e999": must be a number of metres from`},
		"beyond float32": {start + "1e39,10,5,6\n", `column 1: x is "1e39": must be a number of metres from`},
		"hexadecimal":    {start + "0x10,10,5,6\n", `column 1: x is "0x10": must be a number such as 12.5`},
		"negative width": {start + "10,10,-5,6\n",
			`ring.csv:4: column 3: width_right is "-5": must be a number of metres > 0 and <= 100`},
		"no width": {start + "10,10,5,0\n", `ring.csv:4: column 4: width_left is "0"`},
		"centimetres": {start + "10,10,550,530\n",
			`column 3: width_right is "550": must be a number of metres > 0 and <= 100`},
		"named elsewhere": {"left,right,x,y\n1,-2,3,4\n", `ring.csv:2: column 2: width_right is "-2"`},
		"fewer names": {"x,y\n0,0,1,2\n",
			"ring.csv:2: the number of columns is 4: must be 2, as in the line of names, line 1"},
		"more names": {"y,x,right,left\n0,0\n",
			"ring.csv:2: the number of columns is 2: must be 4, as in the line of names, line 1"},
		"a quotation mark": {start + "\"10,10,5,6\n", `ring.csv:4: column 1: x is "\"10": must be a number such as 12.5`},
		"a long field":     {start + strings.Repeat("9", 500) + "é,0,1,2\n", `9999999999..."`},
		"millimetres": {ring(0.0005),
			"the length of the closed line is 0.00314108 m: must be 1 to 1000000 m; are the numbers metres?"},
		"far too long": {ring(9e6), "the length of the closed line is 5.65394e+07 m"},
		"gap": {strings.Join(lines[:50], "") + strings.Join(lines[80:], ""), "ring.csv:50: the distance " +
			"from here to the next point, on line 51, is 165.416 m: must be at most 157.054 m, 25 times the median distance"},
		"not closed": {strings.Join(lines[:60], ""),
			"ring.csv:60: the distance from here to the first point, on line 1, which closes the circuit, is 192.059 m"},
		"binary": {"KN5\r\n\x1a\n\x00\x00",
			"ring.csv:2: byte 1 is 0x1a: must be text: this is not a CSV file"},
		"zeros":  {start + "\x00\x00\x00", "ring.csv:4: byte 1 is 0x00"},
		"UTF-16": {"\xff\xfex\x00,\x00y\x00", "the number of points is 0"},
		"a long line of CR": {strings.Repeat(" ", 4096) + "\r" + strings.Repeat(" ", 4097) + "\r0,0",
			"ring.csv:2: the line is longer than 4096 bytes"},
		"a long line": {start + strings.Repeat(" ", 5000),
			"ring.csv:4: the line is longer than 4096 bytes: must be at most 4096 bytes long"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(test.text)
			require.ErrorIs(t, err, circuit.ErrFormat)
			assert.ErrorContains(t, err, test.want)
		})
	}
	_, err := circuit.Read("gap.csv", strings.NewReader(strings.Join(lines[:60], "")), circuit.Options{MaxGap: 200})
	assert.NoError(t, err)
	_, err = circuit.Read("gap.csv", strings.NewReader(ring(100)), circuit.Options{MaxGap: 3})
	assert.ErrorContains(t, err, "must be at most 3 m, the given limit")
	_, err = circuit.Read("gap.csv", strings.NewReader(ring(100)), circuit.Options{MaxGap: math.NaN()})
	assert.ErrorIs(t, err, circuit.ErrFormat)
}

// endless is a file that repeats a text without end.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	for n := range p {
		p[n] = e.text[e.at]
		e.at = (e.at + 1) % len(e.text)
	}
	return len(p), nil
}

// Endless files do not fill the memory.
func TestBounds(t *testing.T) {
	for name, test := range map[string]struct {
		r    io.Reader
		want string
	}{
		"one line": {&endless{text: "0"}, "the line is longer than 4096 bytes"},
		"zeros":    {&endless{text: "\x00"}, ""},
		"lines":    {&endless{text: "\n"}, "lines: the number of lines is more than 4194304: must be at most that"},
		"comments": {&endless{text: "# x y\n"}, "what comes before the first point is longer than 1048576 bytes"},
		"text": {&endless{text: "a,b,c,d\n"},
			"what comes before the first point is longer than 1048576 bytes: must be shorter"},
		"points": {&endless{text: "1,2\n"}, "the number of lines is more than 4194304"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := circuit.Read(name, test.r, circuit.Options{})
			require.ErrorIs(t, err, circuit.ErrFormat)
			assert.ErrorContains(t, err, test.want)
		})
	}
	_, err := circuit.Read("broken", iotest.ErrReader(io.ErrUnexpectedEOF), circuit.Options{})
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.NotErrorIs(t, err, circuit.ErrFormat)
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "My Ring.csv")
	require.NoError(t, os.WriteFile(path, []byte("0,0\n10,0\n10,10\n"), 0o600))
	c, err := circuit.ReadFile(path, circuit.Options{})
	require.NoError(t, err)
	assert.Equal(t, "My Ring", c.Name)
	_, err = circuit.ReadFile(path+".missing", circuit.Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = circuit.ReadFile(filepath.Dir(path), circuit.Options{})
	assert.ErrorContains(t, err, "a folder: must be a file")
}

// A written file reads back, for all separators and line ends.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		separator := rapid.SampledFrom([]string{",", ";", "\t", " ", ", "}).Draw(t, "separator")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		widths := rapid.Bool().Draw(t, "widths")
		n := rapid.IntRange(3, 30).Draw(t, "points")
		var text strings.Builder
		var x, y, right, left []float64
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * (float64(i) + rapid.Float64Range(-0.4, 0.4).Draw(t, "shift")) / float64(n))
			x, y = append(x, 100*cos), append(y, 100*sin)
			fmt.Fprint(&text, x[i], separator, y[i])
			if widths {
				right, left = append(right, rapid.Float64Range(0.1, 100).Draw(t, "right")),
					append(left, rapid.Float64Range(0.1, 100).Draw(t, "left"))
				fmt.Fprint(&text, separator, right[i], separator, left[i])
			}
			text.WriteString(end)
		}
		c, err := circuit.Read("ring.csv", strings.NewReader(text.String()), circuit.Options{MaxGap: 1000})
		require.NoError(t, err)
		require.Equal(t, x, c.X)
		require.Equal(t, y, c.Y)
		require.Equal(t, right, c.Right)
		require.Equal(t, left, c.Left)
	})
}

// For any bytes, reading returns a circuit within the limits or an error that says where the file is wrong.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "0,0\n10,0\n10,10\n", "# x,y,right,left\n0,0,1,2\r\n10,0,3,4\r\n10,10,5,6\r\n",
		"\uFEFFx;y\n0;0\n1;0\n1;1\n0;0\n",
		"\xff\xfe0\x00", "# [x, y, w_left, w_right]\n0,0,1,2\n9,0,3,4\n9,9,5,6\n", "s;x;y;psi\n1;0;0;\n2;1;0;a\n3;1;1;b\n",
		"x,y\nmm,cm\n0,0\n9000,0\n9000,900\n", "# a: x y w\n0 0 1\n9,5 0 1\n9 9 1\n", "sep=;\nx;y;left;right\n", "{}",
		"<kml>",
		"0\t0\n1e300 NaN\n", "left,right,y,x\n1,2,3,4\n", "1,5;2,5\n", "#\n##\n,\n,,,\n", "0,0\n0,0\n0x1p4,1_0\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := circuit.Read("fuzz.csv", bytes.NewReader(text), circuit.Options{})
		if err != nil {
			var format *circuit.Error
			if !errors.As(err, &format) || format.Value == "" || format.Want == "" ||
				format.Line > bytes.Count(text, []byte("\n"))+bytes.Count(text, []byte("\r"))+1 {
				t.Fatalf("%v", err)
			}
			return
		}
		n := len(c.X)
		if n < 3 || n > circuit.MaxPoints || len(c.Y) != n || len(c.Right) != len(c.Left) || c.Widths() && len(c.Right) != n {
			t.Fatalf("%d points, %d, %d, %d", n, len(c.Y), len(c.Right), len(c.Left))
		}
		if c.Kind == "CSV" && len(c.Columns) < 2 {
			t.Fatalf("columns %v", c.Columns)
		}
		if length := c.PolygonLength(); !(length >= circuit.MinLength && length <= circuit.MaxLength) {
			t.Fatalf("length %v", length)
		}
		for i := range n {
			if !(math.Abs(c.X[i]) <= circuit.MaxCoordinate && math.Abs(c.Y[i]) <= circuit.MaxCoordinate) {
				t.Fatalf("point %d: %v, %v", i, c.X[i], c.Y[i])
			}
			if c.Widths() && !(c.Right[i] > 0 && c.Right[i] <= circuit.MaxWidth && c.Left[i] > 0 &&
				c.Left[i] <= circuit.MaxWidth) {
				t.Fatalf("point %d: widths %v, %v", i, c.Right[i], c.Left[i])
			}
			if c.X[i] == c.X[(i+1)%n] && c.Y[i] == c.Y[(i+1)%n] {
				t.Fatalf("point %d is repeated", i)
			}
		}
	})
}
