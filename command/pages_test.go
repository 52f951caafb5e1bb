package command

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shellBlock matches the commands of a page.
var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// The page about F1TENTH leads from a circuit to a map. Its commands run here in its order, on circuits with the names
// of the page: Monza.csv has hairpins of radius 8 m, and hairpin.csv is the same at 1:10 and too wide for them. The
// folders of maps that the commands write are complete.
func TestCommandsOfTheF1TENTHPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "f1tenth.md"))
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Monza.csv"), []byte(ellipse(1, 5)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "hairpin.csv"), []byte(ellipse(0.1, 1.1)), 0o600))
	said := map[string]string{}
	for _, block := range shellBlock.FindAllSubmatch(page, -1) {
		for line := range strings.Lines(string(block[1])) {
			words := strings.Fields(line)
			if words[0] != "trackgen" {
				require.Equal(t, "scripts/check-f1tenth.sh", words[0])
				continue
			}
			command := exec.Command(words[0], words[1:]...)
			command.Dir = folder
			command.Env = append(os.Environ(), "TRACKGEN_DEVICE=")
			output, err := command.CombinedOutput()
			require.NoErrorf(t, err, "%s: %s", line, output)
			said[strings.TrimSpace(line)] = string(output)
		}
	}
	require.Regexp(t, `start pose \(x, y, theta\): 0\.0000, 2\.5298, -?0\.0000`,
		said["trackgen export monza.npz --to ros --scale 0.1 --out Monza/"])
	require.Regexp(t, `(?s)valid +no: curvature.*curvature +radius 0\.[78]\d m, inner width 1\.10 m.*remedies`,
		said["trackgen import hairpin.csv --out hairpin.npz"])
	for _, way := range []string{"--trim-inner --out trimmed.npz", "--relax --out relaxed.npz",
		"--half-width 0.6 --out narrow.npz"} {
		require.Regexp(t, `valid +yes`, said["trackgen import hairpin.csv "+way])
	}
	for _, name := range []string{"Monza", "Wide", "Trimmed", "maps/env-0"} {
		base := filepath.Base(name)
		for _, ending := range []string{"_map.yaml", "_map.png", "_centerline.csv"} {
			require.FileExists(t, filepath.Join(folder, name, base+ending))
		}
	}
}

var updatePictures = flag.Bool("update-pictures", false, "write the pictures of docs/course.md")

// The pictures of the page about courses are those that the commands beside them draw. Pixels are compared rather than
// files, because the compression may change with the Go version.
func TestPicturesOfTheCoursePage(t *testing.T) {
	docs := filepath.Join("..", "docs")
	page, err := os.ReadFile(filepath.Join(docs, "course.md"))
	require.NoError(t, err)
	folder := t.TempDir()
	for _, block := range shellBlock.FindAllSubmatch(page, -1) {
		for line := range strings.Lines(string(block[1])) {
			runIn(t, folder, strings.TrimSpace(line))
		}
	}
	drawn, err := filepath.Glob(filepath.Join(folder, "*.png"))
	require.NoError(t, err)
	shown := regexp.MustCompile(`\]\(images/([\w-]+\.png)\)`).FindAllStringSubmatch(string(page), -1)
	require.Len(t, drawn, len(shown), "a picture for each that the page shows")
	for _, m := range shown {
		got, err := os.ReadFile(filepath.Join(folder, m[1]))
		require.NoError(t, err)
		path := filepath.Join(docs, "images", m[1])
		if *updatePictures {
			require.NoError(t, os.WriteFile(path, got, 0o644))
		}
		stored, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.Equal(pixelsOf(t, stored), pixelsOf(t, got)), "%s: make pictures draws it anew", m[1])
	}
}

// pixelsOf decodes an image without transparency. Its bounds are a part of the bytes.
func pixelsOf(t *testing.T, file []byte) []byte {
	decoded, err := png.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	out, ok := decoded.(*image.RGBA)
	require.True(t, ok, "%T", decoded)
	return append([]byte(out.Bounds().String()), out.Pix...)
}

// word matches a word of a command line, or one in single quotes.
var word = regexp.MustCompile(`'([^']*)'|(\S+)`)

// runIn runs a command line of a page in a folder.
func runIn(t *testing.T, folder, line string) {
	t.Helper()
	var words []string
	for _, m := range word.FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2])
	}
	require.Equal(t, "trackgen", words[0], line)
	command := exec.Command(words[0], words[1:]...)
	command.Dir = folder
	command.Env = append(os.Environ(), "TRACKGEN_DEVICE=cpu")
	output, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s: %s", line, output)
}

// ellipse returns a clockwise circuit with half axes of 80 and 25.298 m, whose ends have a radius of 8 m, at a scale.
// The width, to either side, is in metres of the file.
func ellipse(scale, width float64) string {
	var text strings.Builder
	text.WriteString("# x_m,y_m,w_tr_right_m,w_tr_left_m\n")
	for i := range 120 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 120)
		fmt.Fprintf(&text, "%.4f,%.4f,%[3]g,%[3]g\n", scale*80*sin, scale*25.298*cos, width)
	}
	return text.String()
}
