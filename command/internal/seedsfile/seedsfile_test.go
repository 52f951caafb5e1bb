package seedsfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/command/internal/seedsfile"
)

func TestRead(t *testing.T) {
	for text, want := range map[string][]int32{
		"1\n2\n3\n":                       {1, 2, 3},
		"1":                               {1},
		"1, 2,3\t4  5\n":                  {1, 2, 3, 4, 5},
		"1,\n,2\n\n":                      {1, 2},
		"\xef\xbb\xbf7\r\n8\r\n":          {7, 8},
		"# seeds of Monday\n5 # five\n#6": {5},
		"5#6\n7":                          {5, 7},
		"-2147483648 2147483647 +3 007":   {-2147483648, 2147483647, 3, 7},
	} {
		got, err := seedsfile.Read("seeds.txt", strings.NewReader(text))
		require.NoError(t, err, "%q", text)
		assert.Equal(t, want, got, "%q", text)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":              "seeds.txt: holds no seeds: must be whole numbers, for example one on each line",
		"# nothing\n\n": "seeds.txt: holds no seeds: must be whole numbers, for example one on each line",
		"1\n2\nthree\n": `seeds.txt:3: seed "three": must be a whole number from -2147483648 to 2147483647`,
		"1\n2147483648": `seeds.txt:2: seed "2147483648": must be a whole number from -2147483648 to 2147483647`,
		"-2147483649":   `seeds.txt:1: seed "-2147483649": must be a whole number from -2147483648 to 2147483647`,
		"1\r\n1.5":      `seeds.txt:2: seed "1.5": must be a whole number from -2147483648 to 2147483647`,
		"0x10":          `seeds.txt:1: seed "0x10": must be a whole number from -2147483648 to 2147483647`,
		"1_000":         `seeds.txt:1: seed "1_000": must be a whole number from -2147483648 to 2147483647`,
		"1;2":           `seeds.txt:1: seed "1;2": must be a whole number from -2147483648 to 2147483647`,
		"1\x002":        `seeds.txt:1: seed "1\x002": must be a whole number from -2147483648 to 2147483647`,
		"\xff\xfe1\x00": `seeds.txt:1: seed "\xff\xfe1\x00": must be a whole number from -2147483648 to 2147483647`,
		"1\n" + strings.Repeat("9", 1000): `seeds.txt:2: seed "` + strings.Repeat("9", 40) +
			`"...: must be a whole number from -2147483648 to 2147483647`,
	} {
		got, err := seedsfile.Read("seeds.txt", strings.NewReader(text))
		assert.EqualError(t, err, want, "%q", text)
		assert.Nil(t, got, "%q", text)
	}
}

func TestReadFailing(t *testing.T) {
	broken := errors.New("broken disk")
	_, err := seedsfile.Read("seeds.txt", iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
	assert.EqualError(t, err, "reading seeds.txt: broken disk")
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seeds.txt")
	require.NoError(t, os.WriteFile(path, []byte("4 5"), 0o600))
	seeds, err := seedsfile.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, []int32{4, 5}, seeds)
	_, err = seedsfile.ReadFile(path + ".missing")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = seedsfile.ReadFile(filepath.Dir(path))
	require.ErrorContains(t, err, "is a directory")
}

func TestReadAnySeeds(t *testing.T) {
	separators := rapid.SampledFrom([]string{"\n", ",", " ", "\r\n", "\t", ", ", " # note 9\n"})
	rapid.Check(t, func(t *rapid.T) {
		seeds := rapid.SliceOfN(rapid.Int32(), 1, 50).Draw(t, "seeds")
		var text strings.Builder
		for _, seed := range seeds {
			text.WriteString(strconv.Itoa(int(seed)) + separators.Draw(t, "separator"))
		}
		got, err := seedsfile.Read("seeds.txt", strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, seeds, got)
	})
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "1\n2", "\xef\xbb\xbf7\r\n8", "1,2,,3 # four", "2147483648", "x", "\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seeds, err := seedsfile.Read("seeds.txt", strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "seeds.txt:") || len(err.Error()) > 400 {
				t.Fatalf("unhelpful error: %v", err)
			}
			return
		}
		// Written with one seed per line, the seeds read back unchanged.
		var lines strings.Builder
		for _, seed := range seeds {
			lines.WriteString(strconv.Itoa(int(seed)) + "\n")
		}
		again, err := seedsfile.Read("seeds.txt", strings.NewReader(lines.String()))
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, seeds, again)
	})
}
